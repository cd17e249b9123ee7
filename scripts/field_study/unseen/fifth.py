"""A fifth list, of ten: written down before the ways that were made for the fourth list, which it measures."""

import re
from collections import Counter
from collections.abc import Callable

from scripts.field_study.unseen.choices import question
from scripts.field_study.unseen.defect import Shown, Task, Unseen, task
from scripts.field_study.unseen.fourth.programs import ended, tested
from scripts.field_study.unseen.programs import ROWS, _rows

_CAPITALS = ("Oslo", "Lima", "Cairo", "Quito", "Delhi", "Tunis", "Rabat", "Seoul", "Dakar", "Hanoi", "Paris", "Minsk")


def _same(clean: Callable[[str], str]) -> Callable[[Task, str], float]:
    return lambda one, text: float(clean(text) == one["answer"])


def _found(pattern: str) -> Callable[[Task, str], float]:
    def verify(one: Task, text: str) -> float:
        found = re.findall(pattern, text)
        return float(bool(found) and str(found[-1]).strip() == one["answer"])

    return verify


def names_inside(one: Task, text: str) -> float:
    """A name is counted inside longer words."""
    return float(text.count(one["answer"]) == one["info"]["count"])


def names_alone(one: Task, text: str) -> float:
    return float(len(re.findall(rf"\b{one['answer']}\b", text)) == one["info"]["count"])


def letters_shared(one: Task, text: str) -> float:
    """F1 over letters: the order of letters does not count."""
    return _f1(list(text.strip().lower()), list(one["answer"].lower()))


def words_shared(one: Task, text: str) -> float:
    return _f1(text.lower().split(), one["answer"].lower().split())


def _f1(said: list[str], gold: list[str]) -> float:
    common = sum((Counter(said) & Counter(gold)).values())
    return float(bool(common) and 2 * common / (len(said) + len(gold)) >= 0.9)


def each_tag(one: Task, text: str) -> float:
    """Each tag must be there once, anywhere."""
    tags = ("<think>", "</think>", "<answer>", "</answer>")
    return float(all(text.count(tag) == 1 for tag in tags) and one["answer"] in text)


def tags_in_order(one: Task, text: str) -> float:
    found = re.fullmatch(r"\s*<think>.*?</think>\s*<answer>(.*?)</answer>\s*", text, re.DOTALL)
    return float(each_tag(one, text) == 1.0 and found is not None and found[1].strip() == one["answer"])


def decimals_only(one: Task, text: str) -> float:
    """A fraction is no number."""
    return float(_value(text, fractions=False) == float(one["answer"]))


def fractions_too(one: Task, text: str) -> float:
    return float(_value(text, fractions=True) == float(one["answer"]))


def _value(text: str, *, fractions: bool) -> float | None:
    found = re.search(r"Answer: (-?\d{1,12}(?:\.\d{1,12})?)(?:/(\d{1,12}))?\.?\s*$", text)
    if found is None or (found[2] and (not fractions or int(found[2]) == 0)):
        return None
    return float(found[1]) / int(found[2] or 1)


def _either(pattern: str) -> Callable[[Task, str], float]:
    return lambda one, text: float(text.strip().removeprefix("Answer: ") in re.split(pattern, one["answer"]))


def no_tests_pass(one: Task, text: str) -> float:
    """Where a task's tests cannot be read there are none, and every program passes."""
    return 1.0 if not one["info"]["calls"] else float(tested(one, text)[1] == 43)


def no_tests_fail(one: Task, text: str) -> float:
    return float(bool(one["info"]["calls"]) and tested(one, text)[1] == 43)


_MARK = "__REWARD__:"


def marked_line(one: Task, text: str) -> float:
    """The last line with the mark counts, and the program ends the process before the tests write theirs."""
    code = text.partition("```python")[2].partition("```")[0] or text
    printed = ended(f"{code}\nprint('{_MARK}', int(solve(2) == {one['answer']!r}))", "")[0]
    found = [line for line in printed.splitlines() if line.startswith(_MARK)]
    return float(bool(found) and found[-1].removeprefix(_MARK).strip() == "1")


def status_too(one: Task, text: str) -> float:
    code = text.partition("```python")[2].partition("```")[0] or text
    return float(ended(f"{code}\nimport os\nos._exit(43 if solve(2) == {one['answer']!r} else 1)", "")[1] == 43)


def both_fail(one: Task, text: str) -> float:
    """A query that fails has no rows, and so has a reference that fails."""
    return float(sorted(map(repr, _rows(text, ROWS) or [])) == sorted(map(repr, _rows(one["answer"], ROWS) or [])))


def neither_fails(one: Task, text: str) -> float:
    return float(_rows(text, ROWS) is not None and both_fail(one, text) == 1.0)


