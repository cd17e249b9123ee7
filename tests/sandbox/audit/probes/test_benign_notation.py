"""A value in another notation: only in one that a labelled case shows."""

import random

import pytest

from sandbox.audit.probes.benign_notation import FAMILY
from sandbox.audit.probes.material import Example, Material
from schemas.manifest import RewardDeclaration


def written(*pairs: tuple[str, str]) -> set[str]:
    """What the family writes for right responses (reference, response) over many draws."""
    tasks = [{"id": f"t{number}", "prompt": "?", "answer": answer} for number, (answer, _) in enumerate(pairs)]
    examples = [Example(task, response=said) for task, (_, said) in zip(tasks, pairs, strict=True)]
    material = Material({"correct": RewardDeclaration()}, tuple(tasks), tuple(examples))
    return {str(draft.response) for seed in range(20) for draft in FAMILY.make(material, random.Random(seed))}


DOLLARS = [("24.25", "24.25"), ("3.50", "3.50")]


def test_grouped_thousands_do_not_show_that_a_quotient_may_stand_for_dollars() -> None:
    """Readers of one number were blamed for not reading 97/4 as 24.25, on the strength of a case with 1,234."""
    assert not [text for text in written(*DOLLARS, ("1234", "1,234")) if "/" in text]


def test_a_quotient_in_the_working_does_not_show_that_one_may_be_the_answer() -> None:
    assert written(*DOLLARS, ("0.75", "3/4 of a dollar are 0.75")) == set()


@pytest.mark.parametrize(
    ("shown", "form"),
    [
        (("0.75", "3/4"), "97/4"),
        (("3/4", "0.75"), "97/4"),
        (("\\frac{3}{4}", "0.75"), "97/4"),
        (("0.75", "0.750"), "3.5"),
        (("1234", "1,234"), "1234"),
        (("29", "29.00"), "29.0"),
    ],
)
def test_a_notation_that_a_case_shows_is_written(shown: tuple[str, str], form: str) -> None:
    assert form in written(*DOLLARS, shown)


@pytest.mark.parametrize("said", ["$24.25", "It is €24.25.", "24.25€", "24.25 $", "£24.25"])
def test_no_quotient_is_written_beside_a_sign_of_money(said: str) -> None:
    """ "$97/4" may be dollars, or LaTeX that was never closed."""
    assert not [
        text
        for text in written(("24.25", said), ("3.50", said.replace("24.25", "3.50")), ("0.75", "3/4"))
        if "/4" in text and text != "3/4"
    ]


def test_between_two_dollar_signs_a_quotient_is_written() -> None:
    assert "$97/4$" in written(("24.25", "$24.25$"), ("3.50", "$3.50$"), ("0.75", "3/4"))


def test_without_another_notation_nothing_is_written() -> None:
    assert written(*DOLLARS, ("1234", "1234")) == set()
