"""Records an experiment with the generated client of the REST interface, and reads it back."""

import json
import os

import braintrust_api
from braintrust_api import Braintrust

client = Braintrust(api_key=os.environ["BRAINTRUST_API_KEY"], base_url=os.environ["BRAINTRUST_API_URL"])
project = client.projects.create(name="rest-experiments")
assert client.projects.create(name="rest-experiments").id == project.id
assert [found.id for found in client.projects.list(project_name="rest-experiments")] == [project.id]

experiment = client.experiments.create(project_id=project.id, name="one", metadata={"model": "small"})
inserted = client.experiments.insert(
    experiment_id=experiment.id,
    events=[
        {"id": f"e{number}", "input": number, "output": number, "scores": {"good": number / 4}, "tags": ["rest"]}
        for number in range(5)
    ],
)
assert sorted(inserted.row_ids) == ["e0", "e1", "e2", "e3", "e4"], inserted
said = client.experiments.feedback(
    experiment_id=experiment.id, feedback=[{"id": "e4", "scores": {"human": 0}, "comment": "no", "source": "external"}]
)
assert said.status == "success", said
page = client.experiments.fetch(experiment_id=experiment.id, limit=2)
assert len(page.events) == 2 and page.cursor, page
rest = client.experiments.fetch_post(experiment_id=experiment.id, limit=10, cursor=page.cursor)
assert len(rest.events) == 3, rest
summary = client.experiments.summarize(experiment_id=experiment.id, summarize_scores=True)
assert summary.scores["good"].score == 0.5, summary
client.experiments.update(experiment_id=experiment.id, description="described")
second = client.experiments.create(project_id=project.id, name="two")
client.experiments.delete(experiment_id=second.id)
try:
    client.experiments.retrieve(experiment_id=second.id)
except braintrust_api.PermissionDeniedError as error:
    print(json.dumps([error.status_code]))
