"""Spans of OpenTelemetry by the SDK's processor, with the attributes that it names."""

import json

from braintrust.otel import BraintrustSpanProcessor
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider

provider = TracerProvider()
trace.set_tracer_provider(provider)
provider.add_span_processor(BraintrustSpanProcessor(parent="project_name:otel-processor"))
tracer = trace.get_tracer("shop")

with tracer.start_as_current_span("checkout") as span:
    span.set_attribute("braintrust.input", json.dumps({"cart": ["book"]}))
    span.set_attribute("braintrust.output_json", json.dumps({"paid": True}))
    span.set_attribute("braintrust.metadata", json.dumps({"tier": "gold"}))
    span.set_attribute("braintrust.scores", json.dumps({"complete": 1}))
    span.set_attribute("braintrust.tags", ["eu"])
    with tracer.start_as_current_span("charge"):
        pass
provider.shutdown()
