"""A choice that is taken back ends in another one, and numbers have a family of their own."""

import random

import pytest

from sandbox.audit.probes.material import Example, Material
from sandbox.audit.probes.several_choices import FAMILY


def drafts(answer: object, text: str):
    shown = tuple(Example({"id": f"r{n}", "prompt": "?", "answer": answer}, text) for n in range(3))
    return list(FAMILY.make(Material({}, (), shown), random.Random(1)))


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


def test_numbers_are_no_choices() -> None:
    assert drafts(7, "The answer is 7.") == []
