"""Asks generated queries about several states of the same events, and reads the answers with every reader of frames.

The schema of an answer is the same for every state, whichever rows there are, and its values are those of the JSON answer.
"""

import io
import json
import os
import random
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
draw = random.Random(int(os.environ["SEED"]))


def ask(body):
    request = urllib.request.Request(
        os.environ["BRAINTRUST_API_URL"] + "/query",
        json.dumps(body).encode(),
        {"authorization": "Bearer " + os.environ["BRAINTRUST_API_KEY"]},
    )
    with urllib.request.urlopen(request) as answer:
        return answer.read(), answer.headers


NUMBERS = ["scores.a", "scores.b", "scores.never", "metrics.tokens", "metrics.start", "metrics.never"]
TEXTS = ["id", "span_id", "root_span_id", "_xact_id", "span_attributes.name", "context.caller_filename", "org_id"]
PATHS = {
    "metadata.n": ["bigint", "double", "json"],
    "metadata.big": ["bigint", "json"],
    "metadata.text": ["varchar", "json"],
    "metadata.flag": ["boolean", "varchar", "json"],
    "metadata.at": ["timestamp", "varchar"],
    "metadata.mixed": ["bigint", "double", "boolean", "varchar", "timestamp", "json"],
    "metadata.deep": ["json"],
    "metadata.deep.x": ["bigint", "double"],
    "metrics.note": ["varchar", "json"],
    "input": ["varchar", "json"],
    "output": ["json"],
}


class Query:
    """A random query. `types` has those of the paths without a type that it names."""

    def __init__(self):
        self.types = {}
        many = range(draw.randint(1, 4))
        if draw.random() < 0.6:
            columns = ", ".join(f"{self.value()} as c{i}" for i in many)
            self.text = f"select: id, {columns} | sort: id"
        else:
            keys = [f"{self.value()} as k{i}" for i in range(draw.randint(0, 2))]
            measures = ", ".join(f"{self.aggregate()} as c{i}" for i in many)
            dimensions = f"dimensions: {', '.join(keys)} | " if keys else ""
            self.text = f"{dimensions}measures: {measures}"

    def path(self):
        path = draw.choice(list(PATHS))
        self.types.setdefault(path, draw.choice(PATHS[path]))
        return path

    def number(self):
        return draw.choice(NUMBERS)

    def text_value(self):
        return draw.choice(TEXTS)

    def value(self):
        n, t = self.number, self.text_value
        return draw.choice(
            [
                n,
                t,
                self.path,
                self.path,
                lambda: draw.choice(["created", "is_root", "tags", "span_parents", "scores", "metrics", "metadata"]),
                lambda: f"len({draw.choice(['tags', 'id', 'scores', 'metadata.text', 'span_parents'])})",
                lambda: f"{n()} {draw.choice('+-*/%')} {n()}",
                lambda: f"-{n()}",
                lambda: f"{n()} {draw.choice(['<', '>=', '=', '!='])} 0.5",
                lambda: f"{n()} is null",
                lambda: f"tags includes 'x' and {n()} > 0",
                lambda: f"{draw.choice(['round', 'abs', 'floor', 'ceil'])}({n()})",
                lambda: f"{draw.choice(['lower', 'upper'])}({t()})",
                lambda: f"concat({t()}, '-', {n()})",
                lambda: f"to_integer({draw.choice(['scores.b', 'metrics.tokens', 'metadata.text'])})",
                lambda: f"to_{draw.choice(['number', 'string', 'boolean'])}({n()})",
                lambda: f"{draw.choice(['day', 'hour', 'week', 'month', 'to_date', 'to_datetime'])}(created)",
                lambda: f"created + interval {draw.randint(1, 9)} day",
                lambda: f"coalesce({n()}, {n()}, 0)",
                lambda: f"coalesce({t()}, 'none')",
                lambda: f"nullif({n()}, 1)",
                lambda: f"{draw.choice(['least', 'greatest'])}({n()}, 1)",
                lambda: f"{n()} > 0.2 ? {n()} : 0",
                lambda: f"is_root ? 1 : {draw.choice(['2', '0.5', 'len(id)'])}",
                lambda: f"hash({self.path()})",
                lambda: draw.choice(["1", "0.5", "'text'", "true", "[1]", "null", "tags[0]"]),
            ]
        )()

    def aggregate(self):
        n = self.number
        return draw.choice(
            [
                lambda: "count(*)",
                lambda: f"count({self.value()})",
                lambda: f"count_distinct({self.value()})",
                lambda: f"{draw.choice(['sum', 'avg', 'min', 'max', 'stddev'])}({n()})",
                lambda: f"{draw.choice(['sum', 'avg'])}({self.path()})",
                lambda: f"{draw.choice(['min', 'max'])}({draw.choice(['created', 'id', 'len(tags)', 'tags'])})",
                lambda: f"percentile({n()}, 90%)",
                lambda: f"any_value({draw.choice(['org_id', 'project_id', 'is_root'])})",
                lambda: f"count(*) + 1",
                lambda: f"avg({n()}) > 0.3",
            ]
        )()


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
    body = {"query": f"{query.text} | from: {from_}"}
    rows = json.loads(ask(body)[0])["data"]
    typed = {**body, "types": query.types}
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
        selected = ", ".join(f'CAST("{name}" AS VARCHAR)' if each == "JSON" else f'"{name}"'
                             for name, each in zip(relation.columns, types))
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
        assert schema == first, (state, schema, first)
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
        return {"failed": f"{query.text} {json.dumps(query.types)}: {error!r} {detail}"}


queries = [Query() for _ in range(int(os.environ["QUERIES"]))]
with ThreadPoolExecutor(4) as pool:
    results = list(pool.map(attempt, queries))
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
