"""The exporter of OpenTelemetry alone: protobuf, an address and headers, attributes of generative AI, an exception."""

import json
import os

from opentelemetry.exporter.otlp.proto.http import Compression
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import SpanKind

exporter = OTLPSpanExporter(
    endpoint=os.environ["BRAINTRUST_API_URL"] + "/otel/v1/traces",
    headers={
        "Authorization": f"Bearer {os.environ['BRAINTRUST_API_KEY']}",
        "x-bt-parent": "project_name:otel-exporter",
    },
    compression=Compression.Gzip,
)
provider = TracerProvider(resource=Resource.create({"service.name": "answers"}))
provider.add_span_processor(BatchSpanProcessor(exporter))
tracer = provider.get_tracer("answers", "1.0")

try:
    with tracer.start_as_current_span("handle", kind=SpanKind.SERVER) as root:
        root.set_attribute("input.value", "Capital of France?")
        with tracer.start_as_current_span("chat gpt-4o", kind=SpanKind.CLIENT) as span:
            span.set_attributes(
                {
                    "gen_ai.operation.name": "chat",
                    "gen_ai.provider.name": "openai",
                    "gen_ai.request.model": "gpt-4o",
                    "gen_ai.usage.input_tokens": 7,
                    "gen_ai.usage.output_tokens": 5,
                    "gen_ai.input.messages": json.dumps(
                        [{"role": "user", "parts": [{"type": "text", "content": "Capital of France?"}]}]
                    ),
                    "gen_ai.output.messages": json.dumps(
                        [{"role": "assistant", "parts": [{"type": "text", "content": "Paris"}], "finish_reason": "stop"}]
                    ),
                }
            )
        raise RuntimeError("no more paper")
except RuntimeError:
    pass
provider.shutdown()
