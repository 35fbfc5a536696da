"""Writes production traces with the generated client: children name their parent."""

import os

from braintrust_api import Braintrust

client = Braintrust(api_key=os.environ["BRAINTRUST_API_KEY"], base_url=os.environ["BRAINTRUST_API_URL"])
project = client.projects.create(name="rest-logs")
client.projects.logs.insert(
    project_id=project.id,
    events=[
        {"id": "root", "input": "q", "output": "a", "span_attributes": {"name": "request", "type": "task"}},
        {
            "id": "child",
            "_parent_id": "root",
            "metrics": {"tokens": 12, "start": 1795333730.5, "end": 1795333731},
            "metadata": {"model": "gpt-4o"},
            "span_attributes": {"name": "model", "type": "llm"},
        },
    ],
)
client.projects.logs.feedback(project_id=project.id, feedback=[{"id": "root", "scores": {"human": 1}, "tags": ["seen"]}])
events = client.projects.logs.fetch(project_id=project.id, limit=10).events
assert [event.id for event in events if event.span_parents] == ["child"], events
