"""The search: every operator is a word, every package comes once, and what comes does not grow with the hub."""

import difflib
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import text

from hub_server.catalog import actions
from hub_server.catalog.actions import nearest
from hub_server.catalog.actions.nearest import MOST_COMPARED
from hub_server.catalog.rules.search_request import SearchRequest
from hub_server.database.visibility import EVERYTHING, see_as
from hub_server.errors import InvalidRequestError
from hub_server.kernel.cursors import encode_cursor
from schemas.package import PackageSort
from tests.making.action_driver import ActionDriver, caller
from tests.making.altered_library import alter_library
from tests.making.wheel import MANIFEST

ALICE = caller("alice")
NAMES = ("math-answer", "math-verifier", "code-check", "a", "name-check")


@pytest.fixture
def hub(driver: ActionDriver) -> ActionDriver:
    driver.person("alice")
    for name in NAMES:
        driver.publish(ALICE, f"alice/{name}")
    return driver


def found(hub: ActionDriver, **asked) -> list[str]:
    page = hub.ask(None, actions.search_packages, SearchRequest(**asked))
    return [one.id.partition("/")[2] for one in page.items]


@pytest.mark.parametrize(
    ("text", "first"),
    [("math-verifier", "math-verifier"), ("alice/math-answer", "math-answer"), ("a", "a"), ("CODE", "code-check"),
     ("verif", "math-verifier"), ("  code-check ", "code-check")],
)  # fmt: skip
def test_whoever_types_a_name_finds_it_first(hub: ActionDriver, text: str, first: str) -> None:
    assert found(hub, text=text)[0] == first


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.text(max_size=30)
    | st.sampled_from(['"', "NEAR(a b)", "name:x", "a OR", "*", "^a", "-x", "a AND NOT b", "{", "(", "'; --"])
)
def test_no_text_is_an_operator_or_a_fault(hub: ActionDriver, text: str) -> None:
    page = hub.ask(None, actions.search_packages, SearchRequest(text=text))
    assert page.total is not None
    assert 0 <= len(page.items) <= len(NAMES)


@pytest.mark.parametrize("sort", list(PackageSort))
def test_page_by_page_every_package_comes_once_in_every_order(hub: ActionDriver, sort: PackageSort) -> None:
    text = "alice" if sort is PackageSort.RELEVANCE else ""
    whole = found(hub, sort=sort, text=text)
    seen, cursor = [], None
    while True:
        page = hub.ask(None, actions.search_packages, SearchRequest(sort=sort, text=text, cursor=cursor, limit=2))
        seen += [one.id.partition("/")[2] for one in page.items]
        assert page.total == len(NAMES)
        if (cursor := page.next) is None:
            break
    assert seen == whole
    assert sorted(seen) == sorted(NAMES)


