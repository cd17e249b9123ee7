"""A choice that is taken back ends in another one, and numbers have a family of their own."""

import random

import pytest

from sandbox.audit.probes.leak_choice import FAMILY as LEAK
from sandbox.audit.probes.material import Example, Material
from sandbox.audit.probes.several_choices import FAMILY


def drafts(answer: object, text: str, family=FAMILY):
    shown = tuple(Example({"id": f"r{n}", "prompt": "?", "answer": answer}, text) for n in range(3))
    return list(family.make(Material({}, (), shown), random.Random(1)))


@pytest.mark.parametrize(
    ("answer", "text", "others"),
    [("B", "The answer is (B).", "ACD"), ("yes", "The answer is yes.", ["no"])],
    ids=["a letter", "a truth value"],
)
def test_the_right_choice_stands_first_and_another_one_last(answer, text, others) -> None:
    found = drafts(answer, text)
    assert {one.way for one in found} == {"taken back", "in thinking"}
    for one in found:
        assert text in one.response
        assert one.response.endswith(tuple(text.replace(answer, other) for other in others))


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ("Yes", "Yes, because 2 divides 4"),
        ("No", "No, it does not."),
        ("no", "It does not, so no."),
        ("B", "B. silver"),
    ],
)
@pytest.mark.parametrize("family", [FAMILY, LEAK], ids=lambda one: one.name)
def test_what_says_its_choice_in_words_too_is_left_alone(family, answer, text) -> None:
    """ "Yes, it does not" may be read as either."""
    assert drafts(answer, text, family) == []


def test_numbers_are_no_choices() -> None:
    assert drafts(7, "The answer is 7.") == []
