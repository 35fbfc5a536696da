"""Traces a request with nested functions, and gives feedback on it afterwards."""

from braintrust import current_span, init_logger, traced

logger = init_logger(project="support-bot")


@traced
def retrieve(question):
    return ["reset.md"]


@traced(type="llm", name="model")
def answer(question, documents):
    current_span().log(metadata={"model": "small"}, metrics={"tokens": 12})
    return "Click on Forgot password."


@traced
def handle(question):
    current_span().log(tags=["web"])
    result = answer(question, documents=retrieve(question))
    return result, current_span().id


_, span_id = handle("How do I reset my password?")
logger.flush()
logger.log_feedback(id=span_id, scores={"helpful": 1}, expected="Use the form.", comment="fine", source="external")
logger.flush()
