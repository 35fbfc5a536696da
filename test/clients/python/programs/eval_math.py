"""Evaluations in a file that `braintrust eval` runs, with a reporter."""

import json

from braintrust import Eval, Reporter


def report_eval(evaluator, result, opts):
    print(json.dumps([result.summary.experiment_name, len(result.results)]))
    return True


def equal(output, expected):
    return output == expected


Reporter("counts", report_eval=report_eval, report_run=lambda results: all(results))

Eval(
    "cli-addition",
    data=[{"input": [1, 2], "expected": 3}, {"input": [2, 2], "expected": 5}],
    task=lambda input: sum(input),
    scores=[equal],
    experiment_name="addition",
)
Eval(
    "cli-negation",
    data=[{"input": 1, "expected": -1}],
    task=lambda input: -input,
    scores=[equal],
    experiment_name="negation",
)
