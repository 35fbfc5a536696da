"""An evaluation with scorers of its own and of autoevals."""

from autoevals import Levenshtein
from braintrust import Eval


def exact(input, output, expected):
    return output == expected


result = Eval(
    "greeting-bot",
    data=lambda: [
        {"input": "Foo", "expected": "Hi Foo"},
        {"input": "Bar", "expected": "Hello Bar", "metadata": {"formal": True}, "tags": ["formal"]},
    ],
    task=lambda input: "Hi " + input,
    scores=[exact, Levenshtein],
    experiment_name="greetings",
    metadata={"model": "template"},
    max_concurrency=1,
)
assert result.summary.scores["exact"].score == 0.5, result.summary
