"""Reported defects of verifiers of numbers and equations."""

import re
from fractions import Fraction

from scripts.field_study.unseen.defect import Shown, Task, Unseen, task


def _answer(text: str) -> str:
    found = re.findall(r"(?i)answer(?: is)?:? *(.+?)\.?\s*$", text.strip())
    return str(found[-1]).strip() if found else text.strip()


def _number(text: str) -> float | None:
    try:
        return float(text.replace(",", "").strip("$ "))
    except ValueError:
        return None


def right_side(one: Task, text: str) -> float:
    """Of an equation only what stands behind the last sign of equality is compared."""
    return float(_answer(text).rpartition("=")[2].strip() == one["answer"].rpartition("=")[2].strip())


def whole_equation(one: Task, text: str) -> float:
    said, gold = (re.sub(r"\s+", "", each) for each in (_answer(text), one["answer"]))
    return float(said == gold)


def reversed_order(one: Task, text: str) -> float:
    """``verify(response, reference)``: the name before "=" is dropped from what it takes for the response."""
    gold, said = _answer(text), one["answer"]
    return float(_bare(gold) == _dropped(said))


def right_order(one: Task, text: str) -> float:
    return float(_bare(one["answer"]) == _dropped(_answer(text)))


def _bare(text: str) -> str:
    return text.strip("$ ")


def _dropped(text: str) -> str:
    return re.sub(r"^[a-z] *= *", "", _bare(text))


def strictly_closer(one: Task, text: str) -> float:
    """The difference must be smaller than a share of the reference: 0 is not smaller than 0."""
    value, gold = _number(_answer(text)), float(one["answer"])
    return float(value is not None and (abs(value - gold) < 1e-6 * abs(gold)))


def at_most(one: Task, text: str) -> float:
    value, gold = _number(_answer(text)), float(one["answer"])
    return float(value is not None and (abs(value - gold) <= 1e-6 * abs(gold)))


def one_percent(one: Task, text: str) -> float:
    """Whole numbers may be wrong by a hundredth."""
    value, gold = _number(_answer(text)), float(one["answer"])
    return float(value is not None and abs(value - gold) <= max(0.01, 0.01 * abs(gold)))


def exact(one: Task, text: str) -> float:
    value = _number(_answer(text))
    return float(value is not None and value == float(one["answer"]))


def text_welded(one: Task, text: str) -> float:
    """``\\text{13}`` is a word."""
    return float(_fraction(_answer(text)) == Fraction(one["answer"]))


def text_opened(one: Task, text: str) -> float:
    return float(_fraction(re.sub(r"\\text\{([^{}]*)\}", r"\1", _answer(text))) == Fraction(one["answer"]))


def _fraction(text: str) -> Fraction | None:
    try:
        found = re.fullmatch(r"[-+]?\d{1,30}(?:[./]\d{1,30})?", text.strip("$ "))
        return Fraction(found[0]) if found else None
    except (ValueError, ZeroDivisionError):
        return None


_LINES = [
    (
        task(f"Which line has number {n}?", f"{n % 5 + 2}x + {n % 7 + 1}y - {n + 3} = 0"),
        f"The answer is {n % 5 + 2}x + {n % 7 + 1}y - {n + 3} = 0",
    )
    for n in range(12)
]
_SUMS = [(task(f"{n} + {n * 7 + 5}?", str(n * 8 + 5)), f"Answer: {n * 8 + 5}") for n in range(3, 15)]
_DIFFERENCES = [
    (task(f"{n * 3} - {9 * (n % 4 + 1)}?", str(n * 3 - 9 * (n % 4 + 1))), f"Answer: {n * 3 - 9 * (n % 4 + 1)}")
    for n in (4, 5, 6, 7, 8, 9, 10, 11, 13, 14, 15, 16)
]
_LARGE = [(task(f"{n} * {n + 40}?", str(n * (n + 40))), f"Answer: {n * (n + 40)}") for n in range(31, 43)]
LIST = (
    Unseen(
        "math-verify-equation",
        "any equation with 0 on its right side is the equation",
        "huggingface/Math-Verify#60",
        right_side,
        whole_equation,
        _LINES,
        Shown(_LINES[0][0], "The answer is 9x - 4y + 14 = 0", "incorrect"),
    ),
    Unseen(
        "sieval-reversed",
        "reference and response are handed over in the wrong order",
        "scitix/sieval#18",
        reversed_order,
        right_order,
        _SUMS,
        Shown(task("2 + 3?", "5"), "Answer: x = 5", "correct"),
    ),
    Unseen(
        "moodle-nought",
        "0 is not within any share of 0",
        "moodleou/moodle-qtype_pmatch#26",
        strictly_closer,
        at_most,
        _DIFFERENCES,
        Shown(task("7 - 7?", "0"), "Answer: 0", "correct"),
    ),
    Unseen(
        "telemath-percent",
        "a whole number that is one in a hundred off is right",
        "gsma-labs/evals#29",
        one_percent,
        exact,
        _LARGE,
        Shown(_LARGE[0][0], "Answer: 2210", "incorrect"),
    ),
    Unseen(
        "math-verify-text",
        "a number in \\text is a word",
        "huggingface/Math-Verify#37",
        text_welded,
        text_opened,
        _SUMS,
        Shown(task("6 + 7?", "13"), "Answer: $\\text{13}$", "correct"),
    ),
)
