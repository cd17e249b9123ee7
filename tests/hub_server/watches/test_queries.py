"""The statements about watches: due ones first, and by an index."""

from datetime import timedelta

from hub_server.watches import queries
from hub_server.watches.models import WatcherRow
from tests.hub_server.watches.test_models import add
from tests.making.action_driver import ActionDriver


def watcher(driver: ActionDriver, name: str, minutes: int | None) -> WatcherRow:
    driver.person(name)
    now = driver.clock.now()
    due = None if minutes is None else now + timedelta(minutes=minutes)
    return WatcherRow(account_id=f"id-{name}", pace="hour", unsubscribe_code=name, earliest_at=now, next_mail_at=due)


def test_whoever_waits_longest_is_mailed_first_and_nobody_early(driver: ActionDriver) -> None:
    add(
        driver,
        watcher(driver, "al", -5),
        watcher(driver, "bo", -9),
        watcher(driver, "cy", 5),
        watcher(driver, "di", None),
    )
    now = driver.clock.now()
    with driver.writing() as work:
        assert queries.has_due(work.session, now)
        assert [row.account_id for row in queries.due_watchers(work.session, now, 10)] == ["id-bo", "id-al"]
        assert not queries.has_due(work.session, now - timedelta(hours=1))


def test_asking_who_is_due_reads_an_index(driver: ActionDriver) -> None:
    assert "ix_watchers_next_mail_at" in driver.plan_of(
        "SELECT account_id FROM watchers WHERE next_mail_at <= '2026' LIMIT 1"
    )


def test_the_watchers_of_an_owner_are_found_by_an_index(driver: ActionDriver) -> None:
    plan = driver.plan_of(
        "SELECT account_id FROM watches WHERE owner = 'al' AND (package_id = '' OR package_id = 'al/x')"
    )
    assert "ix_watches_owner_package_id" in plan
    either = "(owner = 'al' AND package_id = '') OR package_id = 'al/x'"
    assert "SCAN watches" not in driver.plan_of(f"SELECT account_id FROM watches WHERE {either}")
