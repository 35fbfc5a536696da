"""Keeps two loggers, of which neither is the current one, and an experiment beside them."""

import os

import braintrust

braintrust.login(app_url=os.environ["BRAINTRUST_APP_URL"], api_key=os.environ["BRAINTRUST_API_KEY"])
production = braintrust.init_logger(project="two-production", set_current=False)
staging = braintrust.init_logger(project="two-staging", set_current=False, async_flush=False)
assert braintrust.current_logger() is None

production.log(input=1, output="production")
staging.log(input=2, output="staging")
with braintrust.start_span(name="nowhere") as span:
    span.log(output="lost on purpose")

experiment = braintrust.init(project="two-production", experiment="current", set_current=True)
assert braintrust.current_experiment() is experiment
braintrust.log(input=3, output="experiment", scores={"good": 1})
production.flush()
braintrust.flush()
