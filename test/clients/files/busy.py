"""Asks more often than the server allows in a second."""

import json

import evalstore

for _ in range(4):
    rows = evalstore.query(f"measures: count(*) as rows | from: {evalstore.logs('busy')}", library="list")
    print(json.dumps(rows))
