"""Final states of a library, a shop and a calendar: written from the README of ``lecture/final-state`` alone.

Its words make every label certain: exactly the wanted rows in any order, values equal as in JSON, nothing else touched.
"""

from copy import deepcopy
from typing import Any

Tables = dict[str, list[dict[str, Any]]]

LIBRARY: Tables = {
    "loans": [
        {"id": 7, "book": "Emma", "due": "2026-03-01", "fine": 1.5, "returned": False},
        {"id": 8, "book": "Faust", "due": None, "fine": 0, "returned": True},
    ],
    "members": [{"name": "Zoë", "tags": ["new", "student"], "address": {"city": "Łódź", "zip": "00-001"}}],
}
SHOP: Tables = {
    "orders": [
        {"id": "K1", "status": "open", "items": [{"sku": "a", "n": 2}, {"sku": "b", "n": 1}]},
        {"id": "K2", "status": "cancelled", "items": []},
        {"id": "K2", "status": "cancelled", "items": []},
    ],
    "stock": [],
}
LARGE: Tables = {"numbers": [{"n": 2**53 + 1, "x": 0.1, "text": ""}, {"n": -1, "x": 1e300, "text": " "}]}


def _changed(tables: Tables, table: str, row: int, member: str, value: Any) -> Tables:
    found = deepcopy(tables)
    found[table][row][member] = value
    return found


def _with(tables: Tables, table: str, rows: list[Any]) -> Tables:
    return {**deepcopy(tables), table: rows}


def _turned(value: Any) -> Any:
    """Members of objects in another order."""
    if isinstance(value, dict):
        return {name: _turned(value[name]) for name in reversed(list(value))}
    return [_turned(one) for one in value] if isinstance(value, list) else value


RIGHT: list[tuple[Tables, Tables]] = [
    *((one, deepcopy(one)) for one in (LIBRARY, SHOP, LARGE)),
    *((one, {name: rows[::-1] for name, rows in one.items()}) for one in (LIBRARY, SHOP, LARGE)),
    *((one, _turned(one)) for one in (LIBRARY, SHOP, LARGE)),
    (LIBRARY, _changed(LIBRARY, "loans", 0, "id", 7.0)),
    (LIBRARY, _changed(LIBRARY, "loans", 1, "fine", 0.0)),
    (LIBRARY, _changed(LIBRARY, "loans", 1, "fine", -0.0)),
    (LARGE, _changed(LARGE, "numbers", 1, "n", -1.0)),
    (SHOP, _changed(SHOP, "orders", 0, "items", [{"n": 2.0, "sku": "a"}, {"n": 1, "sku": "b"}])),
]
"""(wanted, reached)"""
WRONG: list[tuple[Tables, Any]] = [
    *((LIBRARY, _changed(LIBRARY, "loans", 0, "id", value)) for value in ("7", 8, True, None, [7], 7.5)),
    *((LIBRARY, _changed(LIBRARY, "loans", 1, "fine", value)) for value in (False, None, "0", "", [], 1e-12)),
    *((LIBRARY, _changed(LIBRARY, "loans", 1, "returned", value)) for value in (1, "true", False, None)),
    *((LIBRARY, _changed(LIBRARY, "loans", 1, "due", value)) for value in ("", "None", "null", 0, False)),
    *((LIBRARY, _changed(LIBRARY, "loans", 0, "book", value)) for value in ("emma", "Emma ", "Emm\u0430", ["Emma"])),
    *(
        (LIBRARY, _changed(LIBRARY, "members", 0, "tags", value))
        for value in (["student", "new"], ["new"], "new,student")
    ),
    (LIBRARY, _changed(LIBRARY, "members", 0, "tags", ["new", "student", "student"])),
    (LIBRARY, _changed(LIBRARY, "members", 0, "address", {"city": "Łódź"})),
    (LIBRARY, _changed(LIBRARY, "members", 0, "address", {"city": "Łódź", "zip": "00-001", "street": None})),
    (LIBRARY, _changed(LIBRARY, "members", 0, "left", False)),
    (LIBRARY, _with(LIBRARY, "loans", LIBRARY["loans"][:1])),
    (LIBRARY, _with(LIBRARY, "loans", [*LIBRARY["loans"], LIBRARY["loans"][0]])),
    (LIBRARY, _with(LIBRARY, "loans", [LIBRARY["loans"][0], LIBRARY["loans"][0]])),
    (LIBRARY, _with(LIBRARY, "loans", [*LIBRARY["loans"], {}])),
    (LIBRARY, _with(LIBRARY, "loans", [*LIBRARY["loans"], None])),
    (LIBRARY, _with(LIBRARY, "log", [{"id": 1}])),
    (LIBRARY, {name: rows for name, rows in LIBRARY.items() if name != "members"}),
    (SHOP, _with(SHOP, "orders", SHOP["orders"][:2])),
    (SHOP, _with(SHOP, "orders", [*SHOP["orders"], SHOP["orders"][1]])),
    (SHOP, _with(SHOP, "stock", [{}])),
    (SHOP, _changed(SHOP, "orders", 0, "items", [{"sku": "b", "n": 1}, {"sku": "a", "n": 2}])),
    (SHOP, _changed(SHOP, "orders", 0, "items", [{"sku": "a", "n": True}, {"sku": "b", "n": 1}])),
    (SHOP, _changed(SHOP, "orders", 0, "items", {"a": 2, "b": 1})),
    (SHOP, {}),
    (LARGE, _changed(LARGE, "numbers", 0, "n", 2**53)),
    (LARGE, _changed(LARGE, "numbers", 0, "x", 0.1 + 1e-9)),
    (LARGE, _changed(LARGE, "numbers", 0, "text", " ")),
    (LARGE, _changed(LARGE, "numbers", 0, "n", float(2**53))),
]
