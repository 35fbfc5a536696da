"""Asks generated queries about several states of the same events, and reads the answers with every reader of frames.

The schema of an answer is the same for every state, whichever rows there are, and its values are those of the JSON answer.
"""

import io
import json
import os
import sys
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timezone
from math import isnan
from tempfile import NamedTemporaryFile

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

STATES = json.loads(os.environ["STATES"])
with open("queries.json") as file:
    QUERIES = json.load(file)


def ask(body):
    request = urllib.request.Request(
        os.environ["BRAINTRUST_API_URL"] + "/query",
        json.dumps(body).encode(),
        {"authorization": "Bearer " + os.environ["BRAINTRUST_API_KEY"]},
    )
    with urllib.request.urlopen(request) as answer:
        return answer.read(), answer.headers


def moment(value):
    if isinstance(value, str):
        value = datetime.fromisoformat(value)
    return value if value.tzinfo else value.replace(tzinfo=timezone.utc)


def equal(type_name, shown, value):
    """Whether the value of a frame is that of the JSON answer."""
    if type_name == "JSON":
        return json.loads(value) == shown
    if type_name == "TIMESTAMP WITH TIME ZONE":
        return moment(shown) == moment(value)
    if type_name == "VARCHAR[]":
        return list(value) == shown
    if type_name == "DOUBLE":
        return float(shown) == value
    return shown == value


def is_null(value):
    return value is None or value is pd.NA or value is pd.NaT or (isinstance(value, float) and isnan(value))


def plain(column):
    """The values of a column of pandas, whose lists are arrays."""
    return [None if not hasattr(v, "__len__") and is_null(v) else v for v in column]


def check(query, from_):
    body = {"query": query["text"].replace("source()", from_)}
    rows = json.loads(ask(body)[0])["data"]
    typed = {**body, "types": query["types"]}
    parquet, headers = ask({**typed, "fmt": "parquet"})
    arrow, arrow_headers = ask({**typed, "fmt": "arrow"})

    stream = pa.ipc.open_stream(arrow).read_all()
    table = pq.read_table(io.BytesIO(parquet), arrow_extensions_enabled=True)
    streamed = pl.read_ipc_stream(arrow)
    frame = pl.read_parquet(parquet)
    pandas = pd.read_parquet(io.BytesIO(parquet), dtype_backend="pyarrow")
    with NamedTemporaryFile(suffix=".parquet") as file, duckdb.connect() as connection:
        file.write(parquet)
        file.flush()
        connection.execute("SET TimeZone = 'UTC'")
        relation = connection.read_parquet(file.name)
        types = [str(each) for each in relation.types]
        names = ['"' + name.replace('"', '""') + '"' for name in relation.columns]
        selected = ", ".join(f"CAST({name} AS VARCHAR)" if each == "JSON" else name for name, each in zip(names, types))
        tuples = relation.project(selected).fetchall()

    readers = {
        "duckdb": [list(column) for column in zip(*tuples)] or [[] for _ in types],
        "arrow": [column.to_pylist() for column in stream.columns],
        "parquet": [column.to_pylist() for column in table.columns],
        "polars stream": [column.to_list() for column in streamed],
        "polars": [column.to_list() for column in frame],
        "pandas": [plain(pandas[name]) for name in pandas.columns],
    }
    names = list(rows[0]) if rows else stream.schema.names
    for reader, columns in readers.items():
        misfits = 0
        for name, type_name, column in zip(names, types, columns, strict=True):
            shown = [row[name] for row in rows]
            assert len(column) == len(shown), (reader, name, len(column), len(shown))
            for one, other in zip(shown, column):
                if other is None:
                    misfits += one is not None
                else:
                    assert one is not None and equal(type_name, one, other), (reader, name, type_name, one, other)
        for each in (headers, arrow_headers):
            assert each["x-evalstore-misfits"] == str(misfits), (reader, each["x-evalstore-misfits"], misfits)
    schema = {
        "duckdb": types,
        "arrow": [str(field.type) for field in stream.schema],
        "parquet": [str(field.type) for field in table.schema],
        "polars stream": [str(each) for each in streamed.dtypes],
        "polars": [str(each) for each in frame.dtypes],
        "pandas": [str(each) for each in pandas.dtypes],
    }
    return schema, len(rows), misfits


def in_every_state(query):
    found = {state: check(query, from_) for state, from_ in STATES.items()}
    schemas = {state: schema for state, (schema, _, _) in found.items()}
    first = next(iter(schemas.values()))
    for state, schema in schemas.items():
        for reader, types in schema.items():
            for fixed, one, other in zip(query["areFixed"], types, first[reader], strict=True):
                assert not fixed or one == other, (state, reader, one, other)
    return {
        "rows": sum(rows for _, rows, _ in found.values()),
        "misfits": sum(misfits for _, _, misfits in found.values()),
        "types": sorted(set(first["duckdb"])),
    }


def attempt(query):
    try:
        return in_every_state(query)
    except Exception as error:
        detail = error.read().decode() if hasattr(error, "read") else ""
        return {"failed": f"{json.dumps(query)}: {error!r} {detail}"}


with ThreadPoolExecutor(4) as pool:
    results = list(pool.map(attempt, QUERIES))
failed = [result["failed"] for result in results if "failed" in result]
if failed:
    sys.exit("\n".join(failed[:20]) + f"\n{len(failed)} queries failed")
print(
    json.dumps(
        {
            "queries": len(results),
            "rows": sum(result["rows"] for result in results),
            "misfits": sum(result["misfits"] for result in results),
            "types": sorted({type_name for result in results for type_name in result["types"]}),
        }
    )
)
