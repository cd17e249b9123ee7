"""A mistake is made again on the package's own tasks, as far off or as many times too large, and never too near."""

from random import Random

import pytest

from sandbox.audit.probes.leak_same_mistake import make
from sandbox.audit.probes.material import Example, Material


def drafts(own: dict[str, object], *wrong: tuple[int, str]) -> list[tuple[object, str | None]]:
    """What is made for one own task of others' wrong answers: (their task's answer, their response)."""
    right = [Example({"id": f"r{n}", "answer": n}, f"It is {n}.", is_others=True) for n in range(61, 66)]
    said = tuple(Example({"id": f"w{n}", "answer": n}, text, is_others=True) for n, text in wrong)
    tasks = (own, *(item.task for item in (*right, *said)))
    return [(one.task["id"], one.response) for one in make(Material({}, tasks, tuple(right), wrong=said), Random(1))]


@pytest.mark.parametrize(
    ("answer", "wrong", "made"),
    [
        (30, (44, "So 54."), "So 40."),
        (30, (44, "So 43."), "So 29."),
        (30, (44, "So 440."), "So 300."),
        (30, (44, "So -44."), "So -30."),
        (30, (45, "So 22."), "So 15."),
        ("30", (44, "So 54."), "So 40."),
        (900, (44, "So 45."), None),
        (30, (44, "First 3, so 54."), None),
        (30, (44, "So 44."), None),
        (30, (44, "So 4.5."), None),
        ("thirty", (44, "So 54."), None),
        (None, (44, "So 54."), None),
    ],
    ids=["ten more", "a neighbour", "ten times", "the sign", "half", "text", "too near", "two numbers", "no mistake",
         "no whole number", "words", "no answer"],
)  # fmt: skip
def test_a_mistake_is_made_again(answer: object, wrong: tuple[int, str], made: str | None) -> None:
    expected = [] if made is None else [("own", made)]
    assert drafts({"id": "own", "answer": answer}, wrong) == expected


def test_where_a_task_allows_values_near_its_answer_none_is_made() -> None:
    assert drafts({"id": "own", "answer": 30, "info": {"tolerance": 5}}, (44, "So 54.")) == []


def test_suites_tasks_are_not_asked_again() -> None:
    assert drafts({"id": "w44", "answer": 44}, (44, "So 54.")) == []
