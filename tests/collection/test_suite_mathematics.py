"""The labels of suites/mathematics: where a reference is a rounded number, it is the right answer's value, rounded."""

import math
import re

import pytest

from schemas.evidence.cases import Label
from tests.collection.conftest import PROJECTS

SUITE = PROJECTS["suite-mathematics"].cases
CASES = [case for case in SUITE if "hardverify-math" in case.tags]
MADE = [case for case in SUITE if case.source == "made by rule"]
ROUNDED = re.compile(r"\$?(\d+)\.(\d+)(\\?%)?")
_FORMS = (
    (r"\\text\{[^}]*\}", ""),
    (r"(\d+)\s*\\d?frac\{(\d+)\}\{(\d+)\}", r"(\1 + \2/\3)"),
    (r"\\d?frac\{([^{}]+)\}\{([^{}]+)\}", r"((\1)/(\2))"),
    (r"(\d+)\\sqrt\{(\d+)\}", r"\1*sqrt(\2)"),
    (r"\\sqrt\{(\d+)\}", r"sqrt(\1)"),
    (r"\\pi\^2", "pi**2"),
    (r"\\pi", "pi"),
    (r"\\?%", "/100"),
)


def value(text: str) -> float:
    """A number in the notations that answers to rounded references have here."""
    for pattern, plain in _FORMS:
        text = re.sub(pattern, plain, text)
    return float(eval(text, {"__builtins__": {}}, {"sqrt": math.sqrt, "pi": math.pi}))


@pytest.mark.parametrize("case", [case for case in CASES if ROUNDED.fullmatch(case.task["answer"])], ids=lambda c: c.id)
def test_a_right_answer_is_the_rounded_reference_to_its_last_place(case) -> None:
    """6.0156 was labelled right for 6.018, 784 for 785.12: no verifier can know how far such a reference is off."""
    found = ROUNDED.fullmatch(case.task["answer"])
    scale, places = (100 if found[3] else 1), len(found[2])
    reference = f"{found[1]}.{found[2]}"
    assert (f"{value(case.response) * scale:.{places}f}" == reference) == (case.label is Label.CORRECT)


def test_no_answer_has_both_labels_in_other_words() -> None:
    """Found by reading all of them: a wrong answer said what the right one says."""
    ids = {case.id for case in CASES}
    assert not ids & {"hardverify-76-incorrect", "hardverify-154-incorrect", "hardverify-122-correct"}
    assert len(ids) == 210


def test_no_row_blames_a_comparer_of_formulas_for_words_or_for_a_rounded_reference() -> None:
    """A third reader found that these blame verifiers wrongly: 542/3 for 180.67, ``for some integer t``, HTML."""
    tasks = {case.task["id"] for case in CASES}
    assert not tasks & {f"hardverify-{number}" for number in (135, 140, 150, 156, 201, 237, 174, 215, 217)}
    texts = [f"{case.task['answer']} {case.response}" for case in CASES]
    assert not [text for text in texts if re.search(r"<su[bp]>|congruent|integer|Maximum|token", text)]


def test_no_made_question_asks_for_a_form_because_any_form_of_the_value_is_right() -> None:
    """``(x - 3)(x - 8)`` was labelled right for "Expand (x - 3)(x - 8).", and the whole root for "Simplify"."""
    orders = re.compile(r"\b(expand|simplify|factor|reduce|evaluate|calculate|compute|lowest)\b", re.IGNORECASE)
    assert {case.task["prompt"] for case in MADE if orders.search(case.task["prompt"])} == set()


def test_no_right_answer_is_the_question_again() -> None:
    """97 times ten to the power 4 was asked, and 97 times ten to the power 4 was right."""
    for case in MADE:
        said = re.sub(r".*\\boxed\{(.*)\}.*", r"\1", case.response.replace("\n", " "))
        words = re.sub(r"\\cdot|\\times", "times", said).replace("10^", "ten to the power ")
        plain = [re.sub(r"[{}\\$.\s]", "", text) for text in (said, words)]
        question = re.sub(r"[{}\\$.\s]", "", case.task["prompt"])
        assert case.label is Label.INCORRECT or not any(len(text) > 4 and text in question for text in plain), case.id
