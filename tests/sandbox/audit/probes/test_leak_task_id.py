"""A wrong answer under other ids: the same task and the same answer, and only where both are there."""

import random

import pytest

from sandbox.audit.probes.leak_task_id import FAMILY
from sandbox.audit.probes.material import Example, Material

TASK = {"id": "t", "prompt": "2 + 3?", "answer": 5}


def drafts(*wrong: Example):
    return list(FAMILY.make(Material({}, (TASK,), (), wrong=wrong), random.Random(1)))


@pytest.mark.parametrize(
    "shown",
    [{"response": "It is 7."}, {"messages": [{"role": "assistant", "content": "7"}]}, {"state": {"a": 1}}],
    ids=["a response", "messages", "a state"],
)
def test_only_the_id_is_another_one(shown) -> None:
    found = drafts(Example(TASK, is_accepted=False, **shown))
    assert len({one.task["id"] for one in found} - {"t"}) == len(found) == len({one.way for one in found}) == 14
    for one in found:
        assert one.task | {"id": "t"} == TASK
        assert {name: getattr(one, name) for name in shown} == shown


def test_some_ids_have_no_digit_some_are_long_and_some_are_of_another_script() -> None:
    ids = {one.way: one.task["id"] for one in drafts(Example(TASK, "It is 7.", is_accepted=False))}
    assert not any(
        letter.isdigit() for way in ("words", "capitals", "a path", "words with spaces") for letter in ids[way]
    )
    assert ids["capitals"].isupper()
    assert 40 < len(ids["a path"]) < 200
    assert " " in ids["words with spaces"]
    assert not ids["another script"].isascii()


def test_what_is_accepted_and_what_could_be_looked_up_by_its_id_are_left_out() -> None:
    assert drafts(Example(TASK, "7")) == []
    assert drafts(Example({"id": "t", "prompt": "?"}, "7", is_accepted=False)) == []
