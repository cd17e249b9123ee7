"""What trends: more senders than before, each once; nobody alone pushes a package up."""

import pytest
from sqlalchemy import text

from hub_server.catalog import actions
from hub_server.catalog.rules.search_request import SearchRequest
from hub_server.database.visibility import EVERYTHING, see_as
from schemas.package import PackageSort
from tests.making.action_driver import ActionDriver, caller

ALICE = caller("alice")
DAY = 86_400


@pytest.fixture
def hub(driver: ActionDriver) -> ActionDriver:
    driver.person("alice")
    for name in ("calm", "loud", "hush"):
        driver.publish(ALICE, f"alice/{name}")
    return driver


def fetch(hub: ActionDriver, package: str, *senders: str, times: int = 1) -> None:
    for _ in range(times):
        for sender in senders:
            hub.do(None, actions.count_download, package, "1.0.0", sender)


def people(count: int, kind: str = "account") -> list[str]:
    return [f"{kind}:{number}" for number in range(count)]


def trending(hub: ActionDriver) -> list[str]:
    """What the worker finds in its hour, and home shows then."""
    with hub.reading() as work:
        see_as(work.session, EVERYTHING)
        changed = actions.changed_trends(work)
    with hub.writing() as work:
        see_as(work.session, EVERYTHING)
        actions.keep_trends(work, changed)
    return [card.id for card in hub.ask(None, actions.list_trending, 10)]


def test_one_sender_pushes_nothing_up_however_often_it_comes(hub: ActionDriver) -> None:
    for _ in range(20):
        fetch(hub, "alice/loud", "account:mallory", "10.0.0.1", times=3)
        hub.clock.advance(DAY)
    assert trending(hub) == []
    assert hub.ask(None, actions.get_package, "alice/loud").card.downloads == 120, "as a count of downloads they stand"


def test_what_more_senders_take_than_before_trends_and_ends_to(hub: ActionDriver) -> None:
    fetch(hub, "alice/calm", *people(12))
    fetch(hub, "alice/loud", *people(2))
    hub.clock.advance(15 * DAY)
    fetch(hub, "alice/calm", *people(14))
    fetch(hub, "alice/loud", *people(14))
    assert trending(hub) == ["alice/loud"], "14 after 12 may be chance"
    page = hub.ask(None, actions.search_packages, SearchRequest(sort=PackageSort.TRENDING))
    assert page.items[0].id == "alice/loud"
    assert len(page.items) == 3, "an order leaves nothing out"
    hub.clock.advance(15 * DAY)
    assert trending(hub) == []
    assert hub.rows("SELECT count(*) FROM download_senders") == [(0,)], "nobody is remembered for longer"


def test_a_quiet_hub_shows_nothing_and_a_new_one_what_five_took(hub: ActionDriver) -> None:
    assert trending(hub) == []
    fetch(hub, "alice/calm", *people(4))
    assert trending(hub) == []
    fetch(hub, "alice/calm", *people(8, "10.0.0"))
    assert trending(hub) == ["alice/calm"]


def test_what_is_private_or_stopped_does_not_trend(hub: ActionDriver) -> None:
    for name in ("hush", "loud"):
        fetch(hub, f"alice/{name}", *people(20))
    with hub.writing() as work:
        work.session.execute(text("UPDATE packages SET is_private = (1 = 1) WHERE id = 'alice/hush'"))
        actions.set_fact(work, actions.resolve_release(work, "alice/loud", "1.0.0"), "quarantined", "x")
    assert trending(hub) == []


def test_who_downloaded_is_not_kept(hub: ActionDriver) -> None:
    fetch(hub, "alice/calm", "account:secretname", "192.0.2.77")
    kept = hub.rows("SELECT * FROM download_senders")
    assert len(kept) == 2
    assert all(0 <= sender < 4096 for _, sender, _ in kept)


def selects(sent: list[str]) -> list[str]:
    return [one for one in sent if one.startswith("SELECT")]


def test_a_list_costs_the_same_number_of_statements_whatever_is_in_it(hub: ActionDriver) -> None:
    counts = []
    for names in (["calm"], ["calm", "loud", "hush"]):
        for name in names:
            fetch(hub, f"alice/{name}", *people(20))
        assert len(trending(hub)) == len(names)
        with hub.reading() as work, hub.statements() as sent:
            actions.list_trending(work, 10)
        counts.append(len(selects(sent)))
    assert counts == [4, 4]
    hub.do(None, lambda work: work.session.execute(text("UPDATE packages SET trend = 0")))
    with hub.reading() as work, hub.statements() as sent:
        actions.list_trending(work, 10)
    assert len(selects(sent)) == 1, "a quiet hub pays for one"


def test_the_trending_are_found_by_an_index(driver: ActionDriver) -> None:
    plan = driver.plan_of("SELECT id FROM packages WHERE trend > 0 AND is_listed ORDER BY trend DESC, id LIMIT 5")
    assert "ix_packages_trend_id" in plan
    assert "ix_download_senders_day" in driver.plan_of("DELETE FROM download_senders WHERE day < '2026'")
