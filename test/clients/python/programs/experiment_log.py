"""Logs an experiment row by row, without `Eval`, and prints its summary."""

import json

import braintrust

experiment = braintrust.init(
    project="spelling", experiment="baseline", description="first", metadata={"model": "small"}
)
for word, expected in (("teh", "the"), ("adn", "and"), ("form", "from")):
    experiment.log(
        input=word,
        output="the" if word == "teh" else word,
        expected=expected,
        scores={"exact": 1 if word == "teh" else 0},
        metadata={"length": len(word)},
        tags=["short"],
    )
summary = experiment.summarize()
print(json.dumps({"name": summary.experiment_name, "exact": round(summary.scores["exact"].score, 3)}))
