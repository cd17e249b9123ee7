"""The statements about watches: due ones first, and by an index."""

from datetime import timedelta

from hub_server.watches import queries
from hub_server.watches.models import WatcherRow
from tests.hub_server.watches.test_models import add
from tests.making.desk import Desk


def watcher(desk: Desk, name: str, minutes: int | None) -> WatcherRow:
    desk.person(name)
    now = desk.clock.now()
    due = None if minutes is None else now + timedelta(minutes=minutes)
    return WatcherRow(account_id=f"id-{name}", pace="hour", unsubscribe_code=name, earliest_at=now, next_mail_at=due)


def test_whoever_waits_longest_is_mailed_first_and_nobody_early(desk: Desk) -> None:
    add(desk, watcher(desk, "al", -5), watcher(desk, "bo", -9), watcher(desk, "cy", 5), watcher(desk, "di", None))
    now = desk.clock.now()
    with desk.writing() as work:
        assert queries.has_due(work.session, now)
        assert [row.account_id for row in queries.due_watchers(work.session, now, 10)] == ["id-bo", "id-al"]
        assert not queries.has_due(work.session, now - timedelta(hours=1))


def test_asking_who_is_due_reads_an_index(desk: Desk) -> None:
    assert "ix_watchers_next_mail_at" in desk.plan_of(
        "SELECT account_id FROM watchers WHERE next_mail_at <= '2026' LIMIT 1"
    )


def test_the_watchers_of_an_owner_are_found_by_an_index(desk: Desk) -> None:
    plan = desk.plan_of(
        "SELECT account_id FROM watches WHERE owner = 'al' AND (package_id = '' OR package_id = 'al/x')"
    )
    assert "ix_watches_owner_package_id" in plan
    either = "(owner = 'al' AND package_id = '') OR package_id = 'al/x'"
    assert "SCAN watches" not in desk.plan_of(f"SELECT account_id FROM watches WHERE {either}")
