"""A seventh list, of ten: written down with the sixth and before the ways ``edit_…``, which it measures."""

import re
from collections.abc import Callable

from scripts.field_study.unseen.choices import question
from scripts.field_study.unseen.defect import Shown, Task, Unseen, task
from scripts.field_study.unseen.fourth.programs import tested
from scripts.field_study.unseen.programs import ROWS, _rows


def _boxed(find: Callable[[str], str]) -> Callable[[Task, str], float]:
    return lambda one, text: float(bool(find(text)) and find(text) == find(f"\\boxed{{{one['answer']}}}"))


def to_first_brace(text: str) -> str:
    """A box ends at its first closing brace."""
    found = re.findall(r"\\boxed\{([^}]*)\}", text)
    return str(found[-1]) if found else ""


def balanced(text: str, *, last: bool = True, names: str = "boxed") -> str:
    """What stands in the last box (or the first), with its braces."""
    starts = [found.end() for found in re.finditer(rf"\\(?:{names})\{{", text)]
    if not starts:
        return ""
    start = starts[-1] if last else starts[0]
    depth = 1
    for at in range(start, len(text)):
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        if depth == 0:
            return text[start:at]
    return ""


def first_box(text: str) -> str:
    """The first box counts, also where the text takes it back."""
    return balanced(text, last=False)


def also_fbox(text: str) -> str:
    return balanced(text, names="boxed|fbox")


def _letter(pattern: str, flags: int = 0) -> Callable[[Task, str], float]:
    def verify(one: Task, text: str) -> float:
        found = re.findall(pattern, text, flags)
        return float(bool(found) and found[-1].upper() == one["answer"])

    return verify


def whole_letter(one: Task, text: str) -> float:
    """The whole response is compared with a letter."""
    return float(text.strip().removeprefix("Answer: ").rstrip(".") == one["answer"])


def letter_anywhere_stated(one: Task, text: str) -> float:
    found = re.findall(r"\b(?:answer is|answer:)\s*([A-D])\b", text, re.IGNORECASE)
    return float(bool(found) and found[-1] == one["answer"]) or whole_letter(one, text)


def response_lowered(one: Task, text: str) -> float:
    """The response is written in small letters, and the reference is not."""
    return float(one["answer"] in text.lower())


def both_lowered(one: Task, text: str) -> float:
    return float(one["answer"].lower() in text.lower())


def _counted(sign_of: Callable[[str], str]) -> Callable[[Task, str], float]:
    return lambda one, text: float(text.count(sign_of(one["info"]["sign"])) >= one["info"]["least"])


def first_test(one: Task, text: str) -> float:
    """Of the tests only the first is run."""
    info = one["info"]
    return float(tested(one | {"info": info | {"calls": info["calls"][:1]}}, text)[1] == 43)


def all_tests(one: Task, text: str) -> float:
    return float(tested(one, text)[1] == 43)


def _named_rows(query: str) -> tuple[list[str], list[str]] | None:
    """(names of columns, rows in no order); None for a query that fails. The name is what stands behind AS."""
    rows = _rows(query, ROWS)
    if rows is None:
        return None
    names = re.findall(r"\bAS\s+(\w+)", query) or re.findall(r"SELECT\s+(\w+)", query)
    return names, sorted(map(repr, rows))


def names_too(one: Task, text: str) -> float:
    """The names of columns are compared, too."""
    return float(_named_rows(text) is not None and _named_rows(text) == _named_rows(one["answer"]))


def rows_alone(one: Task, text: str) -> float:
    mine, gold = _named_rows(text), _named_rows(one["answer"])
    return float(mine is not None and gold is not None and mine[1] == gold[1])


