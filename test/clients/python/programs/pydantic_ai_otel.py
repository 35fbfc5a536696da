"""An agent of Pydantic AI with a tool, instrumented with OpenTelemetry."""

from braintrust.otel import BraintrustSpanProcessor
from opentelemetry.sdk.trace import TracerProvider
from pydantic_ai import Agent, InstrumentationSettings

provider = TracerProvider()
provider.add_span_processor(BraintrustSpanProcessor(parent="project_name:pydantic-otel"))

Agent.instrument_all(InstrumentationSettings(tracer_provider=provider))

agent = Agent("openai-chat:gpt-4o", name="capitals", instructions="Be brief.")


@agent.tool_plain
def lookup(city: str) -> str:
    return f"{city} is a city"


print(agent.run_sync("Capital of France?").output)
provider.shutdown()
