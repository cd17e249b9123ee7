"""The labelled cases of each family: the collection's suites, and what is made by rule."""

import json
from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any

from schemas.evidence.cases import AuditCase, Origin
from scripts.field_study import made_calls, made_format, made_gym, made_json, made_text

COLLECTION = Path(__file__).parents[2] / "collection"
HARD = "uw-nsl/TinyV, benchmarks/HardVerify-Math"
MATH_VERIFY = "huggingface/Math-Verify, tests"
"""Chosen by the authors of a verifier that many others call: asked of nobody."""
EXCLUDED = "interval: inequality"
"""A form that Math-Verify by its documents compares only on request: asked of nobody, so that all are equal."""
HARD_EXCLUDED = "hardverify-11"
"""The one hard task whose right answer is an inequality and whose reference is an interval."""
IFBENCH = "allenai/IFBench, tests"


def _suite(
    folder: str, keep: Callable[[dict[str, Any]], bool] = lambda _row: True
) -> Callable[[], Iterator[dict[str, Any]]]:
    def rows() -> Iterator[dict[str, Any]]:
        (place,) = (COLLECTION / folder / "src").glob("*/cases.jsonl")
        with place.open(encoding="utf-8") as lines:  # at line feeds only: a text may hold other line ends
            yield from (row for row in map(json.loads, lines) if keep(row))

    return rows


def _is_hard(row: dict[str, Any]) -> bool:
    """The hard rows. The suite itself leaves out words, rounded references and what is marked up."""
    return row["source"] == HARD and row["task"]["id"] != HARD_EXCLUDED


def _is_made_formula(row: dict[str, Any]) -> bool:
    """The made rows, in forms that every grader claims, so that all are asked the same cases."""
    return row["source"] not in (HARD, MATH_VERIFY) and EXCLUDED not in row["tags"]


def _boxed(rows: Callable[[], Iterator[dict[str, Any]]]) -> Callable[[], Iterator[dict[str, Any]]]:
    """The same answers in a box each: measured is whether two values are the same, not where one is looked for."""

    def boxed() -> Iterator[dict[str, Any]]:
        for row in rows():
            yield {**row, "response": f"The answer is $\\boxed{{{row['response'].strip().strip('$').strip()}}}$."}

    return boxed


def _queries() -> Iterator[dict[str, Any]]:
    """The queries of suite-sql as responses: verifiers of other packages take a text, not a state."""
    for row in _suite("suite-sql")():
        rest = {name: value for name, value in row.items() if name != "state"}
        yield {**rest, "response": str(row["state"].get("answer") or "")}


FAMILIES: dict[str, Callable[[], Iterable[dict[str, Any]]]] = {
    "short-number": _suite("suite-short-number"),
    "choice": _suite("suite-choice"),
    "mathematics": _suite("suite-mathematics", _is_made_formula),
    "mathematics-hard": _boxed(_suite("suite-mathematics", _is_hard)),
    "code": _suite("suite-python-code"),
    "instructions": _suite("suite-instructions", lambda row: row["source"] != IFBENCH),
    "text": made_text.cases,
    "json": made_json.cases,
    "calls": made_calls.cases,
    "sql": _queries,
    "format": made_format.cases,
    **{f"{made_gym.FAMILY}:{name}": partial(made_gym.cases, name) for name in made_gym.DRAWERS},
}
"""Family -> its rows. ``mathematics-hard`` is apart: its right answers were chosen because a rule had refused them."""


@cache
def cases_of(family: str) -> tuple[AuditCase, ...]:
    """The cases of a family, as independent evidence. Raises KeyError for an unknown family."""
    return tuple(AuditCase.model_validate({**row, "origin": Origin.SUITE}) for row in FAMILIES[family]())
