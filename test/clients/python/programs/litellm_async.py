"""The same with asynchronous calls, one of which fails."""

import asyncio
import os

os.environ["BRAINTRUST_API_BASE"] = os.environ["BRAINTRUST_API_URL"] + "/v1"

import litellm  # noqa: E402

litellm.callbacks = ["braintrust"]


async def main():
    for model in ("openai/gpt-4o", "openai/missing"):
        try:
            await litellm.acompletion(
                model=model,
                messages=[{"role": "user", "content": "Capital of France?"}],
                metadata={"project_name": "litellm-async"},
                max_retries=0,
            )
        except litellm.NotFoundError:
            pass
    from litellm.litellm_core_utils.logging_worker import GLOBAL_LOGGING_WORKER

    await GLOBAL_LOGGING_WORKER.flush()
    pending = asyncio.all_tasks() - {asyncio.current_task()}
    await asyncio.wait(pending, timeout=5)


asyncio.run(main())
