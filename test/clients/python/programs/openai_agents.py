"""Two agents of OpenAI Agents, one with a tool, traced by the processor."""

import braintrust
from agents import Agent, Runner, function_tool, set_trace_processors
from braintrust.wrappers.openai import BraintrustTracingProcessor

set_trace_processors([BraintrustTracingProcessor(braintrust.init_logger(project="openai-agents"))])


@function_tool
def weather(city: str) -> str:
    """The weather of a city."""
    return f"sunny in {city}"


agent = Agent(name="Forecaster", instructions="Be brief.", tools=[weather], model="gpt-5")
print(Runner.run_sync(agent, "Weather in Paris?").final_output)
braintrust.flush()
