"""Compares a run with a named one: better on one case, worse on another."""

import json

import braintrust


def run(name, scores, base=None):
    experiment = braintrust.init(project="ranking", experiment=name, base_experiment=base)
    for input, score in scores.items():
        experiment.log(input=input, output=score, scores={"ndcg": score}, metrics={"latency": 2 * score})
    return experiment.summarize()


run("monday", {"a": 0.25, "b": 0.5, "c": 1})
run("tuesday", {"a": 0, "b": 0, "c": 0})
summary = run("wednesday", {"a": 0.75, "b": 0.5, "c": 0.5}, base="monday")
score = summary.scores["ndcg"]
print(
    json.dumps(
        {
            "against": summary.comparison_experiment_name,
            "score": round(score.score, 6),
            "diff": score.diff,
            "improvements": score.improvements,
            "regressions": score.regressions,
        }
    )
)
