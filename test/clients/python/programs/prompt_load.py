"""Loads a prompt by its slug, fills it in, calls a model with it, and the span names the prompt."""

import json
import os

import braintrust
import openai
import requests

headers = {"Authorization": f"Bearer {os.environ['BRAINTRUST_API_KEY']}"}
api = os.environ["BRAINTRUST_API_URL"]
project = requests.post(f"{api}/v1/project", headers=headers, json={"name": "prompted"}).json()
requests.post(
    f"{api}/v1/prompt",
    headers=headers,
    json={
        "project_id": project["id"],
        "name": "Capital",
        "slug": "capital",
        "prompt_data": {
            "prompt": {
                "type": "chat",
                "messages": [
                    {"role": "system", "content": "Answer in one word."},
                    {"role": "user", "content": "Capital of {{country.name}}?"},
                ],
            },
            "options": {"model": "gpt-4o", "params": {"temperature": 0}},
        },
    },
).raise_for_status()

braintrust.init_logger(project="prompted")
client = braintrust.wrap_openai(openai.OpenAI())
prompt = braintrust.load_prompt(project="prompted", slug="capital")
built = prompt.build(country={"name": "France"})
print(json.dumps(client.chat.completions.create(**built).choices[0].message.content))
braintrust.flush()
