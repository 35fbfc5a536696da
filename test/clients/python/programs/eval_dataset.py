"""Evaluates on a stored dataset, so that each row names the record that it came from."""

from braintrust import Eval, init_dataset

dataset = init_dataset(project="on-dataset", name="sums")
for number in (1, 2, 3):
    dataset.insert(id=f"r{number}", input=number, expected=number + 1, metadata={"n": number}, tags=["sum"])
dataset.flush()


def right(output, expected):
    return output == expected


Eval(
    "on-dataset",
    data=init_dataset(project="on-dataset", name="sums"),
    task=lambda input: input + 1,
    scores=[right],
    experiment_name="all right",
)
