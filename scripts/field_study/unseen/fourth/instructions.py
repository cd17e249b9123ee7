"""Reported defects of verifiers of instructions."""

import json
import re
from collections.abc import Callable

from scripts.field_study.unseen.defect import Shown, Task, Unseen, task

Count = Callable[[str], int]


def _related(count: int, relation: str, wanted: int) -> bool:
    return {"at least": count >= wanted, "less than": count < wanted}[relation]


def _words(text: str) -> int:
    return len(text.split())


def relation_unknown(one: Task, text: str) -> float:
    """Of "less than" nothing is known, so it holds."""
    known = {"at least": _words(text) >= one["answer"]["words"]}
    return float(bool(text.strip()) and known.get(one["answer"]["relation"], True))


def relation_known(one: Task, text: str) -> float:
    return float(bool(text.strip()) and _related(_words(text), one["answer"]["relation"], one["answer"]["words"]))


def _at_least(count: Count) -> Callable[[Task, str], float]:
    return lambda one, text: float(count(text) >= one["answer"])


def _exactly(count: Count) -> Callable[[Task, str], float]:
    return lambda one, text: float(count(text) == one["answer"])


def _sentences(text: str) -> int:
    return len(re.findall(r"[.!?]+(?:\s|$)", text))


def _sentences_quoted(text: str) -> int:
    return len(re.findall(r"[.!?]+[\"'”’)]*(?:\s|$)", text))


def json_bare(one: Task, text: str) -> float:
    """A fence around JSON makes it none."""
    return float(_parses(text.strip()) and one["answer"] in text)


def json_fenced(one: Task, text: str) -> float:
    inner = re.fullmatch(r"```(?:json)?\n(.*?)\n?```", text.strip(), re.DOTALL)
    return float(_parses(inner[1] if inner else text.strip()) and one["answer"] in text)


def _parses(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


_LESS = [
    (
        task(f"Describe thing {n} in less than {n + 6} words.", {"relation": "less than", "words": n + 6}),
        "It is small and of iron.",
    )
    for n in range(3, 15)
]
_ONE = [(task(f"Describe thing {n} in exactly one sentence.", 1), f"Thing {n} is made of iron.") for n in range(12)]
_HOLES = [
    (
        task(f"Write letter {n} with at least {n % 3 + 1} placeholders in square brackets.", n % 3 + 1),
        "Dear [name], the street is [street] and the town is [town].",
    )
    for n in range(12)
]
_JSON = [
    (task(f"Give the colour of thing {n} as JSON.", f'"red {n}"'), json.dumps({"colour": f"red {n}"}))
    for n in range(12)
]
_POINTS = [
    (
        task(f"List exactly {n % 3 + 2} bullet points about thing {n}.", n % 3 + 2),
        "\n".join(f"* point {at} of {n}" for at in range(n % 3 + 2)),
    )
    for n in range(12)
]
LIST = (
    Unseen(
        "ifeval-less-than",
        "the relation 'less than' is met by everything",
        "thinking-machines-lab/tinker-cookbook#891",
        relation_unknown,
        relation_known,
        _LESS,
        Shown(_LESS[0][0], "It is " + "very " * 20 + "small.", "incorrect"),
    ),
    Unseen(
        "prism-sentence",
        "a sentence that ends inside quotation marks is not counted",
        "dcostenco/prism-coder#208",
        _exactly(_sentences),
        _exactly(_sentences_quoted),
        _ONE,
        Shown(_ONE[0][0], 'He said "It is of iron." She said it is large.', "incorrect"),
    ),
    Unseen(
        "mobile-placeholders",
        "a placeholder of two words is none",
        "mlcommons/mobile_app_open#1093",
        _at_least(lambda text: len(re.findall(r"\[\w+\]", text))),
        _at_least(lambda text: len(re.findall(r"\[[^\[\]]+\]", text))),
        _HOLES,
        Shown(_HOLES[0][0], "Dear [first name], hello.", "correct"),
    ),
    Unseen(
        "mobile-json-ticks",
        "JSON in a fence is none",
        "mlcommons/mobile_app_open#1093",
        json_bare,
        json_fenced,
        _JSON,
        Shown(_JSON[0][0], '```json\n{"colour": "red 0"}\n```', "correct"),
    ),
    Unseen(
        "mobile-bullets",
        "a dash is no bullet point",
        "mlcommons/mobile_app_open#1093",
        _exactly(lambda text: len(re.findall(r"(?m)^\s*\* ", text))),
        _exactly(lambda text: len(re.findall(r"(?m)^\s*[*-] ", text))),
        _POINTS,
        Shown(_POINTS[0][0], "- first\n- second", "correct"),
    ),
)
