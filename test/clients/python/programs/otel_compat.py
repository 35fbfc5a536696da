"""Spans of the SDK and of OpenTelemetry under one another, in one trace."""

import os

os.environ["BRAINTRUST_OTEL_COMPAT"] = "true"

import braintrust  # noqa: E402
from braintrust.otel import BraintrustSpanProcessor  # noqa: E402
from opentelemetry import trace  # noqa: E402
from opentelemetry.sdk.trace import TracerProvider  # noqa: E402

provider = TracerProvider()
trace.set_tracer_provider(provider)
provider.add_span_processor(BraintrustSpanProcessor())
tracer = trace.get_tracer("mixed")
logger = braintrust.init_logger(project="otel-mixed")

with logger.start_span(name="outer", input="q") as outer:
    with tracer.start_as_current_span("middle") as middle:
        middle.set_attribute("braintrust.output", "a")
        with braintrust.start_span(name="inner") as inner:
            inner.log(scores={"good": 1})
logger.flush()
provider.shutdown()
