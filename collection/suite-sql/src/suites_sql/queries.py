"""Questions with a gold query, other right spellings of it, and queries that are wrong in one place."""
# ruff: noqa: E501 -- a line a form

import random
from collections.abc import Callable
from dataclasses import dataclass

from suites_sql.databases import LIMIT, PLACES


@dataclass(frozen=True)
class Question:
    """``right`` and ``wrong``: way -> query."""

    words: str
    gold: str
    right: dict[str, str]
    wrong: dict[str, str]
    is_ordered: bool = False

    def __post_init__(self) -> None:
        """Ways that every question has."""
        self.right.update({
            "gold": self.gold, "in-brackets": f"SELECT * FROM ({self.gold}) AS found" if not self.is_ordered else self.gold + " ",
            "semicolon": f"{self.gold};", "lines": self.gold.replace(" FROM ", "\nFROM ").replace(" WHERE ", "\nWHERE "),
        })  # fmt: skip
        self.wrong.update({
            "no-sql": "I would count the rows.", "empty": "", "constant": "SELECT 3", "broken": self.gold.replace("SELECT", "SELCT", 1),
            "nothing": f"SELECT * FROM ({self.gold}) AS found WHERE 1 = 0",
            "twice": f"SELECT * FROM ({self.gold}) AS one UNION ALL SELECT * FROM ({self.gold}) AS other",
            "column-more": f"SELECT found.*, 1 FROM ({self.gold}) AS found",
        })  # fmt: skip


def count_at_least(d: dict[str, str], rng: random.Random) -> Question:
    """One table, two conditions."""
    place, start = rng.choice(PLACES), "SELECT COUNT(*) FROM {p} WHERE {place} = '{x}' AND {size} {op} {n}"

    def query(op: str, n: int = LIMIT, form: str = start) -> str:
        return form.format(**d, x=place, op=op, n=n)

    return Question(
        f"How many {d['p']} in {d['place']} {place} have a {d['size']} of {LIMIT} or more?",
        query(">="),
        {
            "other-limit": query(">", LIMIT - 1), "count-id": query(">=").replace("COUNT(*)", "COUNT(id)"),
            "sum-of-ones": query(">=").replace("COUNT(*)", "COALESCE(SUM(1), 0)"),
            "not-less": query(">=", form="SELECT COUNT(*) FROM {p} WHERE NOT ({place} <> '{x}' OR {size} < {n})"),
        },
        {
            "above": query(">"), "at-most": query("<="), "no-place": query(">=", form="SELECT COUNT(*) FROM {p} WHERE {size} {op} {n}"),
            "or": query(">=").replace(" AND ", " OR "), "count-distinct": query(">=").replace("COUNT(*)", "COUNT(DISTINCT name)"),
        },
    )  # fmt: skip


def without_events(d: dict[str, str], _rng: random.Random) -> Question:
    """Those that have none; names may be doubled, and so must be the rows."""
    f = {name: text.format(**d) for name, text in {
        "gold": "SELECT name FROM {p} WHERE id NOT IN (SELECT {key} FROM {e})",
        "exists": "SELECT name FROM {p} WHERE NOT EXISTS (SELECT 1 FROM {e} WHERE {e}.{key} = {p}.id)",
        "join": "SELECT {p}.name FROM {p} LEFT JOIN {e} ON {e}.{key} = {p}.id WHERE {e}.id IS NULL",
        "except": "SELECT name FROM {p} WHERE id IN (SELECT id FROM {p} EXCEPT SELECT {key} FROM {e})",
        "with-events": "SELECT name FROM {p} WHERE id IN (SELECT {key} FROM {e})",
        "inner": "SELECT {p}.name FROM {p} JOIN {e} ON {e}.{key} = {p}.id WHERE {e}.id IS NULL",
        "wrong-key": "SELECT name FROM {p} WHERE id NOT IN (SELECT id FROM {e})",
        "by-name": "SELECT DISTINCT name FROM {p} EXCEPT SELECT name FROM {p} WHERE id IN (SELECT {key} FROM {e})",
        "ids": "SELECT id FROM {p} WHERE id NOT IN (SELECT {key} FROM {e})",
    }.items()}  # fmt: skip
    return Question(
        f"Give the names of the {d['p']} that have no row in {d['e']}: one row for each of them.",
        f["gold"], {name: f[name] for name in ("exists", "join", "except")},
        {name: f[name] for name in ("with-events", "inner", "wrong-key", "by-name", "ids")},
    )  # fmt: skip


