"""A project, an experiment, an event, a fetch, a query and an error, by a client generated from the document."""

import json
import os

from generated import AuthenticatedClient
from generated.api.experiments import (
    create_experiment,
    fetch_experiment_events,
    insert_experiment_events,
)
from generated.api.projects import create_project
from generated.api.queries import run_query
from generated.models import (
    ExperimentCreate,
    ExperimentEventInsert,
    InsertExperimentEventsJsonBody,
    ProjectCreate,
    QueryRequest,
)

client = AuthenticatedClient(
    base_url=os.environ["BRAINTRUST_API_URL"], token=os.environ["BRAINTRUST_API_KEY"]
)
project = create_project.sync(client=client, body=ProjectCreate(name="generated client"))
experiment = create_experiment.sync(
    client=client, body=ExperimentCreate(project_id=project.id, name="generated client")
)

event = ExperimentEventInsert.from_dict(
    {
        "id": "row",
        "input": "question",
        "output": {"answer": 42},
        "scores": {"exact": 0.5},
        "span_attributes": {"name": "call", "type": "llm"},
    }
)
stored = insert_experiment_events.sync(
    experiment.id, client=client, body=InsertExperimentEventsJsonBody(events=[event])
)
print("rows", stored.row_ids)

fetched = fetch_experiment_events.sync(experiment.id, client=client).events[0]
print("fetched", json.dumps(fetched.output), fetched.scores["exact"])

query = f"dimensions: span_attributes.name as name | measures: count(1) as n | from: experiment('{experiment.id}')"
answer = run_query.sync(client=client, body=QueryRequest(query=query))
print("queried", json.dumps([row.to_dict() for row in answer.data]))

refused = run_query.sync_detailed(client=client, body=QueryRequest(query="x"))
print("error", refused.status_code.value, refused.parsed)
