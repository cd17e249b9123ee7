"""Changed final states, where labels show that such a change is wrong."""

import random

import pytest

from sandbox.audit.probes.leak_states import FAMILIES
from sandbox.audit.probes.material import Example, Material

CELLS, ROWS = FAMILIES


def tables(n: int) -> dict:
    return {"stock": [{"item": f"i{place}", "count": 10 * n + place} for place in range(3)], "log": []}


def task(n: int) -> dict:
    return {"id": f"t{n}", "prompt": "?", "answer": tables(n)}


def right(n: int, **more) -> Example:
    return Example(task(n), state={"tables": tables(n), **more})


def wrong(change, n: int = 1) -> Example:
    held = tables(n)
    change(held)
    return Example(task(n), state={"tables": held})


def other_count(held: dict) -> None:
    held["stock"][1]["count"] = 99


def twice(held: dict) -> None:
    held["stock"].append(held["stock"][0])


def gone(held: dict) -> None:
    held["stock"].pop()


def made(family, *slips, states=None):
    states = states or tuple(right(n) for n in range(3))
    found = Material({}, (), (), states=states, wrong=tuple(map(wrong, slips)))
    return list(family.make(found, random.Random(1)))


def stock(draft) -> list[dict]:
    return draft.state["tables"]["stock"]


def test_a_cell_is_changed_in_a_column_that_a_label_shows_to_matter() -> None:
    drafts = made(CELLS, other_count)
    assert {one.way for one in drafts} == {"count of the first row", "count of the last row", "count of two rows"}
    for one in drafts:
        assert [row["item"] for row in stock(one)] == ["i0", "i1", "i2"], "no label speaks of names"
        assert [row["count"] for row in stock(one)] != [row["count"] for row in one.task["answer"]["stock"]]
        assert one.state["tables"]["log"] == []
    assert all(one.state["tables"] == tables(n) for n, one in enumerate(map(right, range(3)))), "cases are left alone"


def test_a_row_is_added_or_left_out_where_a_label_shows_that_to_be_wrong() -> None:
    assert {one.way for one in made(ROWS, twice)} == {"one more before", "one more behind"}
    assert {one.way for one in made(ROWS, gone)} == {"without the first", "without the last"}
    for one in made(ROWS, twice, gone):
        assert abs(len(stock(one)) - 3) == 1


def both(held: dict) -> None:
    other_count(held)
    held["log"].append({"said": "done"})


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("slips", [(), (both,)], ids=["no label", "a label of two differences"])
def test_without_such_a_label_nothing_is_certain(family, slips) -> None:
    assert made(family, *slips) == []


def test_where_a_right_state_differs_from_its_reference_nothing_is_certain() -> None:
    changed = right(1)
    changed.state["tables"]["log"].append({"said": "done"})
    assert made(ROWS, twice, states=(right(0), changed, right(2), right(3))) == []


def test_what_a_wrong_state_says_beside_its_tables_may_be_why_it_is_wrong() -> None:
    slip = Example(task(1), state={"tables": {**tables(1), "stock": tables(1)["stock"][:2]}, "crashed": True})
    found = Material({}, (), (), states=tuple(right(n) for n in range(3)), wrong=(slip,))
    assert list(ROWS.make(found, random.Random(1))) == []


def test_tables_may_be_the_state_itself() -> None:
    states = tuple(Example(task(n), state=tables(n)) for n in range(3))
    slip = Example(task(1), state={**tables(1), "stock": tables(1)["stock"][:2]})
    found = Material({}, (), (), states=states, wrong=(slip,))
    assert {len(one.state["stock"]) for one in ROWS.make(found, random.Random(1))} == {2}
