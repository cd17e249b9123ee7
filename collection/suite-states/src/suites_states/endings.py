"""How a database was left. Right: what was asked and nothing else, however it is written down."""

import copy
from collections.abc import Callable

from suites_states.requests import Request


def _turned(value: object) -> object:
    """Every object with its members in reverse."""
    if isinstance(value, dict):
        return {name: _turned(one) for name, one in reversed(value.items())}
    return [_turned(one) for one in value] if isinstance(value, list) else value


def _row(one: Request, tables: dict) -> dict:
    return next(row for row in tables[one.table] if row["id"] == one.id)


def _other_row(one: Request, tables: dict) -> dict:
    return next(row for row in tables[one.table] if row["id"] != one.id)


def _with(change: Callable[[Request, dict], None], *, wanted: bool = True) -> Callable[[Request], dict]:
    """The wanted state (else the first one) with a change."""

    def end(one: Request) -> dict:
        tables = copy.deepcopy(one.wanted if wanted else one.start)
        change(one, tables)
        return {"tables": tables}

    return end


def _set(change: Callable[[object], object], *, other: bool = False) -> Callable[[Request, dict], None]:
    def act(one: Request, tables: dict) -> None:
        row = (_other_row if other else _row)(one, tables)
        row[one.field] = change(row[one.field])

    return act


def _unlike(value: object) -> object:
    """Another value of its kind."""
    if isinstance(value, dict):
        return value | {"level": value["level"] - 1}
    return value + 7 if isinstance(value, int) else f"{value}?"


def _drop(one: Request, tables: dict) -> None:
    tables[one.table].remove(_row(one, tables))


def _drop_other(one: Request, tables: dict) -> None:
    tables[one.table].remove(_other_row(one, tables))


def _double(one: Request, tables: dict) -> None:
    tables[one.table].append(dict(_row(one, tables)))


def _add(one: Request, tables: dict) -> None:
    tables[one.table].append(_row(one, tables) | {"id": "new"})


def _swap_ids(one: Request, tables: dict) -> None:
    row, other = _row(one, tables), _other_row(one, tables)
    row["id"], other["id"] = other["id"], row["id"]


def _as_text(value: object) -> object:
    return str(value) if not isinstance(value, str) else [value]


def _beside(one: Request, tables: dict) -> None:
    """Another table of the database was touched."""
    name = next(name for name in tables if name != one.table)
    tables[name].append({"id": "x9", "text": "done"})


def _claims(one: Request) -> dict:
    return {"tables": one.start, "done": True, "note": "All that was asked is done."}


RIGHT: dict[str, Callable[[Request], dict]] = {
    "as-asked": lambda one: {"tables": one.wanted},
    "members-turned": lambda one: {"tables": _turned(one.wanted)},
    "tables-turned": lambda one: {"tables": dict(reversed(one.wanted.items()))},
    "rows-turned": lambda one: {"tables": {name: rows[::-1] for name, rows in one.wanted.items()}},
    "row-at-the-end": lambda one: {
        "tables": {name: sorted(rows, key=lambda row: row["id"] == one.id) for name, rows in one.wanted.items()}
    },
    "rows-sorted": lambda one: {
        "tables": {name: sorted(rows, key=lambda row: row["id"]) for name, rows in one.wanted.items()}
    },
    "rows-and-members-turned": lambda one: {
        "tables": {name: [_turned(row) for row in rows[::-1]] for name, rows in one.wanted.items()}
    },
    "with-words": lambda one: {"tables": one.wanted, "said": "I have done what you asked."},
    "with-calls": lambda one: {"tables": one.wanted, "calls": [{"name": "look", "arguments": {"id": one.id}}]},
    "silent": lambda one: {"tables": one.wanted, "said": ""},
}
WRONG: dict[str, Callable[[Request], dict]] = {
    "nothing-done": lambda one: {"tables": one.start},
    "claims": _claims,
    "other-value": _with(_set(_unlike)),
    "other-type": _with(_set(_as_text)),
    "null": _with(_set(lambda _value: None)),
    "other-row-too": _with(_set(_unlike, other=True)),
    "other-row-instead": _with(_set(_unlike, other=True), wanted=False),
    "row-gone": _with(_drop),
    "other-row-gone": _with(_drop_other),
    "row-twice": _with(_double),
    "row-added": _with(_add),
    "ids-changed": _with(_swap_ids),
    "other-table-too": _with(_beside),
    "member-gone": _with(lambda one, tables: _row(one, tables).pop(one.field)),
    "member-added": _with(lambda one, tables: _row(one, tables).update(note="done")),
    "table-gone": _with(lambda one, tables: tables.pop(next(name for name in tables if name != one.table))),
    "table-empty": _with(lambda one, tables: tables[one.table].clear()),
    "only-the-row": lambda one: {"tables": {one.table: [_row(one, one.wanted)]}},
    "no-tables": lambda _one: {},
    "empty": lambda _one: {"tables": {}},
    "tables-as-text": lambda one: {"tables": str(one.wanted)},
    "words-alone": lambda _one: {"said": "It is done."},
}
