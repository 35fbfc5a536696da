"""Tests that are rows of an experiment: `pytest --braintrust`."""

import pytest


@pytest.mark.braintrust(project="pytest-greetings", input={"name": "Foo"}, expected="Hi Foo", tags=["smoke"])
def test_passes(braintrust_span):
    braintrust_span.log(output="Hi Foo", scores={"polite": 1})
    assert "Hi Foo".startswith("Hi")


@pytest.mark.braintrust(project="pytest-greetings")
@pytest.mark.parametrize("name", ["Bar", "Baz"])
def test_each(braintrust_span, name):
    braintrust_span.log(output=f"Hi {name}")


@pytest.mark.braintrust(project="pytest-greetings")
def test_fails(braintrust_span):
    assert 1 == 2, "numbers differ"


def test_without_mark():
    pass
