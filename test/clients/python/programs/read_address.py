"""Reads answers by their addresses with polars and pandas, more than once, whole and in part."""

import json

import pandas
import polars
from addresses import address

parquet, csv, jsonl = address("parquet"), address("csv"), address("jsonl")
read = []
for _ in range(2):
    read += [
        polars.read_parquet(parquet).rows(),
        polars.scan_parquet(parquet).collect().rows(),
        polars.scan_csv(csv).collect().rows(),
        list(pandas.read_parquet(parquet).itertuples(index=False, name=None)),
        list(pandas.read_csv(csv).itertuples(index=False, name=None)),
        list(pandas.read_json(jsonl, lines=True).itertuples(index=False, name=None)),
    ]
last = polars.scan_parquet(parquet).filter(polars.col("n") >= 1998).select("n").collect()
print(json.dumps({"read": [sorted(rows)[:2] + [len(rows)] for rows in read], "last": last["n"].to_list()}))
