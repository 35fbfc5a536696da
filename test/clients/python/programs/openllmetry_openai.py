"""OpenAI's client instrumented by OpenLLMetry."""

import openai
from braintrust.otel import BraintrustSpanProcessor
from opentelemetry.instrumentation.openai import OpenAIInstrumentor
from opentelemetry.sdk.trace import TracerProvider

provider = TracerProvider()
provider.add_span_processor(BraintrustSpanProcessor(parent="project_name:openllmetry"))
OpenAIInstrumentor().instrument(tracer_provider=provider)

client = openai.OpenAI()
client.chat.completions.create(model="gpt-4o", temperature=0.5, messages=[{"role": "user", "content": "Capital of France?"}])
client.embeddings.create(model="text-embedding-3-small", input="Paris")
provider.shutdown()