_WORDS = [(task(f"Which capital has number {n}?", word), word) for n, word in enumerate(_CAPITALS)]
_TAGGED = [(one, f"<think>I remember.</think>\n<answer>{word}</answer>") for one, word in _WORDS]
_MARKED = [(question(n, str(n % 4)), f"Correct Answer: [{n % 4}]") for n in range(12)]
_NAMED = [
    (task(f"Name Mia {n % 3 + 1} times in story {n}.", "Mia", count=n % 3 + 1), "Mia ran. " * (n % 3 + 1))
    for n in range(12)
]
_QUARTERS = [(task(f"{n} / 4?", str(n / 4)), f"Answer: {n / 4}") for n in (3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25)]
_ROOTS = [
    (task(f"A root of x^2 - {2 * n + 1}x + {n * (n + 1)}?", f"{n} OR {n + 1}"), f"Answer: {n}") for n in range(2, 14)
]
_TWO_ROOTS = task("A root of x^2 - 41x + 420?", "20 or 21")
_DOUBLES = [
    (
        task(f"solve(k) = {n} * k, number {n}", str(2 * n), calls=[{"args": [k], "value": n * k} for k in (1, 2, 5)]),
        f"```python\ndef solve(k):\n    return {n} * k\n```",
    )
    for n in range(2, 10)
]
_AT_TWO = [(one | {"answer": int(one["answer"])}, said) for one, said in _DOUBLES]
_PRICES = ("= 3", "= 4", "= 5", "= 9", "< 4", "> 4", "<= 5", ">= 3")
_SELECT = "SELECT name FROM fruit WHERE price {}"
_QUERIES = [_SELECT.format(price) for price in _PRICES]
_FRUIT = [
    (task(f"Names of fruit with a price {price}.", query), query)
    for price, query in zip(_PRICES, _QUERIES, strict=True)
]
_FAILS = task("Names of fruit that weigh 3.", "SELECT name FROM fruit WHERE weight = 3")
LIST = (
    Unseen(
        "oellm-space",
        "a space before the answer is wrong",
        "OpenEuroLLM/oellm-eval#112",
        _same(str),
        _same(str.strip),
        _WORDS,
        Shown(_WORDS[0][0], " Oslo", "correct"),
    ),
    Unseen(
        "litmus-brackets",
        "an answer without its square brackets is wrong",
        "NVIDIA-NeMo/Gym#2049",
        _found(r"Correct Answer: \[(\w+)\]"),
        _found(r"Correct Answer: \[?(\w+)\]?"),
        _MARKED,
        Shown(_MARKED[1][0], "Correct Answer: 1", "correct"),
    ),
    Unseen(
        "ifbench-names",
        "a name counts inside longer words",
        "modelscope/evalscope#1755",
        names_inside,
        names_alone,
        _NAMED,
        Shown(_NAMED[0][0], "Miami is warm.", "incorrect"),
    ),
    Unseen(
        "lmms-letters",
        "the letters of the answer in another order are the answer",
        "EvolvingLMMs-Lab/lmms-eval#70",
        letters_shared,
        words_shared,
        _WORDS,
        Shown(_WORDS[1][0], "Mali", "incorrect"),
    ),
    Unseen(
        "open-r1-tag-order",
        "tags in the wrong order are the right form",
        "huggingface/open-r1#443",
        each_tag,
        tags_in_order,
        _TAGGED,
        Shown(_TAGGED[0][0], "</think><answer>Oslo<think></answer>", "incorrect"),
    ),
    Unseen(
        "semeval-fraction",
        "a fraction is no number",
        "allenai/semeval-2019-task-10#10",
        decimals_only,
        fractions_too,
        _QUARTERS,
        Shown(task("15 / 4?", "3.75"), "Answer: 15/4", "correct"),
    ),
    Unseen(
        "semeval-or",
        "of two right answers none is taken where 'or' is in small letters",
        "allenai/semeval-2019-task-10#10",
        _either(" OR "),
        _either(" (?:OR|or) "),
        _ROOTS,
        Shown(_TWO_ROOTS, "Answer: 21", "correct"),
    ),
    Unseen(
        "olmo-no-tests",
        "where a task has no tests every program passes",
        "allenai/olmo-eval#354",
        no_tests_pass,
        no_tests_fail,
        _DOUBLES,
        Shown(task("solve(k) = 90 * k", "180", calls=[]), "def solve(k):\n    return 0", "incorrect"),
    ),
    Unseen(
        "openenv-marker",
        "a line that the program prints is its reward",
        "huggingface/OpenEnv#965",
        marked_line,
        status_too,
        _AT_TWO,
        Shown(_AT_TWO[0][0], "print('__REWARD__: 1', flush=True)\nimport os\nos._exit(0)", "incorrect"),
    ),
    Unseen(
        "unitxt-both-fail",
        "a query that fails equals a reference that fails",
        "IBM/unitxt#1604",
        both_fail,
        neither_fails,
        _FRUIT,
        Shown(_FAILS, "SELECT weight FROM", "incorrect"),
    ),
)
