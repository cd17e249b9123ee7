"""What a start does for the journal in the background ends with the hub, and outlives a database that is away."""

import threading

from hub_server.database.read_only import set_read_only, set_writable
from hub_server.errors import StorageUnavailableError
from hub_server.journal_completion import complete_journal
from hub_server.publishing import actions
from tests.making.action_driver import ActionDriver


def test_releases_are_entered(driver: ActionDriver) -> None:
    driver.publish(driver.person("alice"))
    driver.forget_journal()
    complete_journal(driver.services, lambda _: None, threading.Event())
    assert len(driver.rows("SELECT position FROM journal_entries")) == 1


def test_what_failed_is_tried_again_until_the_hub_stops(driver: ActionDriver, monkeypatch) -> None:
    tries: list[int] = []

    class Waits(threading.Event):
        def wait(self, timeout: float | None = None) -> bool:
            assert timeout is not None
            return super().wait(0)

    def fail_twice(*_given) -> int:
        tries.append(1)
        if len(tries) < 3:
            raise StorageUnavailableError("away")
        return 0

    monkeypatch.setattr(actions, "enter_missing_releases", fail_twice)
    complete_journal(driver.services, lambda _: None, Waits())
    assert len(tries) == 3
    stopped = Waits()
    stopped.set()
    complete_journal(driver.services, lambda _: None, stopped)
    assert len(tries) == 3


def test_what_a_read_only_hub_could_not_enter_is_entered_once_it_is_writable(driver: ActionDriver) -> None:
    """It gave up for good when it started read-only, and /readyz answered 503 from the end of that mode on."""
    driver.publish(driver.person("alice"))
    driver.forget_journal()
    driver.do(None, lambda work: set_read_only(work.session, work.now, "a backup"))

    class WritableAfterAWhile(threading.Event):
        waits = 0

        def wait(self, timeout: float | None = None) -> bool:
            assert timeout is not None
            assert driver.rows("SELECT position FROM journal_entries") == []
            self.waits += 1
            if self.waits == 2:
                with driver.services.database.writing(even_if_read_only=True) as session:
                    set_writable(session)
            return super().wait(0)

    said: list[str] = []
    complete_journal(driver.services, said.append, WritableAfterAWhile())
    assert len(driver.rows("SELECT position FROM journal_entries")) == 1
    assert said == [
        "Entering 1 release in the journal, published before this hub kept one.",
        "The journal names 1 release more: it is complete.",
    ]
