"""Inserts Parquet files as pyarrow, polars, pandas and DuckDB write them, and prints the events that are stored."""

import io
import json
import os
import urllib.error
import urllib.request

import duckdb
import pandas
import polars
import pyarrow
import pyarrow.parquet as parquet

address, key = os.environ["EVALSTORE_URL"], os.environ["EVALSTORE_KEY"]
source, project = os.environ["SOURCE"], os.environ["PROJECT"]


def send(path, body=None, content_type="application/json"):
    headers = {"Authorization": f"Bearer {key}", "Content-Type": content_type}
    data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
    try:
        with urllib.request.urlopen(urllib.request.Request(address + path, data, headers)) as answer:
            return answer.read()
    except urllib.error.HTTPError as error:
        raise RuntimeError(f"{path}: {error.read().decode()}") from None


own = {"_xact_id", "experiment_id", "project_id", "_pagination_key", "span_id", "root_span_id"}


def stored(file, drop=own):
    experiment = json.loads(send("/v1/experiment", {"project_id": project, "ensure_new": True}))["id"]
    send(f"/v1/experiment/{experiment}/insert", file, "application/vnd.apache.parquet")
    events = json.loads(send(f"/v1/experiment/{experiment}/fetch"))["events"]
    return [{n: v for n, v in e.items() if n not in drop} for e in sorted(events, key=lambda e: e["id"])]


def duckdb_file(relation, options):
    duckdb.sql(f"copy (from {relation}) to 'written.parquet' (format parquet, {options})")
    with open("written.parquet", "rb") as written:
        return written.read()


answer = send("/query", {"query": f"select: * | from: experiment('{source}')", "fmt": "parquet"})
table = parquet.read_table(io.BytesIO(answer))
with open("answer.parquet", "wb") as file:
    file.write(answer)

files = {"the answer": answer}
for name, options in {
    "snappy": {},
    "zstd, pages of version 2": {"compression": "zstd", "data_page_version": "2.0"},
    "gzip, version 1.0": {"compression": "gzip", "version": "1.0"},
    "lz4, without dictionaries": {"compression": "lz4", "use_dictionary": False},
    "brotli, small row groups": {"compression": "brotli", "row_group_size": 1},
}.items():
    buffer = io.BytesIO()
    parquet.write_table(table, buffer, **options)
    files[f"pyarrow, {name}"] = buffer.getvalue()
files["DuckDB"] = duckdb_file("'answer.parquet'", "compression snappy")
files["DuckDB, version 2"] = duckdb_file("'answer.parquet'", "compression zstd, parquet_version v2")

rows = [
    {"id": "a", "input": {"q": "é", "n": [1, None]}, "scores/h": 0.5, "tags": ["x", "y"], "metadata/n": 2**53 + 1},
    {"id": "b", "input": {"q": None, "n": []}, "scores/h": None, "tags": None, "metadata/n": None},
]
made = pyarrow.Table.from_pylist(rows)
frames = {}
buffer = io.BytesIO()
parquet.write_table(made, buffer)
frames["pyarrow"] = buffer.getvalue()
for compression in ("zstd", "lz4", "snappy"):
    buffer = io.BytesIO()
    polars.DataFrame(rows).write_parquet(buffer, compression=compression)
    frames[f"polars, {compression}"] = buffer.getvalue()
frames["pandas"] = pandas.DataFrame(rows).astype({"metadata/n": "Int64"}).to_parquet()
frames["DuckDB"] = duckdb_file("made", "compression lz4_raw")

shown = {"id", "input", "scores", "tags", "metadata"}
print(json.dumps({
    "answers": {name: stored(file) for name, file in files.items()},
    "frames": {
        name: [{n: v for n, v in e.items() if n in shown} for e in stored(file)] for name, file in frames.items()
    },
}))
