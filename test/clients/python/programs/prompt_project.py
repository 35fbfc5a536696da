"""Defines a prompt in code; `braintrust push` sends it."""

import braintrust

project = braintrust.projects.create(name="pushed-prompts")
project.prompts.create(
    name="Greeting",
    slug="greeting",
    description="polite",
    model="gpt-4o",
    messages=[{"role": "user", "content": "Greet {{name}}."}],
    params={"temperature": 0.5},
)
