"""Opens spans as context managers, one of which raises, and names the tokens of a model's call."""

import braintrust

logger = braintrust.init_logger(project="checkout-agent")

try:
    with logger.start_span(name="checkout", input={"cart": ["book"]}, tags=["eu"]) as span:
        with span.start_span(name="model", type="llm") as model:
            model.log(
                input=[{"role": "user", "content": "Is the cart complete?"}],
                output="yes",
                metadata={"model": "gpt-4o", "temperature": 0},
                metrics={"prompt_tokens": 7, "completion_tokens": 5, "tokens": 12},
            )
        span.log(scores={"complete": True})
        span.set_attributes(name="order", type="task")
        with span.start_span("charge", span_attributes={"attempt": 1}):
            raise ValueError("card declined")
except ValueError:
    pass

logger.log(input="ping", output="pong", metadata={"late": True}, id="ping-1", allow_concurrent_with_spans=True)
logger.flush()
