"""Records an experiment whose rows have spans below them."""

import braintrust

experiment = braintrust.init(project="agent-runs", experiment="steps")
for case in range(3):
    with experiment.start_span(name="case", input=case) as root:
        with root.start_span(name="plan", type="llm") as plan:
            plan.log(output=["look", "answer"], metrics={"prompt_tokens": case, "completion_tokens": 1, "tokens": case + 1})
        with root.start_span(name="look", type="tool") as look:
            look.log(input=case, output=case * 2)
        root.log(output=case * 2, expected=2, scores={"right": case == 1, "unknown": None}, tags=["odd"] if case % 2 else [])
experiment.flush()
