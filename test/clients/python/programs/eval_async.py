"""An asynchronous evaluation in which each case has three trials."""

import asyncio

from braintrust import EvalAsync, Score, current_span, traced


@traced(type="llm")
async def model(question):
    await asyncio.sleep(0)
    current_span().log(metrics={"prompt_tokens": 7, "completion_tokens": 5, "tokens": 12}, metadata={"model": "small"})
    return question * 2


async def double(input, hooks):
    hooks.metadata["asked"] = input
    return await model(input)


async def even(output, **_):
    return Score(name="even", score=1 if output % 2 == 0 else 0, metadata={"reason": f"{output} is even"})


class Close:
    def __call__(self, output, expected, **_):
        return [Score(name="close", score=0.5), Score(name="skipped", score=None)]


async def main():
    result = await EvalAsync(
        "doubling",
        data=[{"input": number, "expected": 2 * number} for number in (1, 2)],
        task=double,
        scores=[even, Close()],
        trial_count=3,
        experiment_name="trials",
    )
    assert len(result.results) == 6
    print(result.summary)


asyncio.run(main())
