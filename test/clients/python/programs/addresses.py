"""Asks for the address of an answer."""

import json
import os
import urllib.request


def address(fmt):
    body = {"query": os.environ["QUERY"], "fmt": fmt}
    request = urllib.request.Request(
        os.environ["BRAINTRUST_API_URL"] + "/query/download",
        json.dumps(body).encode(),
        {"authorization": "Bearer " + os.environ["BRAINTRUST_API_KEY"]},
    )
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)["url"]
