"""Wraps OpenAI's asynchronous client: responses and embeddings."""

import asyncio

import openai
from braintrust import flush, init_logger, traced, wrap_openai

init_logger(project="responses")
client = wrap_openai(openai.AsyncOpenAI())


@traced
async def ask(question):
    response = await client.responses.create(model="gpt-5", instructions="Be brief.", input=question)
    return response.output_text


async def main():
    await ask("Capital of France?")
    await client.embeddings.create(model="text-embedding-3-small", input=["Paris", "London"])


asyncio.run(main())
flush()
