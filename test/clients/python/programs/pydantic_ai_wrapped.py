"""The same agent, instrumented by the SDK itself."""

import braintrust

braintrust.init_logger(project="pydantic-wrapped")
braintrust.auto_instrument()

from pydantic_ai import Agent  # noqa: E402

agent = Agent("openai-chat:gpt-4o", name="capitals", instructions="Be brief.")
print(agent.run_sync("Capital of France?").output)
braintrust.flush()
