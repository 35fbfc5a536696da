"""Compares answers of the server, value by value, with the classes of an SDK that has no REST client."""

import json
import os
import typing
import urllib.request

import typing_extensions

# Before Python 3.12, pydantic knows only this one.
typing.TypedDict = typing_extensions.TypedDict  # noqa: E402

import braintrust
from braintrust import logger as sdk

try:
    from braintrust import _generated_types as types
    from pydantic import TypeAdapter
except ImportError:
    types = None


def get(path):
    request = urllib.request.Request(
        os.environ["BRAINTRUST_API_URL"] + path,
        headers={"Authorization": f"Bearer {os.environ['BRAINTRUST_API_KEY']}"},
    )
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


project = "old classes"
dataset = braintrust.init_dataset(project, "records")
dataset.insert(input=1, expected=1)
dataset.flush()
for score in (0.5, 1):
    experiment = braintrust.init(project, experiment="run", dataset=dataset)
    experiment.log(input=1, output=1, scores={"exact": score}, metrics={"start": 1, "end": 2})
    summary = experiment.summarize()
assert summary.scores["exact"].improvements == 1, summary
assert "100.00%" in str(summary) and "duration" in summary.metrics, summary
assert "Total records: " in str(dataset.summarize()), dataset.summarize()
if types:
    TypeAdapter(sdk.ExperimentSummary).validate_python(vars(summary))
    for name, kind in {
        "project": types.Project,
        "experiment": types.Experiment,
        "dataset": types.Dataset,
        "user": types.User,
        "organization": types.Organization,
        "api_key": types.ApiKey,
    }.items():
        found = get(f"/v1/{name}?limit=1")["objects"]
        assert found, name
        # Nothing reads `url_slug`.
        TypeAdapter(kind).validate_python({"url_slug": "", **found[0]})
print("all answers fit")
