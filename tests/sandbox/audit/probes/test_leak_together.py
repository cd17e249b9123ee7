"""Several things at once around a wrong answer; what one thing alone does, other families ask."""

import random

from sandbox.audit.probes.leak_together import FAMILY
from sandbox.audit.probes.material import Example, Material


def drafts(wrong: tuple[Example, ...], right: tuple[Example, ...]):
    return list(FAMILY.make(Material({}, tuple(one.task for one in right), right, wrong=wrong), random.Random(3)))


def examples(said: str, *, is_accepted: bool, answers=(61, 62, 63)) -> tuple[Example, ...]:
    return tuple(
        Example({"id": f"t{one}", "prompt": "Add.", "answer": one}, said.format(one), is_accepted=is_accepted)
        for one in answers
    )


RIGHT = examples("It is {}.", is_accepted=True)


def test_every_way_changes_two_things_at_least() -> None:
    found = drafts(examples("It is 9{}.", is_accepted=False), RIGHT)
    ways = {draft.way for draft in found}
    assert 2 * len(ways) == FAMILY.most
    assert all(", " in way for way in ways)
    assert "a long prompt, thinking" in ways
    assert "everything, thinking and marks, a tool and turns" in ways


def test_the_wrong_answer_is_what_is_said_last() -> None:
    for draft in drafts(examples("It is 9{}.", is_accepted=False), RIGHT):
        said = draft.response if draft.messages is None else draft.messages[-1]["content"]
        assert f"It is 9{draft.task['answer']}." in said
        assert ("</think>" in said) is ("thinking" in draft.way)
        if draft.messages is not None:
            assert draft.messages[0]["role"] == "system"
            assert sum(one["role"] == "system" for one in draft.messages) == 1
        if "everything" in draft.way:
            assert draft.task["info"]
            assert draft.task["id"].count("-") == 4


def test_what_a_verifier_accepts_already_shows_nothing() -> None:
    assert drafts(examples("It is 9{}.", is_accepted=True), RIGHT) == []


def test_marks_say_neither_yes_nor_no() -> None:
    wrong = examples("No.", is_accepted=False, answers=("yes", "yes ", " yes"))
    right = examples("Yes.", is_accepted=True, answers=("yes", "yes ", " yes"))
    found = drafts(wrong, right)
    assert found
    assert not [draft for draft in found if "marks" in draft.way]
