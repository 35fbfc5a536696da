"""Traces concurrent coroutines below one request, and a generator that streams."""

import asyncio

import braintrust
from braintrust import current_span, init_logger, start_span, traced

init_logger(project="async-agent")


@traced
async def search(query):
    await asyncio.sleep(0)
    current_span().log(metrics={"hits": len(query)})
    return [query.upper()]


@traced(type="tool")
async def rank(results):
    return sorted(results)


async def main():
    with start_span(name="agent", type="task", input="a, bb, ccc") as span:
        found = await asyncio.gather(*(search(query) for query in ("a", "bb", "ccc")))
        span.log(output=await rank([hit for hits in found for hit in hits]))


asyncio.run(main())
braintrust.flush()
