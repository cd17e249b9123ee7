"""The statements about senders: each counts once in a window, and sums are taken over days."""

from hub_server.catalog.queries import counts, trends
from tests.making.desk import Desk, caller

ALICE = caller("alice")
PACKAGE = "alice/small-sums"


def fetch(hub: Desk, sender: int, day: str, window_start: str) -> None:
    with hub.writing() as work:
        release = hub.rows("SELECT id FROM releases")[0][0]
        counts.count_download(work.session, release, PACKAGE, day)
        trends.count_sender(work.session, PACKAGE, sender, day, window_start)


def test_a_sender_counts_again_when_its_window_is_over_and_sums_are_by_day(desk: Desk) -> None:
    desk.person("alice")
    desk.publish(ALICE, PACKAGE)
    fetch(desk, 7, "2026-11-01", "2026-10-19")
    fetch(desk, 7, "2026-11-10", "2026-10-28")
    fetch(desk, 8, "2026-11-10", "2026-10-28")
    fetch(desk, 7, "2026-11-20", "2026-11-07")
    with desk.reading() as work:
        assert trends.senders_by_package(work.session, "2026-11-01", "2026-11-10", 5) == [(PACKAGE, 2, 1)]
        assert trends.senders_by_package(work.session, "2026-11-02", "2026-11-15", 5) == [(PACKAGE, 1, 1)]
    with desk.writing() as work:
        trends.forget_senders(work.session, "2026-11-15")
    assert desk.rows("SELECT sender, day FROM download_senders") == [(7, "2026-11-20")]


def test_trends_are_set_and_read(desk: Desk) -> None:
    desk.person("alice")
    desk.publish(ALICE, PACKAGE)
    with desk.writing() as work:
        trends.set_trends(work.session, {})
        trends.set_trends(work.session, {PACKAGE: 2.5})
    with desk.reading() as work:
        assert trends.trends(work.session) == {PACKAGE: 2.5}
        assert trends.trending(work.session, 5) == [PACKAGE]
