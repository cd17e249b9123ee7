"""Wrong SQL queries of the right shape: another value, one row more, one row less.

Which queries are wrong follows from running them, and an audit runs none. So these queries name their rows themselves,
with numbers that no database has: what they give is known without one. Where the reference is a query, it is replaced
by one of that kind. Where it is the rows, they are there to be changed. A verifier that takes its right rows from
elsewhere must reject the response too.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from random import Random
from typing import Any

from sandbox.audit.probes.family import Draft, Family
from sandbox.audit.probes.material import Example, Material

_FEWEST = 3
_QUERY = re.compile(r"\s*(?:select|with)\b", re.IGNORECASE)
_FENCED = re.compile(r"(?s)(.*```(?:sql)?[ \t]*\n)\s*(?:select|with)\b.*?(\n```.*)", re.IGNORECASE)
_TABLE = re.compile(r"\s*select\b[^()]*?\bfrom\s+([a-z_]\w*)\b", re.IGNORECASE)
_NUMBERS = range(1_000_003, 9_000_000)  # chosen: no example database holds them
_MOST_ROWS = 20
_Pair = tuple[str, Any, str]
"""A way, the reference, and a query that gives other rows."""


def make(material: Material, random: Random) -> Iterator[Draft]:
    """Each way on each task whose right queries are known."""
    items = [item for item in (*material.accepted, *material.states) if item.is_accepted and _says_query(item)]
    if len(items) < _FEWEST:
        return
    for item in random.sample(items, len(items)):
        for way, reference, query in _pairs(item, random):
            changed = _with_query(item, query)
            if changed is not None:
                task = {**item.task, "answer": reference}
                yield Draft(
                    task, changed.response, item.files, changed.messages, f"{reference} and {query}", changed.state, way
                )


def _says_query(item: Example) -> bool:
    answer = item.task.get("answer")
    return (_is_query(answer) or bool(_rows(answer))) and _with_query(item, "") is not None


def _pairs(item: Example, random: Random) -> Iterator[_Pair]:
    answer, (first, second, other) = item.task.get("answer"), random.sample(_NUMBERS, 3)
    rows = _rows(answer)
    if rows:
        strange = [[other + place for place in range(len(rows[0]))]]
        yield "value", answer, _query(strange * len(rows))
        yield "more", answer, _query([*rows, *strange])
        if len(rows) > 1:
            yield "less", answer, _query(rows[:-1])
        return
    right = _query([[first], [second]])
    yield "value", right, _query([[first], [other]])
    yield "more", right, _query([[first], [second], [other]])
    yield "less", right, _query([[first]])
    table = _TABLE.match(answer) if isinstance(answer, str) else None
    if table:
        count = "SELECT COUNT(*){} AS c0 FROM {}"
        yield "count", count.format("", table[1]), count.format(f" + {other}", table[1])


def _query(rows: Sequence[Sequence[Any]]) -> str:
    """A query that gives these rows from no table."""
    return " UNION ALL ".join(
        "SELECT " + ", ".join(f"{_literal(value)} AS c{place}" for place, value in enumerate(row)) for row in rows
    )


def _literal(value: Any) -> str:
    if value is None:
        return "NULL"
    return "'" + value.replace("'", "''") + "'" if isinstance(value, str) else repr(value)


def _rows(answer: Any) -> list[list[Any]]:
    """The reference as rows of numbers and texts; empty where it is none, or a long one."""
    if not isinstance(answer, list) or not 0 < len(answer) <= _MOST_ROWS:
        return []
    found = [list(row.values()) if isinstance(row, dict) else row for row in answer]
    plain = all(
        isinstance(row, list) and row and all(type(one) in {int, float, str, type(None)} for one in row)
        for row in found
    )
    return found if plain and len({len(row) for row in found}) == 1 else []


def _is_query(value: Any) -> bool:
    return isinstance(value, str) and bool(_QUERY.match(value))


def _with_query(item: Example, query: str) -> Example | None:
    """The example with another query in the place of its own; None where it holds no query, or several."""
    if item.state is not None:
        places = [name for name, value in item.state.items() if _is_query(value)]
        return replace(item, state={**item.state, places[0]: query}) if len(places) == 1 else None
    text = item.text or ""
    fenced = _FENCED.fullmatch(text)
    if not _is_query(text) and not fenced:
        return None
    said = item.saying(f"{fenced[1]}{query}{fenced[2]}" if fenced else query)
    return replace(item, response=said.response, messages=said.messages)


FAMILY = Family(
    name="leak_query",
    expects="incorrect",
    rule="a query that gives another value, a row more or a row less gives another result",
    make=make,
    most=16,
)
