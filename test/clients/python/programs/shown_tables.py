# Runs the programs of the manual: that of PyIceberg and Polars as it is, and the statements of DuckDB with extensions of packages.
import glob
import os

import duckdb

with open(os.environ["SHOWN"], encoding="utf-8") as file:
    exec(file.read(), {})

database = duckdb.connect(config={"allow_unsigned_extensions": "true"})
for name in ("httpfs", "avro", "iceberg"):
    folder = os.path.dirname(__import__("duckdb_extension_" + name).__file__)
    [extension] = glob.glob(os.path.join(folder, "extensions", "*", name + ".duckdb_extension"))
    database.execute(f"LOAD '{extension}'")
database.execute(os.environ["DUCKDB_SECRET"])
print("duckdb", len(database.execute(os.environ["STATEMENTS"]).fetchall()))
