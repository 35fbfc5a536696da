"""Improves on an earlier experiment, whose outputs are what is expected."""

import json

from braintrust import BaseExperiment, Eval


def same(output, expected):
    return 1 if output == expected else 0


def long(output):
    return len(output) / 2


Eval(
    "hill-climbing",
    experiment_name="first",
    data=[{"input": "a"}, {"input": "b"}],
    task=lambda input: input.upper(),
    scores=[long],
)
result = Eval(
    "hill-climbing",
    experiment_name="second",
    data=BaseExperiment(name="first"),
    task=lambda input: "A" if input == "a" else "?",
    scores=[same],
    base_experiment_name="first",
)
print(json.dumps({"against": result.summary.comparison_experiment_name}))
