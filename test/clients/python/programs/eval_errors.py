"""An evaluation in which one task and one scorer raise."""

from braintrust import Eval


def task(input):
    if input == 0:
        raise ZeroDivisionError("no answer for 0")
    return 10 / input


def picky(output, expected):
    if output == 5:
        raise KeyError("five")
    return output == expected


result = Eval(
    "failing",
    data=[{"input": 0, "expected": 0}, {"input": 1, "expected": 10}, {"input": 2, "expected": 5}],
    task=task,
    scores=[picky],
    experiment_name="errors",
)
assert sum(1 for row in result.results if row.error is not None) >= 1
print(result.summary)
