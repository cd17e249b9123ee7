"""One rule for what an answer is, in all packages that read numbers out of text: stated, not hedged, not taken back."""

from collections.abc import Callable
from fractions import Fraction
from importlib import import_module

import pytest

from tests.collection.stated_answers import NOT_STATED, STATED

MODULES = {
    "gsm8k": "lecture_gsm8k",
    "calculator": "lecture_calculator",
    "change-making": "lecture_change_making",
    "math-answer": "lecture_math_answer",
}
GIVEN = {Fraction(number) for number in (20, 22, 50, 8, 6, 7)}
AMOUNTS = {"forty-two": "three quarters", "Forty-two": "Three quarters", "forty-three": "half a dollar",
           "42": "3/4", "41": "1/4", "43": "1/2"}  # fmt: skip
REFUSED = {"gsm8k": 5, "calculator": 16, "change-making": 3, "math-answer": 3}
"""How many of the right answers are refused all the same, mostly sums in words and numbers in words; it may fall."""


@pytest.fixture
def pays(package_of) -> Callable[[str, str], bool | None]:
    """Whether a package takes a text for the answer 42; None where the text is none of its language."""

    def asked(name: str, text: str) -> bool | None:
        package = package_of(name)
        if name == "calculator":
            return import_module("lecture_calculator.reading").final_number(text, GIVEN) == 42
        if name != "change-making":
            return package.verify({"id": "t", "prompt": "", "answer": "42"}, text)["correct"] == 1.0
        for number, amount in AMOUNTS.items():
            text = text.replace(number, amount)
        if any(digit in text for digit in "05678"):
            return None
        return package.verify({"id": "t", "prompt": "", "answer": "3/4"}, text)["correct"] == 1.0

    return asked


@pytest.mark.parametrize("name", MODULES)
def test_an_answer_that_is_not_stated_is_paid_nowhere(pays, name):
    assert [text for text in NOT_STATED if pays(name, text)] == []


@pytest.mark.parametrize("name", MODULES)
def test_right_answers_in_unusual_words_are_paid(pays, name):
    refused = [text for text in STATED if pays(name, text) is False]
    assert len(refused) <= REFUSED[name], refused
    assert len(refused) < 0.1 * len(STATED)


@pytest.mark.parametrize("name", MODULES)
def test_every_package_has_the_same_rule(projects, name):
    one, other = (projects[each].folder / "src" / MODULES[each] / "stated.py" for each in ("gsm8k", name))
    assert one.read_text() == other.read_text()


@pytest.mark.parametrize("name", ["calculator", "change-making"])
def test_number_marks_are_read_by_one_rule(projects, name):
    one, other = (projects[each].folder / "src" / MODULES[each] / "number_marks.py" for each in ("gsm8k", name))
    assert one.read_text() == other.read_text()


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        ("1.234.567", "1234567"), ("1.234,5", "1234.5"), ("1 234,5", "1234.5"), ("1'234'567", "1234567"),
        ("1'234.50", "1234.50"), ("12,34,567", "1234567"), ("3,5", "3.5"), ("1\u202f234", "1234"),
        ("2.5 \\times 10^6", "2.5e6"), ("1,234", "1,234"), ("1.234", "1.234"), ("3, 5", "3, 5"), ("(3,5)", "(3,5)"),
        ("3,5,7", "3,5,7"), ("1.234.5", "1.234.5"), ("1,234.567", "1,234.567"), ("12.05.2024", "12.05.2024"),
        ("2^3*10^2", "2^3*10^2"),
    ],
)  # fmt: skip
def test_only_marks_that_can_mean_one_number_are_read(package_of, written, plain):
    package_of("gsm8k")
    assert import_module("lecture_gsm8k.number_marks").with_plain_marks(written) == plain
