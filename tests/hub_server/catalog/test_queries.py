"""Statements about packages: a stranger's text is text, a race ends well, and every facet counts what it shows."""

import pytest

from hub_server.catalog import queries
from hub_server.catalog.models import PackageRow
from hub_server.catalog.rules import SearchRequest, version_key
from tests.hub_server.catalog.test_models import package, release
from tests.making.desk import Desk


@pytest.fixture
def hub(desk: Desk) -> Desk:
    """al/a (math; 2 releases), al/b (math, code; a verifier), bo/a_b (a tool, hidden)."""
    with desk.writing() as work:
        for identifier, kind, tags, listed in (
            ("al/a", "verifier", ["math"], True), ("al/b", "environment", ["code", "math", "math"], True),
            ("bo/a_b", "tool", ["code"], False),
        ):  # fmt: skip
            row = package(desk, identifier)
            row.kind, row.is_listed, row.licence = kind, listed, "MIT" if kind == "tool" else ""
            work.session.add(row)
            work.session.flush()
            queries.replace_facets(work.session, identifier, {"tag": tags})
        work.session.add_all(
            release(desk, version, package_id="al/a", id=version) for version in ("1.9.0", "1.10.0", "1.10.0rc1")
        )
    return desk


def test_releases_order_by_version(hub: Desk) -> None:
    with hub.reading() as work:
        assert [row.version for row in queries.releases_of(work.session, "al/a")] == ["1.10.0", "1.10.0rc1", "1.9.0"]
        page = queries.page_of_releases(work.session, "al/a", version_key("1.10.0"), 1)
        assert [row.version for row in page] == ["1.10.0rc1"]
        assert queries.find_release_by_key(work.session, "al/a", version_key("1.9")) is not None
        assert queries.find_release_by_key(work.session, "al/b", version_key("1.9")) is None
        assert list(queries.releases_by_ids(work.session, ["1.9.0", "none"])) == ["1.9.0"]
        assert queries.releases_by_ids(work.session, []) == {}


def test_of_two_who_make_a_package_at_once_one_does_and_the_other_goes_on(hub: Desk) -> None:
    with hub.writing() as work:
        assert queries.add_package_if_absent(work.session, package(hub, "al/new"))
    with hub.writing() as work:
        work.session.add(release(hub, "2.0.0", package_id="al/a"))
        assert not queries.add_package_if_absent(work.session, package(hub, "al/new"))
    assert hub.rows("SELECT version FROM releases WHERE version = '2.0.0'") == [("2.0.0",)], "the rest is not undone"


def test_tags_are_replaced_whole_and_each_is_there_once(hub: Desk) -> None:
    with hub.writing() as work:
        queries.replace_facets(work.session, "al/a", {"tag": ["z", "a", "z"], "family": ["code"]})
        work.session.flush()
        assert queries.tags_of(work.session, ["al/a", "al/b", "none"]) == {
            "al/a": ["a", "z"], "al/b": ["code", "math"], "none": [],
        }  # fmt: skip
        queries.replace_facets(work.session, "al/a", {"tag": [], "family": []})
    assert hub.rows("SELECT count(*) FROM package_facets WHERE package_id = 'al/a'") == [(0,)]


def test_filters_hold_in_the_whole_list_too_where_no_index_is_asked(hub: Desk) -> None:
    with hub.writing() as work:
        queries.replace_facets(work.session, "al/a", {"interaction": ["tools", "single-turn"], "tag": ["tools"]})
    with hub.reading() as work:
        for asked, ids in (
            (SearchRequest(interactions=("tools",)), ["al/a"]),
            (SearchRequest(interactions=("tools", "single-turn")), ["al/a"]),
            (SearchRequest(families=("tools",)), []),
        ):
            assert [row.id for row, _ in queries.search(work.session, asked, None, None)] == ids


def test_any_value_of_one_facet_and_all_facets_together(hub: Desk) -> None:
    def found(**asked) -> list[str]:
        with hub.reading() as work:
            return [row.id for row, _ in queries.search(work.session, SearchRequest(sort="name", **asked), None, None)]

    assert found(kinds=("verifier", "environment")) == ["al/a", "al/b"]
    assert found(kinds=("verifier",), tags=("code",)) == []
    assert found(owner="bo") == []
    assert found(owner="al", tags=("code", "none")) == ["al/b"]


def test_downloads_add_up_by_day(hub: Desk) -> None:
    for day in ("2026-11-20", "2026-11-21", "2026-11-21"):
        hub.do(None, lambda work, day: queries.count_download(work.session, "1.9.0", "al/a", day), day)
    with hub.reading() as work:
        assert queries.downloads_since(work.session, "al/a", "2026-11-21") == {"2026-11-21": 2}
        assert queries.downloads_since(work.session, "al/b", "2026-01-01") == {}
        row = work.session.get(PackageRow, "al/a")
        assert row is not None
        assert row.downloads == 3


def test_a_locked_package_is_read_anew(hub: Desk) -> None:
    with hub.writing() as work:
        stale = queries.find_package(work.session, "al/a")
        assert stale is not None
        work.session.connection().exec_driver_sql("UPDATE packages SET fixed_case_count = 7 WHERE id = 'al/a'")
        locked = queries.lock_package(work.session, "al/a")
        assert locked is stale
        assert locked.fixed_case_count == 7


def test_every_package_has_its_id_in_the_list(hub: Desk) -> None:
    with hub.reading() as work:
        assert queries.list_package_ids(work.session) == ["al/a", "al/b"]
