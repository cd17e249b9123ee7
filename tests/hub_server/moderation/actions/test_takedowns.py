"""What is taken down is gone: its bytes and every word of its author; the reason stays."""

import pytest

from hub_server.app import create_app
from hub_server.catalog.actions import get_package, get_release, search_packages, usable_release
from hub_server.catalog.errors import WithheldError
from hub_server.catalog.rules.search_request import SearchRequest
from hub_server.moderation import actions
from tests.making.action_driver import ActionDriver, caller, person
from tests.making.hub import Api
from tests.making.wheel import MANIFEST

ALICE, MODA = caller("alice"), person("moda", is_moderator=True)
PACKAGE = "alice/small-sums"


@pytest.fixture
def hub(driver: ActionDriver) -> ActionDriver:
    for name in ("alice", "moda"):
        driver.person(name)
    driver.publish(ALICE, version="1.0.0")
    driver.publish(ALICE, version="1.1.0")
    return driver


def listed(hub: ActionDriver) -> list[str]:
    return [card.id for card in hub.ask(None, search_packages, SearchRequest()).items]


def test_a_takedown_leaves_a_tombstone_and_no_word_of_its_author(hub: ActionDriver) -> None:
    hub.do(MODA, actions.take_down_release, PACKAGE, "1.1.0", "private data")
    release = hub.ask(None, get_release, PACKAGE, "1.1.0")
    assert (release.state, release.taken_down_reason, release.summary) == ("quarantined", "private data", "")
    assert hub.rows(
        "SELECT count(*) FROM release_files f JOIN releases r ON r.id = f.release_id WHERE r.version='1.1.0'"
    ) == [(0,)]
    for by in (None, ALICE, MODA):  # not even moderators: the bytes are gone
        with pytest.raises(WithheldError):
            hub.ask(by, usable_release, PACKAGE, "1.1.0")
    assert hub.ask(None, get_release, PACKAGE).version == "1.0.0"
    with pytest.raises(WithheldError):  # its version is never given again, not even to the same bytes
        hub.publish(ALICE, version="1.1.0")


def test_a_takedown_leaves_no_text_of_the_manifest_and_every_page_still_answers(hub: ActionDriver) -> None:
    words = MANIFEST.replace('tags = ["math"]', 'tags = ["canary-tag"]')
    words = words.replace("the sum is right", "CANARY words")
    assert "CANARY" in words
    hub.publish(ALICE, version="3.0.0", manifest=words)
    hub.do(MODA, actions.take_down_release, PACKAGE, "3.0.0", "private data")
    release = hub.ask(None, get_release, PACKAGE, "3.0.0")
    assert "canary" not in release.model_dump_json().lower()
    assert "canary" not in str(hub.rows("SELECT * FROM releases")).lower()
    assert set(release.manifest.rewards) == {"correct"}
    api = Api(create_app(hub.services))
    for tab in ("", "/audit", "/code", "/tasks", "/cases", "/used-by", "/try", "/badge.svg"):
        status = api.get(f"/packages/{PACKAGE}/releases/3.0.0{tab}", headers={"Accept": "text/html"}).status_code
        assert status < 500, tab
    for path in ("", "/wheel", "/tasks", "/rewards", "/audits", "/neighbours", "/files"):
        assert api.get(f"/api/v1/packages/{PACKAGE}/releases/3.0.0{path}").status_code < 500, path


def test_of_a_package_that_was_taken_down_its_reason_alone_is_told(hub: ActionDriver) -> None:
    hub.do(MODA, actions.take_down_package, PACKAGE, "private data")
    for by in (None, ALICE, MODA):
        with pytest.raises(WithheldError, match="private data"):
            hub.ask(by, get_package, PACKAGE)
    with pytest.raises(WithheldError):
        hub.publish(ALICE, version="3.0.0")
    assert listed(hub) == []
    assert hub.rows("SELECT summary, licence FROM packages") == [("", "")]
    assert hub.rows("SELECT count(*) FROM releases WHERE readme <> ''") == [(0,)]
