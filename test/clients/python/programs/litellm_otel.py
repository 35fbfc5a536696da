"""Sends what LiteLLM calls by its own OpenTelemetry callback."""

import os

os.environ["OTEL_EXPORTER"] = "otlp_http"
os.environ["OTEL_ENDPOINT"] = os.environ["BRAINTRUST_API_URL"] + "/otel/v1/traces"
os.environ["OTEL_HEADERS"] = (
    f"Authorization=Bearer {os.environ['BRAINTRUST_API_KEY']},x-bt-parent=project_name:litellm-otel"
)

import litellm  # noqa: E402
from opentelemetry import trace  # noqa: E402

litellm.callbacks = ["otel"]
litellm.completion(model="openai/gpt-4o", temperature=0.5, messages=[{"role": "user", "content": "Capital of France?"}])
# LiteLLM reports in a thread of its own.
litellm.utils.executor.shutdown(wait=True)
trace.get_tracer_provider().force_flush()