def sum_per_one(d: dict[str, str], _rng: random.Random) -> Question:
    """Zero where there is nothing to add."""
    f = {name: text.format(**d) for name, text in {
        "gold": "SELECT {p}.id, COALESCE(SUM({amount}), 0) FROM {p} LEFT JOIN {e} ON {e}.{key} = {p}.id GROUP BY {p}.id",
        "inner-sum": "SELECT id, (SELECT COALESCE(SUM({amount}), 0) FROM {e} WHERE {key} = {p}.id) FROM {p}",
        "total": "SELECT {p}.id, TOTAL({amount}) FROM {p} LEFT JOIN {e} ON {e}.{key} = {p}.id GROUP BY {p}.id",
        "union": "SELECT {key}, SUM({amount}) FROM {e} GROUP BY {key} UNION ALL SELECT id, 0 FROM {p} WHERE id NOT IN (SELECT {key} FROM {e})",
        "no-zero": "SELECT {p}.id, SUM({amount}) FROM {p} LEFT JOIN {e} ON {e}.{key} = {p}.id GROUP BY {p}.id",
        "inner-join": "SELECT {p}.id, SUM({amount}) FROM {p} JOIN {e} ON {e}.{key} = {p}.id GROUP BY {p}.id",
        "count": "SELECT {p}.id, COUNT({amount}) FROM {p} LEFT JOIN {e} ON {e}.{key} = {p}.id GROUP BY {p}.id",
        "distinct": "SELECT {p}.id, COALESCE(SUM(DISTINCT {amount}), 0) FROM {p} LEFT JOIN {e} ON {e}.{key} = {p}.id GROUP BY {p}.id",
        "turned": "SELECT COALESCE(SUM({amount}), 0), {p}.id FROM {p} LEFT JOIN {e} ON {e}.{key} = {p}.id GROUP BY {p}.id",
    }.items()}  # fmt: skip
    return Question(
        f"Give for each of the {d['p']} its id and the sum of {d['amount']} in {d['e']}, 0 where there is none.",
        f["gold"], {name: f[name] for name in ("inner-sum", "total", "union")},
        {name: f[name] for name in ("no-zero", "inner-join", "count", "distinct", "turned")},
    )  # fmt: skip


def largest(d: dict[str, str], _rng: random.Random) -> Question:
    """All of them where several are the largest."""
    f = {name: text.format(**d) for name, text in {
        "gold": "SELECT id FROM {p} WHERE {size} = (SELECT MAX({size}) FROM {p})",
        "nothing-above": "SELECT id FROM {p} WHERE NOT EXISTS (SELECT 1 FROM {p} AS o WHERE o.{size} > {p}.{size})",
        "rank": "SELECT id FROM (SELECT id, RANK() OVER (ORDER BY {size} DESC) AS place FROM {p}) WHERE place = 1",
        "at-least-all": "SELECT id FROM {p} WHERE {size} >= (SELECT MAX({size}) FROM {p})",
        "first-only": "SELECT id FROM {p} ORDER BY {size} DESC LIMIT 1",
        "smallest": "SELECT id FROM {p} WHERE {size} = (SELECT MIN({size}) FROM {p})",
        "row-number": "SELECT id FROM (SELECT id, ROW_NUMBER() OVER (ORDER BY {size} DESC) AS place FROM {p}) WHERE place = 1",
        "average": "SELECT id FROM {p} WHERE {size} > (SELECT AVG({size}) FROM {p})",
        "its-size": "SELECT {size} FROM {p} WHERE {size} = (SELECT MAX({size}) FROM {p})",
    }.items()}  # fmt: skip
    return Question(
        f"Give the ids of the {d['p']} with the largest {d['size']}, all of them where several share it.",
        f["gold"], {name: f[name] for name in ("nothing-above", "rank", "at-least-all")},
        {name: f[name] for name in ("first-only", "smallest", "row-number", "average", "its-size")},
    )  # fmt: skip


