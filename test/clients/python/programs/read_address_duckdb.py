"""Reads answers by their addresses with DuckDB, more than once, whole and in part."""

import json
from importlib.resources import files

import duckdb
from addresses import address

[extension] = files("duckdb_extension_httpfs").glob("extensions/*/httpfs.duckdb_extension")
duckdb.sql(f"INSTALL '{extension}'")
duckdb.sql("LOAD httpfs")
parquet, csv = address("parquet"), address("csv")
read = []
for _ in range(2):
    for source in [f"read_parquet('{parquet}')", f"read_csv('{csv}')"]:
        read.append(duckdb.sql(f"SELECT * FROM {source} ORDER BY id").fetchall())
last = duckdb.sql(f"SELECT n FROM read_parquet('{parquet}') WHERE n >= 1998 ORDER BY n").fetchall()
print(json.dumps({"read": [rows[:2] + [len(rows)] for rows in read], "last": [n for [n] in last]}))
