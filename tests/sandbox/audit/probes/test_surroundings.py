"""Wrong answers in other surroundings: only what was rejected, and nothing that holds the right answer."""

import random

import pytest

from sandbox.audit.probes.family import Draft
from sandbox.audit.probes.material import Example, Material
from sandbox.audit.probes.surroundings import FAMILIES
from sandbox.guest.call import _both_views

TASK = {"id": "t", "prompt": "2 + 3?", "answer": 5}
BY_NAME = {family.name: family for family in FAMILIES}


def drafts(name: str, *wrong: Example, right: str = "So it is {}.") -> list[Draft]:
    shown = tuple(Example({"id": f"r{n}", "prompt": "?", "answer": n}, right.format(n)) for n in (11, 12, 13))
    material = Material({}, (TASK,), shown, wrong=wrong)
    return [draft for seed in range(9) for draft in BY_NAME[name].make(material, random.Random(seed))]


def rejected(text: str, task: dict[str, object] = TASK) -> Example:
    return Example(task, text, is_accepted=False)


@pytest.mark.parametrize("name", sorted(BY_NAME))
def test_the_wrong_answer_is_what_is_said_last_and_the_right_one_nowhere(name: str) -> None:
    found = drafts(name, rejected("It is 7."))
    assert len({draft.way for draft in found}) > 1, "in several surroundings"
    for draft in found:
        response, messages = _both_views({"task": TASK, "response": draft.response, "messages": draft.messages})
        assert "it is 7" in response.casefold()
        assert "it is 7" in messages[-1]["content"].casefold()
        assert "5" not in str(messages).replace("2 + 3?", "")


@pytest.mark.parametrize("name", sorted(BY_NAME))
@pytest.mark.parametrize(
    "wrong",
    [
        Example(TASK, "It is 7."),
        rejected("It is 5, no: 7."),
        rejected(""),
        Example(TASK, "It is 7.", files={"a": "b"}, is_accepted=False),
        Example(TASK, None, state={"a": 1}, is_accepted=False),
    ],
    ids=["accepted anyway", "names the answer", "says nothing", "files", "a state"],
)
def test_what_is_not_certain_is_left_out(name: str, wrong: Example) -> None:
    assert drafts(name, wrong) == []


@pytest.mark.parametrize("name", sorted(BY_NAME))
def test_where_the_answer_does_not_decide_length_or_setting_might(name: str) -> None:
    """Fifty words, three paragraphs, no code block: what is added could fulfil what was asked."""
    assert drafts(name, rejected("It is 7."), right="I follow instructions.") == []


def test_a_conversation_is_not_put_into_another_one() -> None:
    spoken = [{"role": "user", "content": "2 + 3?"}, {"role": "assistant", "content": "It is 7."}]
    assert drafts("leak_last_turn", Example(TASK, None, messages=spoken, is_accepted=False)) == []


def test_capitals_are_written_only_where_numbers_are_compared_and_no_question_that_holds_the_answer_is_repeated() -> (
    None
):
    """ "a pear" in capitals names choice A."""
    choice = {"id": "c", "prompt": "A pear (A) or a plum (B)?", "answer": "A"}
    ways = {draft.way for draft in drafts("leak_setting", rejected("It is a plum: B", choice))}
    assert not ways & {"capitals", "the question again", "nothing behind it"}
    said = {draft.way: draft.response for draft in drafts("leak_setting", rejected("It is 7."))}
    assert (said["capitals"], said["nothing behind it"], said["the question again"]) == (
        "IT IS 7.", "It is 7", "2 + 3?\n\nIt is 7.",
    )  # fmt: skip
