"""The tables that an episode left, beside those that the task wants: rows in any order, values by JSON's equality."""

import json
from collections import Counter

NOTHING = {"as_asked": 0.0, "rows": 0.0}


def verify(task: dict, state: dict) -> dict[str, float]:
    """``as_asked`` is 1.0 where ``state["tables"]`` equals ``task["answer"]``: table -> rows.

    What else a state holds (words, calls) changes nothing.

    Raises:
        ValueError: the task wants no table, so nothing can be compared.

    """
    wanted = task.get("answer")
    if not isinstance(wanted, dict) or not all(isinstance(rows, list) for rows in wanted.values()):
        raise ValueError("final-state needs task['answer']: an object of tables, each a list of rows")
    found = state.get("tables") if isinstance(state, dict) else None
    if not isinstance(found, dict) or not all(isinstance(rows, list) for rows in found.values()):
        return dict(NOTHING)
    right = _rows_of(wanted)
    try:
        given = _rows_of(found)
    except RecursionError:  # a value nested that deep equals none that a task wants
        return dict(NOTHING)
    shared = (given & right).total()
    return {
        "as_asked": float(given == right and found.keys() == wanted.keys()),
        "rows": shared / max(given.total(), right.total(), 1),
    }


def _rows_of(tables: dict[str, list]) -> Counter[tuple[str, str]]:
    """Each row as text with sorted members. In it 1 and true are two values, and 1 and 1.0 are one."""
    return Counter((name, json.dumps(_plain(row), sort_keys=True)) for name, rows in tables.items() for row in rows)


def _plain(value: object) -> object:
    if isinstance(value, dict):
        return {name: _plain(one) for name, one in value.items()}
    if isinstance(value, list):
        return [_plain(one) for one in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value
