"""The task's own answer in another task's form: only in forms that any task may have."""

import random

import pytest

from sandbox.audit.probes.material import Example, Material
from sandbox.audit.probes.oracle import FAMILY

ROAD = {"id": "road", "prompt": "How many metres is it from here to the mill?", "answer": "350"}
WAIT = {"id": "wait", "prompt": "How many seconds does the kettle need?", "answer": "95"}


def said(*right: str) -> set[str]:
    """What is said to the second task, after such right answers to the first."""
    examples = tuple(Example(ROAD, text) for text in right)
    drafts = FAMILY.make(Material({}, (ROAD, WAIT), examples), random.Random(1))
    return {str(one.response) for one in drafts if one.task["id"] == "wait"}


@pytest.mark.parametrize(
    "form",
    ["{}", "#### {}", r"\boxed{{{}}}", r"\boxed{{\text{{{}}}}}", "The answer is {}.", "Final answer: **{}**", "So, the result is {}."],
)  # fmt: skip
def test_a_form_that_any_task_may_have_is_used(form: str) -> None:
    assert said(form.format(350)) == {form.format(95)}


@pytest.mark.parametrize(
    "form",
    [
        "{} metres",
        "{} metres each",
        "The mill is {} metres away.",
        "It costs {}",
        r"{} \text{{ km}}",
        "{} km/h",
        "{} %",
        "${}",
        "{} €",
    ],
)
def test_a_form_that_names_what_the_first_task_asks_for_is_not(form: str) -> None:
    """95 metres are no seconds: a verifier that reads the unit would be blamed for it."""
    assert said(form.format(350)) == set()


def test_another_form_of_the_same_cases_is_taken_then() -> None:
    assert said("350 metres", "350") == {"95"}


def test_a_task_that_states_its_oracle_gets_that() -> None:
    task = WAIT | {"info": {"oracle": "95 seconds"}}
    drafts = FAMILY.make(Material({}, (task,), ()), random.Random(1))
    assert [one.response for one in drafts] == ["95 seconds"]
