"""The thread that follows: it ends where the other hub is not believed, and survives everything else."""

from collections.abc import Callable

import pytest

from hub_server import mirror_loop
from hub_server.mirror.errors import OriginAwayError, UntrueError
from hub_server.mirror_loop import MirrorLoop
from tests.making.action_driver import ActionDriver


def failing(error: Exception) -> Callable[..., None]:
    def run_pass(*_arguments: object) -> None:
        raise error

    return run_pass


@pytest.mark.parametrize(
    ("error", "goes_on"),
    [(UntrueError("other bytes"), False), (OriginAwayError("no answer"), True), (RuntimeError("a bug"), True)],
)
def test_only_a_lie_ends_it_and_a_broken_database_ends_nothing(
    driver: ActionDriver, monkeypatch, error, goes_on
) -> None:
    """The driver follows nobody, so that not even the problem can be written."""
    monkeypatch.setattr(mirror_loop.actions, "run_pass", failing(error))
    pause = MirrorLoop(driver.services).run_one()
    assert pause == (driver.services.settings.mirror.poll_seconds if goes_on else None)


@pytest.mark.parametrize("more_is_due", [True, False])
def test_nobody_waits_for_news_while_packages_are_due(driver: ActionDriver, monkeypatch, more_is_due: bool) -> None:
    monkeypatch.setattr(mirror_loop.actions, "run_pass", lambda *_: more_is_due)
    pause = MirrorLoop(driver.services).run_one()
    assert pause == (0 if more_is_due else driver.services.settings.mirror.poll_seconds)


def test_a_loop_that_is_told_to_stop_is_gone_at_once(driver: ActionDriver, monkeypatch) -> None:
    monkeypatch.setattr(mirror_loop.actions, "run_pass", lambda *_: None)
    loop = MirrorLoop(driver.services)
    loop.start()
    loop.stop(60)
    assert not loop._thread.is_alive()
