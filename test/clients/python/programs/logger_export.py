"""Hands a span to another process, which goes on below it; adds the outcome to the span afterwards."""

import os
import subprocess
import sys

import braintrust

logger = braintrust.init_logger(project="queue-workers")

if len(sys.argv) > 1:
    with braintrust.start_span(name="worker", parent=os.environ["PARENT_SPAN"]) as span:
        span.log(input="job 7", output="done")
    braintrust.flush()
    sys.exit()

with logger.start_span(name="request", input="enqueue") as span:
    exported = span.export()
    subprocess.run([sys.executable, __file__, "work"], env={**os.environ, "PARENT_SPAN": exported}, check=True)
logger.flush()

braintrust.update_span(exported=exported, output="queued", metadata={"jobs": 1})
braintrust.flush()
