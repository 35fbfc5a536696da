"""Traces work in a pool of threads below the span of the request."""

import braintrust
from braintrust import TracedThreadPoolExecutor, traced

logger = braintrust.init_logger(project="thread-pool")


@traced(name="chunk")
def summarize(number):
    return number * 10


@traced(name="document", notrace_io=True)
def document():
    with TracedThreadPoolExecutor(max_workers=4) as pool:
        sums = list(pool.map(summarize, range(8)))
    braintrust.current_span().log(output=sum(sums))


document()
logger.flush()
