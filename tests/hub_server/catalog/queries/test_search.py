"""Facets: replaced whole, and filters that hold without an index."""

from hub_server.catalog.queries import packages as package_queries
from hub_server.catalog.queries import search as search_queries
from hub_server.catalog.rules import SearchRequest
from tests.making.action_driver import ActionDriver


def test_tags_are_replaced_whole_and_each_is_there_once(hub: ActionDriver) -> None:
    with hub.writing() as work:
        package_queries.replace_facets(work.session, "al/a", {"tag": ["z", "a", "z"], "family": ["code"]})
        work.session.flush()
        assert package_queries.tags_of(work.session, ["al/a", "al/b", "none"]) == {
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
