"""Wrong queries whose rows are known without a database."""

import random
import sqlite3

import pytest

from sandbox.audit.probes.leak_queries import FAMILY
from sandbox.audit.probes.material import Example, Material

SELECT = "SELECT who FROM sale WHERE price > {}"


def material(answer=SELECT.format, says=SELECT.format, *, state=False, accepted=True) -> Material:
    shown = [
        Example({"id": f"q{n}", "prompt": "?", "answer": answer(n)}, None if state else says(n), is_accepted=accepted)
        if not state
        else Example({"id": f"q{n}", "answer": answer(n)}, state={"answer": says(n), "tried": 2}, is_accepted=accepted)
        for n in range(4)
    ]
    return Material({}, (), () if state else tuple(shown), states=tuple(shown) if state else ())


def drafts(found: Material):
    return list(FAMILY.make(found, random.Random(1)))


def rows(query: str) -> list[tuple]:
    with sqlite3.connect(":memory:") as base:
        base.executescript("CREATE TABLE sale(who TEXT, price INTEGER); INSERT INTO sale VALUES ('Ana', 5);")
        return base.execute(query).fetchall()


def test_each_way_gives_other_rows_than_the_reference_it_brings() -> None:
    made = drafts(material())
    assert {one.way for one in made} == {"value", "more", "less", "count"}
    for one in made:
        right, wrong = rows(one.task["answer"]), rows(one.response)
        assert sorted(right) != sorted(wrong)
        assert len(right[0]) == len(wrong[0])
        same = {"value": 0, "more": 1, "less": -1, "count": 0}
        assert len(wrong) - len(right) == same[one.way]


@pytest.mark.parametrize(
    "answer", [lambda n: [[f"O'Neil {n}", 5], ["Bo", None]], lambda n: [{"who": "Ana"}, {"who": n}]]
)
def test_rows_that_are_the_reference_stay_and_the_query_gives_others(answer) -> None:
    made = drafts(material(answer))
    assert {one.way for one in made} == {"value", "more", "less"}
    for one in made:
        right = [tuple(row.values()) if isinstance(row, dict) else tuple(row) for row in one.task["answer"]]
        assert set(rows(one.response)) != set(right)
        assert one.way != "more" or rows(one.response)[:-1] == right


def test_a_query_in_a_state_or_in_a_fence_is_replaced_there() -> None:
    (one, *_) = drafts(material(state=True))
    assert rows(one.state["answer"])
    assert one.state["tried"] == 2
    (one, *_) = drafts(material(says=lambda n: f"Here:\n```sql\n{SELECT.format(n)}\n```\nDone."))
    assert one.response.startswith("Here:\n```sql\nSELECT ")
    assert one.response.endswith("\n```\nDone.")


@pytest.mark.parametrize(
    "found",
    [
        material(says="The answer is {}.".format),
        material(answer=str),
        material(accepted=False),
        material(answer=lambda _: []),
        material(answer=lambda _: [[1], [1, 2]]),
    ],
    ids=["no query", "no reference", "rejected", "no rows", "ragged rows"],
)
def test_none_is_made_where_the_reference_or_the_place_is_not_known(found: Material) -> None:
    assert drafts(found) == []


def test_a_name_that_a_query_makes_itself_is_no_table() -> None:
    made = drafts(material(answer=lambda n: f"WITH dear AS ({SELECT.format(n)}) SELECT * FROM dear"))
    assert {one.way for one in made} == {"value", "more", "less"}
