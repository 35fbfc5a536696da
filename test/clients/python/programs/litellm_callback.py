"""Sends what LiteLLM calls to the project that the metadata name."""

import os

os.environ["BRAINTRUST_API_BASE"] = os.environ["BRAINTRUST_API_URL"] + "/v1"

import litellm  # noqa: E402
from litellm.integrations.braintrust_logging import BraintrustLogger  # noqa: E402

callback = BraintrustLogger()
litellm.callbacks = [callback]
litellm.completion(
    model="openai/gpt-4o",
    messages=[{"role": "user", "content": "Capital of France?"}],
    temperature=0.5,
    metadata={"project_name": "litellm-sync", "span_name": "capital", "environment": "test", "tags": ["one"]},
)
# LiteLLM reports in a thread of its own.
litellm.utils.executor.shutdown(wait=True)
