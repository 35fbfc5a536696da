"""Every answer validates as the class that the generated client has for it."""

import os

from braintrust_api import Braintrust

client = Braintrust(
    api_key=os.environ["BRAINTRUST_API_KEY"],
    base_url=os.environ["BRAINTRUST_API_URL"],
    _strict_response_validation=True,
)
project = client.projects.create(name="strict")
dataset = client.datasets.create(project_id=project.id, name="records", metadata={"a": 1})
base = client.experiments.create(project_id=project.id, name="base", repo_info={"commit": "c0ffee"})
run = client.experiments.create(
    project_id=project.id, name="run", base_exp_id=base.id, dataset_id=dataset.id, dataset_version="1"
)
span = {
    "input": {"q": 1},
    "output": "a",
    "expected": ["a"],
    "scores": {"exact": 0.5, "none": None},
    "metrics": {"start": 1.5, "end": 2, "tokens": 3, "own": 0.25},
    "metadata": {"model": "m"},
    "context": {"caller_lineno": 1},
    "tags": ["t"],
    "span_attributes": {"name": "root", "type": "eval"},
    "error": {"message": "e"},
}
for experiment in (base, run):
    client.experiments.insert(experiment.id, events=[{"id": "a", **span}, {"id": "b", "_parent_id": "a", **span}])
client.datasets.insert(dataset.id, events=[{"id": "r", "input": 1, "expected": {"a": None}, "tags": ["t"]}])
client.projects.logs.insert(project.id, events=[{"id": "l", **span}])
for logged, feedback in (
    (client.experiments, {"experiment_id": run.id, "feedback": [{"id": "a", "scores": {"human": 1}}]}),
    (client.datasets, {"dataset_id": dataset.id, "feedback": [{"id": "r", "comment": "fine"}]}),
    (client.projects.logs, {"project_id": project.id, "feedback": [{"id": "l", "comment": "fine"}]}),
):
    logged.feedback(**feedback)
for logged, id in ((client.experiments, run.id), (client.datasets, dataset.id), (client.projects.logs, project.id)):
    assert logged.fetch(id).events and logged.fetch_post(id, limit=1).events
assert client.experiments.summarize(run.id, summarize_scores=True).scores["exact"].score == 0.5
assert client.datasets.summarize(dataset.id, summarize_data=True).data_summary.total_records == 1

prompt_data = {
    "prompt": {"type": "chat", "messages": [{"role": "user", "content": "{{input}}"}]},
    "options": {"model": "m", "params": {"temperature": 0}},
}
client.prompts.create(project_id=project.id, name="p", slug="p", prompt_data=prompt_data, tags=["t"])
client.functions.create(
    project_id=project.id, name="f", slug="f", function_data={"type": "global", "name": "Levenshtein"}
)
group = client.groups.create(name="strict")
role = client.roles.create(name="strict", member_permissions=[{"permission": "read"}])
client.acls.create(object_type="project", object_id=project.id, group_id=group.id, role_id=role.id)
assert client.api_keys.create(name="strict").key
client.experiments.update(run.id, description="d", metadata={"a": 1})
client.projects.update(project.id, settings={"comparison_key": "input"})
for kind in (
    client.projects,
    client.experiments,
    client.datasets,
    client.prompts,
    client.functions,
    client.groups,
    client.roles,
    client.users,
    client.organizations,
    client.api_keys,
):
    listed = kind.list(limit=1).objects
    assert kind.retrieve(listed[0].id).id == listed[0].id
assert client.acls.list(object_type="project", object_id=project.id).objects
print("all answers fit")
