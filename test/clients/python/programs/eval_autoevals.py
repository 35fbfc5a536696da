"""Scores with those of autoevals that need no model."""

import json

from autoevals import ExactMatch, JSONDiff, LevenshteinScorer, NumericDiff, ValidJSON
from braintrust import Eval


def number(output, expected):
    return NumericDiff()(output=output["n"], expected=expected["n"])


def text(output, expected):
    return LevenshteinScorer()(output=output["words"][1], expected=expected["words"][1])


def valid(output):
    return ValidJSON()(output=json.dumps(output))


Eval(
    "autoevals",
    data=[{"input": {"n": 2}, "expected": {"n": 2, "words": ["a", "b"]}}],
    task=lambda input: {"n": 2, "words": ["a", "c"]},
    scores=[
        ExactMatch,
        JSONDiff(),
        number,
        text,
        valid,
    ],
    experiment_name="without a model",
)