@pytest.mark.parametrize(
    "key", ["2026-01-01T00:00:00", "yesterday", "", "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "\x00"]
)
def test_a_made_up_time_in_a_cursor_is_refused(hub: ActionDriver, key: str) -> None:
    """A time without a zone was a fault of the hub, in an address that anybody can write."""
    cursor = encode_cursor("search:updated", key, "alice/a")
    with pytest.raises(InvalidRequestError, match="cursor"):
        hub.ask(None, actions.search_packages, SearchRequest(sort=PackageSort.UPDATED, cursor=cursor))


def test_a_cursor_of_another_order_is_refused(hub: ActionDriver) -> None:
    cursor = hub.ask(None, actions.search_packages, SearchRequest(sort=PackageSort.NAME, limit=1)).next
    assert cursor is not None
    for sort in set(PackageSort) - {PackageSort.NAME}:
        with pytest.raises(InvalidRequestError):
            hub.ask(None, actions.search_packages, SearchRequest(sort=sort, cursor=cursor))


def test_words_without_a_hit_have_no_facets_and_a_total_of_none(hub: ActionDriver) -> None:
    page = hub.ask(None, actions.search_packages, SearchRequest(text="…!?"))
    assert (page.items, page.total, page.next) == ([], 0, None)


def test_a_facets_own_choice_does_not_hide_its_other_values(hub: ActionDriver) -> None:
    page = hub.ask(None, actions.search_packages, SearchRequest(owner="nobody"))
    assert (page.items, page.total) == ([], 0)
    assert page.facets["owner"] == {"alice": len(NAMES)}
    assert page.facets["kind"] == {}


@pytest.mark.parametrize(
    ("typed", "wanted"),
    [
        ("math-anser", "alice/math-answer"),
        ("alice/code-chek", "alice/code-check"),
        ("MATH-VERIFIER", "alice/math-verifier"),
    ],
)
def test_a_mistyped_name_is_answered_with_the_nearest(hub: ActionDriver, typed: str, wanted: str) -> None:
    assert hub.ask(None, actions.suggest_packages, typed)[0] == wanted


@pytest.mark.parametrize("typed", ["", "   ", "zzzzzz", "%", "_", "\x00", "x" * 5000])
def test_what_is_near_to_nothing_suggests_nothing(hub: ActionDriver, typed: str) -> None:
    assert hub.ask(None, actions.suggest_packages, typed) == []


def test_so_many_names_are_compared_and_no_more(hub: ActionDriver, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every name of the hub was compared with what anybody typed, a letter at a time."""
    monkeypatch.setattr(nearest, "MOST_COMPARED", 2)
    compared: list[list[str]] = []

    def matches(wanted: str, names: list[str], **how: Any) -> list[str]:
        compared.append(names)
        return difflib.get_close_matches(wanted, names, **how)

    alter_library(monkeypatch, nearest, "difflib", get_close_matches=matches)
    for number in range(3):
        hub.publish(ALICE, f"alice/math-answer-{number}")
    assert len(hub.ask(None, actions.suggest_packages, "math-answr")) == 2, "of four that are near enough"
    assert [len(names) for names in compared] == [2, 2]


def test_the_same_name_of_two_owners_is_suggested_twice(hub: ActionDriver) -> None:
    """Whoever publishes a name that exists must not push the other out of the list."""
    hub.publish(hub.person("bob"), "bob/math-answer")
    assert set(hub.ask(None, actions.suggest_packages, "math-answr")) >= {"alice/math-answer", "bob/math-answer"}


def test_a_page_costs_the_same_number_of_statements_whatever_is_on_it(hub: ActionDriver) -> None:
    counts = []
    hub.ask(None, actions.search_packages, SearchRequest(limit=1))  # the index is at the newest state then
    for limit in (1, 5):
        with hub.reading() as work, hub.statements() as sent:
            actions.search_packages(work, SearchRequest(limit=limit))
        counts.append(len(sent))
    assert counts[0] == counts[1] <= 6
    assert MOST_COMPARED < 1000


def test_newest_releases_leave_quarantined_ones_out(hub: ActionDriver) -> None:
    with hub.writing() as work:
        actions.set_fact(work, actions.resolve_release(work, "alice/a", "1.0.0"), "quarantined", "x")
    names = [one.package for one in hub.ask(None, actions.list_newest_releases)]
    assert names == ["alice/name-check", "alice/code-check", "alice/math-verifier", "alice/math-answer"]
    assert hub.ask(None, actions.list_newest_releases, owner="bob") == []
    assert len(hub.ask(None, actions.list_newest_releases, owner="alice", limit=2)) == 2
    assert "alice/a" not in hub.ask(None, actions.list_package_ids)
    assert hub.ask(None, actions.count_everything) == {"packages": 5, "releases": 5}


def test_similar_packages_are_those_that_everybody_may_find(driver: ActionDriver) -> None:
    """By tags, without the package itself, what is quarantined, and what is private."""
    driver.person("alice")
    for name in ("one", "two", "hush", "bad", "other"):
        manifest = MANIFEST.replace('"math"', '"poems"' if name == "other" else '"arithmetic"')
        driver.publish(ALICE, f"alice/{name}", manifest=manifest)
    with driver.writing() as work:
        see_as(work.session, EVERYTHING)
        work.session.execute(text("UPDATE packages SET is_private = (1 = 1) WHERE id = 'alice/hush'"))
        actions.refresh_package(work, "alice/hush")
        actions.set_fact(work, actions.resolve_release(work, "alice/bad", "1.0.0"), "quarantined", "x")
    driver.ask(None, actions.search_packages, SearchRequest())  # brings the index up to date
    assert [card.id for card in driver.ask(None, actions.list_similar, "alice/one")] == ["alice/two"]
    with driver.statements() as sent:
        driver.ask(None, actions.list_similar, "alice/one")
    assert len([one for one in sent if one.startswith("SELECT")]) == 5
    with driver.statements() as sent:  # its page shows their grades alone
        assert driver.ask(None, actions.list_similar_grades, "alice/one") == [("alice/two", None)]
    assert len([one for one in sent if one.startswith("SELECT")]) == 3
