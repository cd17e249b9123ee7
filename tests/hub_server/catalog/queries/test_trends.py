"""The statements about senders: each counts once in a window, and sums are taken over days."""

from hub_server.catalog.queries import counts, trends
from tests.making.action_driver import ActionDriver, caller

ALICE = caller("alice")
PACKAGE = "alice/small-sums"


def fetch(hub: ActionDriver, sender: int, day: str, window_start: str) -> None:
    with hub.writing() as work:
        release = hub.rows("SELECT id FROM releases")[0][0]
        counts.count_download(work.session, release, PACKAGE, day)
        trends.count_sender(work.session, PACKAGE, sender, day, window_start)


def test_a_sender_counts_again_when_its_window_is_over_and_sums_are_by_day(driver: ActionDriver) -> None:
    driver.person("alice")
    driver.publish(ALICE, PACKAGE)
    fetch(driver, 7, "2026-11-01", "2026-10-19")
    fetch(driver, 7, "2026-11-10", "2026-10-28")
    fetch(driver, 8, "2026-11-10", "2026-10-28")
    fetch(driver, 7, "2026-11-20", "2026-11-07")
    with driver.reading() as work:
        assert trends.senders_by_package(work.session, "2026-11-01", "2026-11-10", 5) == [(PACKAGE, 2, 1)]
        assert trends.senders_by_package(work.session, "2026-11-02", "2026-11-15", 5) == [(PACKAGE, 1, 1)]
    with driver.writing() as work:
        trends.forget_senders(work.session, "2026-11-15")
    assert driver.rows("SELECT sender, day FROM download_senders") == [(7, "2026-11-20")]


def test_trends_are_set_and_read(driver: ActionDriver) -> None:
    driver.person("alice")
    driver.publish(ALICE, PACKAGE)
    with driver.writing() as work:
        trends.set_trends(work.session, {})
        trends.set_trends(work.session, {PACKAGE: 2.5})
    with driver.reading() as work:
        assert trends.trends(work.session) == {PACKAGE: 2.5}
        assert trends.trending(work.session, 5) == [PACKAGE]
