"""Facets: replaced whole, and filters that hold without an index."""

from typing import Any

import pytest
from sqlalchemy import event, text

from hub_server.catalog.queries import cards as card_queries
from hub_server.catalog.queries import packages as package_queries
from hub_server.catalog.queries import search as search_queries
from hub_server.catalog.rules.search_request import SearchRequest
from tests.making.action_driver import ActionDriver


def test_tags_are_replaced_whole_and_each_is_there_once(hub: ActionDriver) -> None:
    with hub.writing() as work:
        package_queries.replace_facets(work.session, "al/a", {"tag": ["z", "a", "z"], "family": ["code"]})
        work.session.flush()
        assert card_queries.tags_of(work.session, ["al/a", "al/b", "none"]) == {
            "al/a": ["a", "z"], "al/b": ["code", "math"], "none": [],
        }  # fmt: skip
        package_queries.replace_facets(work.session, "al/a", {"tag": [], "family": []})
    assert hub.rows("SELECT count(*) FROM package_facets WHERE package_id = 'al/a'") == [(0,)]


def test_filters_hold_in_the_whole_list_too_where_no_index_is_asked(hub: ActionDriver) -> None:
    with hub.writing() as work:
        package_queries.replace_facets(
            work.session, "al/a", {"interaction": ["tools", "single-turn"], "tag": ["tools"]}
        )
    with hub.reading() as work:
        for asked, ids in (
            (SearchRequest(interactions=("tools",)), ["al/a"]),
            (SearchRequest(interactions=("tools", "single-turn")), ["al/a"]),
            (SearchRequest(families=("tools",)), []),
        ):
            assert [row.id for row, _ in search_queries.search(work.session, asked, None, None)] == ids


def test_any_value_of_one_facet_and_all_facets_together(hub: ActionDriver) -> None:
    def found(**asked) -> list[str]:
        with hub.reading() as work:
            return [
                row.id
                for row, _ in search_queries.search(work.session, SearchRequest(sort="name", **asked), None, None)
            ]

    assert found(kinds=("verifier", "environment")) == ["al/a", "al/b"]
    assert found(kinds=("verifier",), tags=("code",)) == []
    assert found(owner="bo") == []
    assert found(owner="al", tags=("code",)) == ["al/b"]
    assert found(owner="al", tags=("code", "none")) == []


def test_private_packages_are_found_by_their_index(driver: ActionDriver) -> None:
    """SQLite read all of 50,000 packages where the column was compared with 1: twice for each look at the metrics."""
    with driver.statements() as sent, driver.reading() as work:
        assert search_queries.private_ids(work.session) == set()
    [asked] = [one for one in sent if "FROM packages" in one]
    if driver.services.database.is_sqlite:
        with driver.services.database.engine.connect() as connection:
            plan = connection.execute(text(f"EXPLAIN QUERY PLAN {asked}"), {}).all()
        assert "ix_packages_private" in str(plan)


def test_thousands_to_choose_from_are_one_parameter(hub: ActionDriver) -> None:
    ids = [f"al/{number}" for number in range(2_000)]
    with hub.statements() as sent, hub.reading() as work:
        found = search_queries.search(work.session, SearchRequest(sort="name"), [*ids, "al/a", "bo/a_b"], None)
    assert [row.id for row, _ in found] == ["al/a"]  # the other is not listed
    [asked] = [one for one in sent if "FROM packages" in one]
    assert len(asked) < 3_000


@pytest.mark.parametrize(("asked", "index"), [
    ({"kinds": ("tool",), "sort": "error"}, "ix_packages_kind_error_bound_id"),
    ({"kinds": ("tool",), "grades": ("U",), "sort": "trending"}, "ix_packages_kind_trend_id"),
    ({"kinds": ("tool",), "sort": "downloads"}, "ix_packages_kind_downloads_id"),
    ({"grades": ("U",), "sort": "error"}, "ix_packages_grade_error_bound_id"),
    ({"grades": ("U",), "sort": "updated"}, "ix_packages_updated_at_id"),
    ({"kinds": ("tool",), "grades": ("U",), "sort": "newest"}, "ix_packages_created_at_id"),
])  # fmt: skip
def test_a_filtered_list_is_read_in_its_order_and_not_sorted(
    driver: ActionDriver, asked: dict[str, Any], index: str
) -> None:
    """Tools are never measured, so all stand at the end of the order by error: SQLite read 50,000 packages for them."""
    plans: list[str] = []
    engine = driver.services.database.engine

    def explain(_connection: Any, cursor: Any, statement: str, parameters: Any, *_: Any) -> None:
        if "FROM packages" in statement and not statement.startswith("EXPLAIN"):
            cursor.execute(f"EXPLAIN QUERY PLAN {statement}", parameters)
            plans.append(str([tuple(row) for row in cursor.fetchall()]))

    if not driver.services.database.is_sqlite:
        pytest.skip("PostgreSQL knows how many rows a filter leaves")
    event.listen(engine, "before_cursor_execute", explain)
    try:
        with driver.reading() as work:
            search_queries.search(work.session, SearchRequest(**asked), None, None)
    finally:
        event.remove(engine, "before_cursor_execute", explain)
    [plan] = plans
    assert index in plan
    assert "TEMP B-TREE FOR ORDER BY" not in plan, "equals alone may be sorted"
