"""The search index follows the database: hidden packages leave it, and a lost or newer index is brought back in step."""

from dataclasses import replace
from pathlib import Path

import pytest

from hub_server.adapters.tantivy_search_index import TantivySearchIndex
from hub_server.catalog import actions
from hub_server.catalog.actions import search_updates
from hub_server.catalog.actions.search_updates import catch_up
from hub_server.catalog.rules.search_request import SearchRequest
from hub_server.moderation import actions as moderation
from tests.making.action_driver import ActionDriver

EVERYTHING = {"alice/poems", "bob/ducks"}


@pytest.fixture
def hub(driver: ActionDriver) -> ActionDriver:
    for package in sorted(EVERYTHING):
        driver.publish(driver.person(package.split("/")[0]), package)
    return driver


def found(hub: ActionDriver, text: str) -> set[str]:
    return {card.id for card in hub.ask(None, actions.search_packages, SearchRequest(text=text)).items}


def test_a_search_sees_what_was_published_before_it(hub: ActionDriver) -> None:
    for number in range(3):
        assert found(hub, f"newest{number}") == set()
        hub.publish(hub.person(f"carol{number}"), f"carol{number}/newest{number}")
        assert found(hub, f"newest{number}") == {f"carol{number}/newest{number}"}


def test_what_is_hidden_leaves_the_index_and_comes_back(hub: ActionDriver) -> None:
    judge = hub.person("judge", is_moderator=True)
    hub.do(judge, moderation.quarantine_package, "bob/ducks", "test")
    assert found(hub, "ducks") == set()
    page = hub.ask(None, actions.search_packages, SearchRequest())
    assert (page.total, page.facets["owner"]) == (1, {"alice": 1})
    hub.do(judge, moderation.unquarantine_package, "bob/ducks", "test")
    assert found(hub, "ducks") == {"bob/ducks"}


def test_a_lost_index_is_built_again_by_whoever_searches(hub: ActionDriver) -> None:
    hub.services.search.clear()
    assert found(hub, "ducks") == {"bob/ducks"}


def test_an_index_of_a_newer_database_is_thrown_away(hub: ActionDriver) -> None:
    """A restored backup is older than the index beside it."""
    hub.services.search.write([], ["alice/poems"], 10**9)
    assert hub.ask(None, catch_up)
    assert hub.services.search.position() < 10**9
    assert found(hub, "poems") == {"alice/poems"}


def test_every_process_has_the_whole_index_whichever_wrote_last(hub: ActionDriver, tmp_path: Path) -> None:
    folder = tmp_path / "index"
    one, two = (ActionDriver(replace(hub.services, search=TantivySearchIndex(folder))) for _ in range(2))
    assert found(one, "sums") == EVERYTHING
    hub.publish(hub.person("carol"), "carol/third")
    assert found(two, "sums") == {*EVERYTHING, "carol/third"}
    assert found(one, "sums") == {*EVERYTHING, "carol/third"}


def test_many_changes_are_read_in_batches(hub: ActionDriver, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search_updates, "_BATCH", 1)
    hub.services.search.clear()
    assert hub.ask(None, catch_up)
    assert hub.services.search.find("", {}, 0).total == 2


def test_a_search_does_not_wait_for_ever_for_an_index_that_stays_behind(
    hub: ActionDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process holds the index's lock: the search answers with what is indexed."""
    hub.services.search.clear()
    monkeypatch.setattr(hub.services.search, "write", lambda *_: None)
    assert not hub.ask(None, catch_up, patience_seconds=0.05)
    assert found(hub, "poems") == set()


def test_a_question_in_the_fields_words_reaches_facets_and_licence(hub: ActionDriver) -> None:
    """The licence was only a filter, and "for", "no" and "a" had to be in the text."""
    made = hub.ask(None, actions.search_packages, SearchRequest(text="a single-turn package with a licence for me"))
    assert {card.id for card in made.items} == EVERYTHING
