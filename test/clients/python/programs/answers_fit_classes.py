"""Compares answers of the server with the classes into which the SDK puts them."""

import dataclasses
import typing

import braintrust
from braintrust import logger as sdk
from braintrust.api._generated import models

with_members = {"_longest_score_name": 1, "_longest_metric_name": 1, "new_records": 0}


def fits_class(kind, members):
    """Members beside those of the class raise TypeError, and so do missing ones."""
    names = {field.name for field in dataclasses.fields(kind)}
    kind(**{name: value for name, value in with_members.items() if name in names}, **members)


def fits_dict(kind, members, place):
    """A member that the type requires is there. The SDK never reads `url_slug`."""
    missing = set(kind.__required_keys__) - set(members) - {"url_slug"}
    assert not missing, f"{place}: {missing} of {kind.__name__} missing in {members}"


dataset = braintrust.init_dataset("classes", "records")
dataset.insert(input=1, expected=1)
dataset.flush()
for score in (0.5, 1):
    experiment = braintrust.init("classes", experiment="run", dataset=dataset)
    experiment.log(input=1, output=1, scores={"exact": score}, metrics={"start": 1, "end": 2})
    experiment.flush()

api = sdk._state.api_client()
summary = api.experiments.get_experiment_id_summarize(experiment.id, summarize_scores=True)
assert summary["scores"] and summary["metrics"], summary
fits_dict(models.SummarizeExperimentResponse, summary, "summary")
for score in summary["scores"].values():
    fits_class(sdk.ScoreSummary, score)
for metric in summary["metrics"].values():
    fits_class(sdk.MetricSummary, metric)
records = api.datasets.get_dataset_id_summarize(dataset.id, summarize_data=True)
fits_dict(models.SummarizeDatasetResponse, records, "summary of the dataset")
fits_class(sdk.DataSummary, records["data_summary"])

project = api.projects.post_project(body={"name": "classes"})
prompt = api.prompts.post_prompt(body={"project_id": project["id"], "name": "p", "slug": "p"})
function = api.functions.post_function(
    body={
        "project_id": project["id"],
        "name": "f",
        "slug": "f",
        "function_data": {"type": "global", "name": "Levenshtein"},
        "function_schema": {"parameters": {}},
    }
)
events = [{"id": "a", "input": 1}]
inserted = api.experiments.post_experiment_id_insert(experiment.id, body={"events": events})
feedback = api.experiments.post_experiment_id_feedback(
    experiment.id, body={"feedback": [{"id": "a", "comment": "fine"}]}
)
assert feedback == {"status": "success"}, feedback
fetched = api.experiments.get_experiment_id_fetch(experiment.id)
for kind, answer, place in (
    (models.Project, project, "project"),
    (models.Prompt, prompt, "prompt"),
    (models.Function, function, "function"),
    (models.InsertEventsResponse, inserted, "insert"),
    (models.FetchExperimentEventsResponse, fetched, "fetch"),
    (models.ExperimentEvent, fetched["events"][0], "event"),
    (models.Experiment, api.experiments.get_experiment_id(experiment.id), "experiment"),
    (models.Dataset, api.datasets.get_dataset_id(dataset.id), "dataset"),
):
    fits_dict(kind, typing.cast(dict, answer), place)
print("all answers fit")
