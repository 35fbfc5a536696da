# Reads the table of a project with PyIceberg, Polars and DuckDB, and compares each row with the answer of the server.
import glob
import json
import os
import sys
import warnings
from datetime import datetime, timezone

import duckdb
import polars
import pyarrow
from pyiceberg.catalog import load_catalog

warnings.simplefilter("ignore")
url, key, project = (os.environ[name] for name in ("EVALSTORE_URL", "EVALSTORE_KEY", "PROJECT"))
columns = ["id", "created", "tags", "metadata", "scores", "input"]
score = "scores/exact"


def catalog_of(token):
    return load_catalog("evals", uri=url + "/iceberg", token=token)


def instant(text):
    return datetime.fromisoformat(text.replace("Z", "+00:00")).astimezone(timezone.utc).replace(tzinfo=None)


def parsed(text):
    return None if text is None else json.loads(text)


def row_of(row):
    tags = None if row["tags"] is None else list(row["tags"])
    return [row["id"], row["created"], tags, *(parsed(row[name]) for name in columns[3:])]


with open(os.environ["EXPECTED"], encoding="utf-8") as file:
    expected = [json.loads(line) for line in file]
wanted = [[row["id"], instant(row["created"]), *(row[name] for name in columns[2:])] for row in expected]
wanted.sort(key=lambda row: row[0])


def compare(reader, count, total, rows):
    found = sorted((row_of(row) for row in rows), key=lambda row: row[0])
    pairs = [] if found == wanted else list(zip(found, wanted))
    different = next((repr(pair) for pair in pairs if pair[0] != pair[1]), None)
    print(json.dumps({
        "reader": reader, "count": count, "rows": len(found), "sum": round(total, 6), "different": different,
    }), flush=True)


table = catalog_of(key).load_table((project, "events"))
arrow = table.scan(selected_fields=(*columns, score)).to_arrow()
compare("pyiceberg", table.scan().count(), pyarrow.compute.sum(arrow[score]).as_py(), arrow.to_pylist())

for reader in ("native", "pyiceberg"):
    frame = polars.scan_iceberg(table, reader_override=reader)
    count, total = frame.select(polars.len(), polars.col(score).sum()).collect().row(0)
    compare("polars " + reader, count, total, frame.select(columns).collect().to_dicts())

database = duckdb.connect(config={"allow_unsigned_extensions": "true"})
for name in ("httpfs", "avro", "iceberg"):
    folder = os.path.dirname(__import__("duckdb_extension_" + name).__file__)
    [extension] = glob.glob(os.path.join(folder, "extensions", "*", name + ".duckdb_extension"))
    database.execute(f"LOAD '{extension}'")
database.execute(os.environ["DUCKDB_SECRET"])
# The zone of a session does not change the times.
database.execute("SET TimeZone = 'America/New_York'")
database.execute(f"ATTACH '' AS evals (TYPE iceberg, ENDPOINT '{url}/iceberg', TOKEN '{key}')")
source = f'evals."{project}".events'
count, total = database.execute(f'SELECT count(*), sum("{score}") FROM {source}').fetchone()
found = database.execute(f"SELECT {', '.join(columns)} FROM {source}")
compare("duckdb", count, total, [dict(zip(columns, row)) for row in found.fetchall()])


def refusal(work):
    try:
        work()
    except Exception as error:
        return f"{type(error).__name__}: {error}"


print(json.dumps({"stranger": [list(name) for name in catalog_of(os.environ["STRANGER"]).list_namespaces()]}))
writes = [
    lambda: table.append(pyarrow.table({"id": ["new"]})),
    lambda: table.delete("id = 'r2'"),
    lambda: catalog_of(key).drop_table((project, "events")),
    lambda: catalog_of(key).create_namespace("new"),
    lambda: database.execute(f"INSERT INTO {source} (id) VALUES ('new')"),
]
print(json.dumps({"writes": [refusal(work) for work in writes]}))
sys.stdout.flush()
