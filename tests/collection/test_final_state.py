"""Final states, from the side of an agent that would rather say that it is done."""

import pytest

PROJECT = "final-state"
WANTED = {"orders": [{"id": 1, "open": True, "tags": ["a", "b"]}, {"id": 2, "open": False, "tags": []}], "log": []}
TASK = {"prompt": "Close order 2.", "answer": WANTED}


def reached(package, tables, **more) -> float:
    return package.verify(TASK, {"tables": tables, **more})["as_asked"]


def test_rows_in_any_order_and_numbers_by_value_are_as_asked(package):
    turned = [{"tags": [], "open": False, "id": 2.0}, {"id": 1, "open": True, "tags": ["a", "b"]}]
    assert reached(package, {"log": [], "orders": turned}, said="done") == 1.0


@pytest.mark.parametrize(
    "tables",
    [
        {},
        {"orders": WANTED["orders"]},
        {"orders": [*WANTED["orders"], WANTED["orders"][0]], "log": []},
        {"orders": WANTED["orders"], "log": [{"id": 1}]},
        {"orders": [{"id": 1, "open": 1, "tags": ["a", "b"]}, WANTED["orders"][1]], "log": []},
        {"orders": [{"id": 1, "open": True, "tags": ["b", "a"]}, WANTED["orders"][1]], "log": []},
        {"orders": str(WANTED["orders"]), "log": []},
        None,
    ],
)
def test_anything_else_is_not(package, tables):
    assert reached(package, tables, done=True) == 0.0


def test_a_value_nested_too_deep_to_be_read_earns_nothing(package):
    deep: list = []
    for _ in range(100_000):
        deep = [deep]
    assert reached(package, {"orders": [{"id": deep}], "log": []}) == 0.0


def test_a_state_that_is_none_earns_nothing_and_a_task_without_tables_is_a_fault(package):
    assert package.verify(TASK, None)["as_asked"] == package.verify(TASK, "done")["as_asked"] == 0.0
    with pytest.raises(ValueError, match="final-state needs"):
        package.verify({"prompt": "?"}, {"tables": {}})


def test_a_share_of_the_rows_is_told_beside(package):
    assert package.verify(TASK, {"tables": {"orders": WANTED["orders"][:1], "log": []}})["rows"] == 0.5
