"""Adds rows to an experiment that is there, and reads it as a dataset."""

import json

import braintrust

first = braintrust.init(project="nightly", experiment="run")
first.log(input="monday", output=1, expected=1, scores={"good": 1}, id="monday")
first.flush()

again = braintrust.init(project="nightly", experiment="run", update=True)
again.log(input="tuesday", output=2, expected=3, scores={"good": 0}, id="tuesday")
again.log_feedback(id="monday", scores={"human": 0.5}, comment="fine", metadata={"by": "ann"}, source="app")
again.flush()

other = braintrust.init(project="nightly", experiment="run")
other.log(input="wednesday", output=3, scores={"good": 1})
other.flush()

opened = braintrust.init(project="nightly", experiment="run", open=True)
print(
    json.dumps(
        {
            "inputs": sorted(row["input"] for row in opened.fetch()),
            "other": other.name != "run",
            "records": sorted([[row["input"], row["expected"]] for row in opened.as_dataset()]),
        }
    )
)
