"""Wraps OpenAI's client: an answer, a stream, a call of a tool, and an error."""

import openai
from braintrust import flush, init_logger, start_span, wrap_openai

init_logger(project="chat-completions")
client = wrap_openai(openai.OpenAI(max_retries=0))
QUESTION = [{"role": "user", "content": "Capital of France?"}]
TOOLS = [{"type": "function", "function": {"name": "weather", "parameters": {"type": "object", "properties": {}}}}]

with start_span(name="plain"):
    client.chat.completions.create(model="gpt-4o", temperature=0.5, messages=QUESTION)
with start_span(name="stream"):
    for _ in client.chat.completions.create(
        model="gpt-4o-mini", messages=QUESTION, stream=True, stream_options={"include_usage": True}
    ):
        pass
with start_span(name="tools"):
    client.chat.completions.create(model="gpt-4o", messages=QUESTION, tools=TOOLS)
with start_span(name="failing"):
    try:
        client.chat.completions.create(model="missing", messages=QUESTION)
    except openai.NotFoundError:
        pass
flush()