def in_april(d: dict[str, str], _rng: random.Random) -> Question:
    """Days from the first to the last of a month, and different ones counted once."""
    f = {name: text.format(**d) for name, text in {
        "gold": "SELECT COUNT(DISTINCT {key}) FROM {e} WHERE day BETWEEN '2024-04-01' AND '2024-04-30'",
        "like": "SELECT COUNT(DISTINCT {key}) FROM {e} WHERE day LIKE '2024-04-%'",
        "strftime": "SELECT COUNT(DISTINCT {key}) FROM {e} WHERE strftime('%Y-%m', day) = '2024-04'",
        "inner-distinct": "SELECT COUNT(*) FROM (SELECT DISTINCT {key} FROM {e} WHERE day >= '2024-04-01' AND day < '2024-05-01')",
        "all-rows": "SELECT COUNT({key}) FROM {e} WHERE day BETWEEN '2024-04-01' AND '2024-04-30'",
        "first-left-out": "SELECT COUNT(DISTINCT {key}) FROM {e} WHERE day > '2024-04-01' AND day <= '2024-04-30'",
        "last-left-out": "SELECT COUNT(DISTINCT {key}) FROM {e} WHERE day >= '2024-04-01' AND day < '2024-04-30'",
        "from-april-on": "SELECT COUNT(DISTINCT {key}) FROM {e} WHERE day >= '2024-04-01'",
        "march": "SELECT COUNT(DISTINCT {key}) FROM {e} WHERE day LIKE '2024-03-%'",
    }.items()}  # fmt: skip
    return Question(
        f"How many different {d['p']} have a row in {d['e']} with a day in April 2024?",
        f["gold"], {name: f[name] for name in ("like", "strftime", "inner-distinct")},
        {name: f[name] for name in ("all-rows", "first-left-out", "last-left-out", "from-april-on", "march")},
    )  # fmt: skip


def ordered(d: dict[str, str], _rng: random.Random) -> Question:
    """The order is asked for, and has no ties."""
    f = {name: text.format(**d) for name, text in {
        "gold": "SELECT name, {size} FROM {p} ORDER BY {size} DESC, id",
        "by-number": "SELECT name, {size} FROM {p} ORDER BY 2 DESC, id ASC",
        "negative": "SELECT name, {size} FROM {p} ORDER BY -{size}, id",
        "window": "SELECT name, {size} FROM (SELECT name, {size}, ROW_NUMBER() OVER (ORDER BY {size} DESC, id) AS n FROM {p}) ORDER BY n",
        "rising": "SELECT name, {size} FROM {p} ORDER BY {size}, id",
        "no-order": "SELECT name, {size} FROM {p} ORDER BY id",
        "ids-turned": "SELECT name, {size} FROM {p} ORDER BY {size} DESC, id DESC",
        "columns-turned": "SELECT {size}, name FROM {p} ORDER BY {size} DESC, id",
        "as-text": "SELECT name, {size} FROM {p} ORDER BY name DESC, id",
    }.items()}  # fmt: skip
    return Question(
        f"List name and {d['size']} of all {d['p']}, the largest {d['size']} first, equal ones by rising id.",
        f["gold"], {name: f[name] for name in ("by-number", "negative", "window")},
        {name: f[name] for name in ("rising", "no-order", "ids-turned", "columns-turned", "as-text")}, is_ordered=True,
    )  # fmt: skip


def places_with_many(d: dict[str, str], _rng: random.Random) -> Question:
    """Groups with at least so many."""
    f = {name: text.format(**d) for name, text in {
        "gold": "SELECT {place}, AVG({size}) FROM {p} GROUP BY {place} HAVING COUNT(*) >= 2",
        "above-one": "SELECT {place}, AVG({size}) FROM {p} GROUP BY {place} HAVING COUNT(id) > 1",
        "sum-by-count": "SELECT {place}, 1.0 * SUM({size}) / COUNT(*) FROM {p} GROUP BY {place} HAVING COUNT(*) >= 2",
        "inner-count": "SELECT {place}, a FROM (SELECT {place}, AVG({size}) AS a, COUNT(*) AS n FROM {p} GROUP BY {place}) WHERE n > 1",
        "above-two": "SELECT {place}, AVG({size}) FROM {p} GROUP BY {place} HAVING COUNT(*) > 2",
        "all-groups": "SELECT {place}, AVG({size}) FROM {p} GROUP BY {place}",
        "whole-numbers": "SELECT {place}, SUM({size}) / COUNT(*) FROM {p} GROUP BY {place} HAVING COUNT(*) >= 2",
        "distinct-sizes": "SELECT {place}, AVG(DISTINCT {size}) FROM {p} GROUP BY {place} HAVING COUNT(*) >= 2",
        "largest-size": "SELECT {place}, MAX({size}) FROM {p} GROUP BY {place} HAVING COUNT(*) >= 2",
    }.items()}  # fmt: skip
    return Question(
        f"Give each {d['place']} with two or more {d['p']}, and the average {d['size']} there.",
        f["gold"], {name: f[name] for name in ("above-one", "sum-by-count", "inner-count")},
        {name: f[name] for name in ("above-two", "all-groups", "whole-numbers", "distinct-sizes", "largest-size")},
    )  # fmt: skip


KINDS: dict[str, Callable[[dict[str, str], random.Random], Question]] = {
    "count-at-least": count_at_least, "without-events": without_events, "sum-per-one": sum_per_one, "largest": largest,
    "in-april": in_april, "ordered": ordered, "places-with-many": places_with_many,
}  # fmt: skip
