"""Keeps a dataset: inserts, updates, deletes, reads an earlier version."""

import json

import braintrust


def records(**options):
    rows = braintrust.init_dataset(project="golden-sets", name="questions", **options)
    return sorted([row["id"], row["input"], row["expected"]] for row in rows)


dataset = braintrust.init_dataset(project="golden-sets", name="questions", description="by hand")
dataset.insert(id="q1", input={"q": 1}, expected="one", metadata={"level": "easy"}, tags=["numbers"])
dataset.insert(id="q2", input={"q": 2}, expected="two")
dataset.insert(id="q3", input={"q": 3}, expected="drei")
dataset.flush()
version = braintrust.init_dataset(project="golden-sets", name="questions").version

dataset.update(id="q3", expected="three", metadata={"fixed": True})
dataset.delete("q2")
dataset.flush()
summary = dataset.summarize()
print(
    json.dumps(
        {
            "before": records(version=version),
            "now": records(),
            "total": summary.data_summary.total_records,
        }
    )
)
