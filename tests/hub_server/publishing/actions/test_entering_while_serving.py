"""Old releases are entered while others publish: neither waits for ever, and none is taken for entered."""

import threading
from typing import Any

import pytest
from sqlalchemy import event, text

from hub_server.journal import actions as journal
from hub_server.kernel.services import Services
from hub_server.publishing import actions
from tests.making.action_driver import ActionDriver
from tests.making.engines import INTERLEAVING
from tests.making.hub_processes import wait_until

_WAITING = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"


@pytest.fixture
def hub(services: Services) -> ActionDriver:
    """A hub with two releases of which its journal says nothing, and which has signed nothing yet."""
    driver = ActionDriver(services)
    alice = driver.person("alice")
    for version in ("1.0", "2.0"):
        driver.publish(alice, version=version)
    driver.forget_journal()
    with driver.writing() as work:
        work.session.execute(text("DELETE FROM signing_keys"))
    return driver


@INTERLEAVING
def test_a_publish_that_signs_for_the_first_time_and_the_entering_do_not_wait_for_each_other(hub: ActionDriver) -> None:
    """The batch held the lock of the order of commits and waited for the key's row, which the publish had written."""
    failed: list[BaseException] = []

    def enter() -> None:
        try:
            actions.enter_missing_releases(hub.services)
        except Exception as error:  # noqa: BLE001 -- looked at below
            failed.append(error)

    entering = threading.Thread(target=enter)
    with hub.writing() as publish:
        journal.record_publish(publish, "alice/other", "1.0", "sha256:" + "0" * 64, publish.now)
        publish.session.flush()
        entering.start()
        wait_until(lambda: hub.rows(_WAITING)[0][0], "a batch that waits for the publish")
    entering.join(60)
    assert (entering.is_alive(), failed) == (False, [])
    assert len(hub.rows("SELECT 1 FROM journal_entries")) == 3


@INTERLEAVING
def test_a_publish_between_the_two_counts_does_not_make_a_journal_complete(hub: ActionDriver) -> None:
    """A hub that took itself for complete never entered what it lacked."""
    bob = hub.person("bob")

    def publish_once(*_statement: Any) -> None:
        for version in ("1.0", "2.0"):
            hub.publish(bob, "bob/quick", version)

    with hub.reading() as work:
        event.listen(hub.services.database.engine, "after_cursor_execute", publish_once, once=True)
        assert actions.count_missing_entries(work) >= 2