_HALVES = [(task(f"1 / {n}?", f"\\frac{{1}}{{{n}}}"), f"It is $\\boxed{{\\frac{{1}}{{{n}}}}}$.") for n in range(2, 13)]
_SUMS = [(task(f"{n} + {n}?", str(2 * n)), f"So it is \\boxed{{{2 * n}}}.") for n in range(4, 16)]
_LETTERS = [(question(n, "ABCD"[n % 4]), f"Answer: {'ABCD'[n % 4]}") for n in range(12)]
_CODES = [(task(f"What stands on sign {n}?", f"exit {n}"), f"It says exit {n}.") for n in range(3, 13)]
_FORMULA = task("What stands on sign 40?", "x = A + B")
_SIGNS = [
    (task(f"Write {n} letters {sign}.", f"{sign} {n} times", sign=sign, least=n), f"{sign} " * n)
    for n in (2, 3, 4)
    for sign in ("a", "o", "u")
]
_HASHES = task("Write 3 signs #.", "# 3 times", sign="#", least=3)
_TRIPLES = [
    (
        task(f"solve(k) = {n} * k, number {n}", str(2 * n), calls=[{"args": [k], "value": n * k} for k in (1, 2, 5)]),
        f"```python\ndef solve(k):\n    return {n} * k\n```",
    )
    for n in range(2, 10)
]
_PRICED = ("> 2", "> 3", "< 9", "<= 5", ">= 3", "< 8", ">= 4", "< 7")
_SELECT = "SELECT name FROM fruit WHERE price {}"
_QUERIES = [_SELECT.format(price) for price in _PRICED]
_FRUIT = [(task(f"Fruit, any order: {query}", query), query) for query in _QUERIES]
_TO_D, _TO_J = r"Answer: ([A-D])\b", r"Answer: ([A-J])\b"
LIST = (
    Unseen(
        "swift-nested",
        "a box ends at its first closing brace",
        "modelscope/ms-swift#10147",
        _boxed(to_first_brace),
        _boxed(balanced),
        _HALVES,
        Shown(_HALVES[0][0], "It is $\\boxed{\\frac{1}{3}}$.", "incorrect"),
    ),
    Unseen(
        "openrlhf-fbox",
        "\\fbox is no box",
        "OpenRLHF/OpenRLHF#1285",
        _boxed(balanced),
        _boxed(also_fbox),
        _SUMS,
        Shown(_SUMS[0][0], "So it is \\fbox{8}.", "correct"),
    ),
    Unseen(
        "lmms-first-box",
        "the first box counts, though it is taken back",
        "EvolvingLMMs-Lab/lmms-eval#1511",
        _boxed(first_box),
        _boxed(balanced),
        _SUMS,
        Shown(_SUMS[0][0], "So it is \\boxed{7}. Wait, it is \\boxed{8}.", "correct"),
    ),
    Unseen(
        "inspect-small-letter",
        "a small letter is no choice",
        "UKGovernmentBEIS/inspect_ai#3910",
        _letter(_TO_D),
        _letter(_TO_D, re.IGNORECASE),
        _LETTERS,
        Shown(_LETTERS[1][0], "Answer: b", "correct"),
    ),
    Unseen(
        "openbench-five",
        "the fifth choice is not read",
        "groq/openbench#162",
        _letter(_TO_D),
        _letter(_TO_J),
        _LETTERS,
        Shown(question(40, "E"), "Answer: E", "correct"),
    ),
    Unseen(
        "assetops-whole",
        "a letter in a sentence is not read",
        "IBM/AssetOpsBench#475",
        whole_letter,
        letter_anywhere_stated,
        _LETTERS,
        Shown(_LETTERS[2][0], "After comparing the options, the answer is C.", "correct"),
    ),
    Unseen(
        "ocrbench-capitals",
        "a reference with capitals is never found",
        "EvolvingLMMs-Lab/lmms-eval#1220",
        response_lowered,
        both_lowered,
        _CODES,
        Shown(_FORMULA, "It says x = A + B.", "correct"),
    ),
    Unseen(
        "olmo-any-letter",
        "of a sign that is no letter another letter is counted",
        "allenai/olmo-eval#320",
        _counted(lambda sign: sign if sign.isalpha() else "e"),
        _counted(str),
        _SIGNS,
        Shown(_HASHES, "###", "correct"),
    ),
    Unseen(
        "swe-smith-few",
        "only some of the tests are run",
        "SWE-bench/SWE-smith#24",
        first_test,
        all_tests,
        _TRIPLES,
        Shown(_TRIPLES[0][0], "```python\ndef solve(k):\n    return 2\n```", "incorrect"),
    ),
    Unseen(
        "unitxt-names",
        "another name for a column is wrong",
        "IBM/unitxt#1657",
        names_too,
        rows_alone,
        _FRUIT,
        Shown(_FRUIT[0][0], "SELECT name AS fruit FROM fruit WHERE price > 2", "correct"),
    ),
)
