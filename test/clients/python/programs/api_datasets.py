"""Keeps datasets and prompts with the generated asynchronous client."""

import asyncio
import json
import os

import braintrust_api
from braintrust_api import AsyncBraintrust


async def main():
    async with AsyncBraintrust(
        api_key=os.environ["BRAINTRUST_API_KEY"], base_url=os.environ["BRAINTRUST_API_URL"]
    ) as client:
        project = await client.projects.create(name="rest-datasets")
        dataset = await client.datasets.create(project_id=project.id, name="cases", description="two")
        await client.datasets.insert(
            dataset_id=dataset.id,
            events=[{"id": "c1", "input": {"q": 1}, "expected": "one"}, {"id": "c2", "input": {"q": 2}}],
        )
        await client.datasets.insert(
            dataset_id=dataset.id, events=[{"id": "c2", "expected": "two", "metadata": {"late": True}, "_is_merge": True}]
        )
        said = await client.datasets.feedback(dataset_id=dataset.id, feedback=[{"id": "c1", "comment": "check"}])
        assert said.status == "success", said
        summary = await client.datasets.summarize(dataset_id=dataset.id, summarize_data=True)
        assert summary.data_summary.total_records == 2, summary
        prompt = await client.prompts.create(
            project_id=project.id,
            name="Hello",
            slug="hello",
            prompt_data={"prompt": {"type": "completion", "content": "Hello {{name}}"}, "options": {"model": "gpt-4o"}},
        )
        await client.prompts.update(prompt_id=prompt.id, description="greets")
        names = [found.name async for found in client.prompts.list(project_id=project.id)]
        assert names == ["Hello"], names
        try:
            await client.datasets.create(project_id="0", name="nowhere")
        except braintrust_api.BadRequestError as error:
            print(json.dumps([error.status_code]))


asyncio.run(main())
