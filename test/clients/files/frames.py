"""Uses evalstore.py with the library of the only argument, and prints what it gets, a line of JSON each."""

import datetime
import decimal
import json
import math
import os
import sys

import evalstore

library = sys.argv[1]


def show(value):
    print(json.dumps(value, default=str))


def sentence(use):
    try:
        use()
    except evalstore.Error as error:
        return [str(error), error.status]
    return None


rows = [
    {"q": "a", "n": 1, "h": 1.0, "t": datetime.datetime(2024, 1, 1), "g": ["x", "y"], "d": decimal.Decimal("0.25")},
    {"q": None, "n": 2**53 + 1, "h": math.nan, "t": None, "g": None, "d": None},
]


def frame(rows):
    if library == "pandas":
        import pandas

        # Integers beside times, which a row of one type would not keep.
        return pandas.DataFrame(rows)
    if library == "polars":
        import polars

        return polars.DataFrame(rows)
    if library == "pyarrow":
        import pyarrow

        return pyarrow.Table.from_pylist(rows)
    return rows


def listed(frame):
    if library == "pandas":
        return frame.to_dict("records")
    if library == "polars":
        return frame.to_dicts()
    return frame if library == "list" else frame.to_pylist()


run = evalstore.experiment("frames", library)
assert evalstore.experiment("frames", library) == run
ids = evalstore.log(
    run,
    frame(rows),
    input="q",
    output=["q", "n"],
    expected="n",
    error="q",
    scores=["h", "d"],
    metrics=["n"],
    metadata=["t", "g"],
    tags="g",
    created="t",
)
fields = "id, input, output, expected, error, scores, metrics, metadata, tags"
events = evalstore.query(f"select: {fields} | from: {run} | sort: created", library="list")
show([event.pop("id") for event in events] == ids)
show(events)
answer = evalstore.query(f"select: input, expected | from: {run} | sort: created", library=library)
show(type(answer).__module__.split(".")[0])
show([row["input"] if isinstance(row["input"], str) else None for row in listed(answer)])
show([evalstore.log(run, frame(rows)[:0]), evalstore.log(evalstore.logs("frames"), [])])

whole, since = evalstore.changes(run, library=library)
evalstore.log(run, [{"id": ids[0], "s": 0.5}], id="id", scores=["s"], merge=True)
evalstore.log(run, [{"id": ids[1], "gone": True}], id="id", input="gone")
newer, last = evalstore.changes(run, since, library=library)
show([len(listed(whole)), [[row["id"] == id for id in ids] for row in listed(newer)], last > since])
show([len(listed(evalstore.changes(run, last, library=library)[0])), evalstore.changes(run, last)[1] == last])
show(evalstore.query(f"select: scores, input | from: {run} | sort: created", library="list"))
earlier = evalstore.query(f"select: scores | from: {run} | sort: created", library="list", version=since)
show(earlier)

# More events than one part holds, and more text.
many = evalstore.dataset("frames", library)
big = [{"i": i, "text": "x" * (2_100_000 if i < 3 else 10)} for i in range(10_005)]
evalstore.log(many, frame(big), input="text", metadata=["i"])
parts = evalstore.query(f"dimensions: _xact_id | measures: count(*) as rows | from: {many}", library="list")
show([part["rows"] for part in sorted(parts, key=lambda part: part["_xact_id"])])
if library == "pyarrow":
    show(sum(batch.num_rows for batch in evalstore.batches(f"select: * | from: {many}")))

show(sentence(lambda: evalstore.query(f"select: id | form: {run}")))
show(sentence(lambda: evalstore.log(run, rows, scores="q")))
show(sentence(lambda: evalstore.log(evalstore.Source("experiment", "0" * 8), rows)))
url = os.environ["EVALSTORE_URL"]
os.environ["EVALSTORE_URL"] = "http://127.0.0.1:1"
show(sentence(lambda: evalstore.query("select: id")))
os.environ["EVALSTORE_URL"] = f"{url}/"
os.environ["EVALSTORE_KEY"] = "another-key-of-tests"
show(sentence(lambda: evalstore.query("select: id")))
del os.environ["EVALSTORE_KEY"]
show(sentence(lambda: evalstore.query("select: id")))
