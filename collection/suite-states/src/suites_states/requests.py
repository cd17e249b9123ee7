"""Small databases and requests to change them. Every row has an id; what was asked is exactly one new state."""
# ruff: noqa: E501 -- a line a form

import copy
import random
from collections.abc import Callable
from dataclasses import dataclass

PEOPLE = ("Mira Holt", "Jonas Brandt", "Petra Keller", "Emil Lind", "Nadia Moreno", "Oskar Dahl", "Vera Novak")
GOODS = ("rope", "lamp", "tent", "stove", "map", "flask")
ROOMS = ("den", "attic", "hall", "porch", "cellar")


@dataclass(frozen=True)
class Request:
    """``start`` and ``wanted``: table -> rows. ``table`` and ``id``: the row that is concerned."""

    words: str
    start: dict[str, list[dict]]
    wanted: dict[str, list[dict]]
    table: str
    id: str
    field: str
    """A member of the row whose value the request is about."""


def _asked(words: str, start: dict, table: str, row_id: str, field: str, change: Callable[[dict], None]) -> Request:
    wanted = copy.deepcopy(start)
    change(wanted)
    return Request(words, start, wanted, table, row_id, field)


def orders(rng: random.Random) -> Request:
    """Cancel one of four orders."""
    rows = [
        {"id": f"K{rng.randrange(1000, 9999)}{n}", "customer": who, "item": rng.choice(GOODS), "pieces": rng.randrange(1, 9), "status": "open"}
        for n, who in enumerate(rng.sample(PEOPLE, 4))
    ]  # fmt: skip
    one = rng.choice(rows)
    start = {"orders": rows, "notes": [{"id": "n1", "text": "stock-taking on Friday"}]}

    def change(tables: dict) -> None:
        next(row for row in tables["orders"] if row["id"] == one["id"])["status"] = "cancelled"

    return _asked(f"Cancel order {one['id']} and nothing else.", start, "orders", one["id"], "status", change)


def accounts(rng: random.Random) -> Request:
    """Move money between two of four accounts."""
    rows = [
        {"id": f"A{n}", "owner": who, "euros": rng.randrange(200, 900)}
        for n, who in enumerate(rng.sample(PEOPLE, 4), 1)
    ]
    one, other = rng.sample(rows, 2)
    sum_ = rng.randrange(11, 99)

    def change(tables: dict) -> None:
        for row in tables["accounts"]:
            row["euros"] += sum_ * ((row["id"] == other["id"]) - (row["id"] == one["id"]))

    words = f"Transfer {sum_} euros from {one['id']} to {other['id']}."
    return _asked(words, {"accounts": rows, "log": []}, "accounts", other["id"], "euros", change)


def home(rng: random.Random) -> Request:
    """Set one lamp of a home, nested values."""
    rows = [
        {"id": room, "lamp": {"on": rng.random() < 0.5, "level": rng.randrange(5, 60)}, "heat": rng.randrange(15, 22)}
        for room in rng.sample(ROOMS, 4)
    ]
    one, level = rng.choice(rows)["id"], rng.randrange(61, 99)

    def change(tables: dict) -> None:
        row = next(row for row in tables["rooms"] if row["id"] == one)
        row["lamp"] = {"on": True, "level": level}

    return _asked(
        f"Switch the lamp in the {one} on, at {level} per cent.",
        {"rooms": rows, "doors": [{"id": "front", "locked": True}]},
        "rooms",
        one,
        "lamp",
        change,
    )


def calendar(rng: random.Random) -> Request:
    """Move a meeting by an hour; its guests are a list in order of seats."""
    rows = [
        {"id": f"m{n}", "hour": rng.randrange(8, 16), "title": title, "guests": rng.sample(PEOPLE, 3)}
        for n, title in enumerate(rng.sample(["budget", "plans", "review", "hiring", "lunch"], 4), 1)
    ]
    one = rng.choice(rows)

    def change(tables: dict) -> None:
        next(row for row in tables["meetings"] if row["id"] == one["id"])["hour"] += 1

    return _asked(
        f'Move the meeting "{one["title"]}" one hour later.',
        {"meetings": rows, "rooms": [{"id": "r1", "seats": 8}]},
        "meetings",
        one["id"],
        "hour",
        change,
    )


KINDS: dict[str, Callable[[random.Random], Request]] = {
    "orders": orders, "accounts": accounts, "home": home, "calendar": calendar,
}  # fmt: skip
