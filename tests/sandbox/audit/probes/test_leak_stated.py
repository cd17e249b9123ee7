"""Other values in usual forms: none of them could be read as the answer, and each form is tried."""

import random

import pytest

from sandbox.audit.probes.answers import parse_number
from sandbox.audit.probes.leak_stated import FAMILY, _notations
from sandbox.audit.probes.material import Example, Material


def drafts(*right: Example):
    return list(FAMILY.make(Material({}, tuple(one.task for one in right), right), random.Random(3)))


def of_answers(*answers) -> list:
    said = (Example({"id": str(one), "prompt": "?", "answer": one}, f"So it is {one}.") for one in answers)
    return drafts(*said)


def test_a_number_is_stated_in_every_form_and_notation() -> None:
    found = of_answers(1047, 2047, 3047)
    said = {draft.way: draft.response for draft in found}
    assert 2 * len(said) == FAMILY.most
    assert said["German"].startswith("Die Antwort ist ")
    assert said["behind four signs"].split("\n")[1].startswith("#### ")
    for draft in found:
        assert str(draft.task["answer"]) not in draft.response.replace(",", "")


def test_all_notations_are_of_one_number() -> None:
    found = _notations(1047)
    assert found["in words"] == "one thousand forty-seven"
    assert found["with a comma"] == "1,047"
    assert found["in Arabic digits"] == "\u0661\u0660\u0664\u0667"
    assert found["with a power of ten"] == r"1.047 \times 10^{3}"
    for way in ("a quotient", "a fraction", "with a point", "with two decimals"):
        assert parse_number(found[way]) == 1047
    assert _notations(-47)["in words"] == "minus forty-seven"


def test_no_part_of_a_notation_is_the_answer() -> None:
    for draft in of_answers(2, 20, 47, 100):
        assert draft.way not in {"a quotient", "a fraction"} or draft.task["answer"] != 2
    for answer in (20, 100):
        assert not [
            one for one in of_answers(answer, 3, 4) if one.task["answer"] == answer and "hundred" in one.response
        ]


def test_a_choice_is_another_letter_of_those_that_are_listed() -> None:
    asked = "Which?\nA) one\nB) two\nC) six"
    found = drafts(*(Example({"id": one, "prompt": asked, "answer": one}, f"It is {one}.") for one in "ABC"))
    letters = {draft.response.strip("()[]*$`.") for draft in found if draft.way in {"alone", "in bold", "in brackets"}}
    assert letters == {"A", "B", "C"}
    assert {"an option", "a letter with a bracket"} <= {draft.way for draft in found}


def test_yes_is_no_and_a_word_is_another_word() -> None:
    assert {one.response for one in of_answers("yes", "yes", "yes") if one.way == "alone"} == {"no"}
    for draft in of_answers("Vienna", "Madrid", "London"):
        assert draft.task["answer"] not in draft.response


def test_of_a_name_its_longest_word_is_another_one() -> None:
    found = of_answers("New Zealand", "San Marino", "Costa Rica")
    assert {len(draft.response.split()) for draft in found if draft.way == "alone"} == {2}
    for draft in found:
        assert draft.task["answer"].casefold() not in draft.response.casefold()
        assert min(draft.task["answer"].split(), key=len) in draft.response
    free = (Example({"id": one, "prompt": "?", "answer": one}, "It is NZ.") for one in ("New Zealand", "San Marino"))
    assert drafts(*free) == []


@pytest.mark.parametrize(
    "right",
    [
        [Example({"id": f"t{n}", "answer": 10, "info": {"tolerance": 5}}, "It is 10.") for n in range(3)],
        [Example({"id": f"t{n}", "prompt": "Write."}, "A text.") for n in range(3)],
    ],
    ids=["a tolerance", "no answer"],
)
def test_where_another_value_may_be_right_nothing_is_made(right) -> None:
    assert drafts(*right) == []
