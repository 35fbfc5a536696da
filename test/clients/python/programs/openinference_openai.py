"""OpenAI's client instrumented by OpenInference."""

import openai
from braintrust.otel import BraintrustSpanProcessor
from openinference.instrumentation import using_attributes
from openinference.instrumentation.openai import OpenAIInstrumentor
from opentelemetry.sdk.trace import TracerProvider

provider = TracerProvider()
provider.add_span_processor(BraintrustSpanProcessor(parent="project_name:openinference"))
OpenAIInstrumentor().instrument(tracer_provider=provider)
TOOLS = [{"type": "function", "function": {"name": "weather", "parameters": {"type": "object", "properties": {}}}}]

client = openai.OpenAI()
with using_attributes(session_id="s1", user_id="u1", metadata={"plan": "free"}, tags=["demo"]):
    client.chat.completions.create(
        model="gpt-4o", temperature=0.5, messages=[{"role": "user", "content": "Capital of France?"}]
    )
client.chat.completions.create(model="gpt-4o", tools=TOOLS, messages=[{"role": "user", "content": "Weather?"}])
provider.shutdown()
