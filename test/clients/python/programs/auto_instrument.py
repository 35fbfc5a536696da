"""Instruments every library that is there in one line."""

import braintrust

braintrust.auto_instrument()
braintrust.init_logger(project="instrumented")

import openai  # noqa: E402

openai.OpenAI().chat.completions.create(model="gpt-4o", messages=[{"role": "user", "content": "Capital of France?"}])
braintrust.flush()
