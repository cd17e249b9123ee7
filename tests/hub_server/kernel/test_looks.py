"""A look that hangs is waited for once, together, and not for ever."""

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import Future

import pytest

from hub_server.kernel import looks
from hub_server.kernel.looks import LookError, Looks
from tests.making.altered_library import alter_library


class Mute:
    """Something that answers once it may; until then whoever looks waits."""

    def __init__(self) -> None:
        self.may_answer = threading.Event()
        self.asked = 0

    def read(self) -> int:
        self.asked += 1
        self.may_answer.wait(60)
        return self.asked


@pytest.fixture
def mute() -> Iterator[Mute]:
    made = Mute()
    yield made
    made.may_answer.set()


def test_each_look_finds_what_is_there_now(mute: Mute) -> None:
    mute.may_answer.set()
    found = Looks(mute.read, patience_seconds=30, name="test")
    assert [found.found() for _ in range(3)] == [1, 2, 3]


def test_many_at_once_wait_together(mute: Mute, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each waited for itself, two at a time: of 100 scrapes of a database that hangs, the last took four minutes."""
    now, waits = [0.0], []

    class Hangs(Future[int]):
        def result(self, timeout: float | None = None) -> int:
            assert timeout is not None
            waits.append(timeout)
            now[0] += timeout  # whoever asks next comes when this one gives up
            raise TimeoutError

    alter_library(monkeypatch, looks, "time", monotonic=lambda: now[0])
    found = Looks(mute.read, patience_seconds=5, name="test")
    found._begun()._found = Hangs()
    for _ in range(100):
        with pytest.raises(LookError):
            found.found()
    assert waits == [5.0] + [0.0] * 99


def test_one_that_ends_late_is_followed_by_another(mute: Mute) -> None:
    found = Looks(mute.read, patience_seconds=0.1, name="test")
    with pytest.raises(LookError):
        found.found()
    mute.may_answer.set()
    found._patience_seconds = 30
    found.found()
    assert found.found() >= 2


def test_one_that_never_ends_keeps_others_off_for_a_while_only(mute: Mute, monkeypatch: pytest.MonkeyPatch) -> None:
    """A connection that is lost without a word hangs for hours, and so long the database was said to be away."""
    found = Looks(mute.read, patience_seconds=0.1, name="test")
    for _ in range(2):
        with pytest.raises(LookError):
            found.found()
    assert mute.asked == 1
    monkeypatch.setattr(looks, "GIVEN_UP_SECONDS", 0.1)
    with pytest.raises(LookError):
        found.found()
    assert mute.asked == 2


def test_a_process_that_had_no_thread_left_looks_again(mute: Mute, monkeypatch: pytest.MonkeyPatch) -> None:
    """The look that could not begin was waited for by every later scrape, until the hub was started anew."""

    class Full(threading.Thread):
        def start(self) -> None:
            raise RuntimeError("can't start new thread")

    mute.may_answer.set()
    found = Looks(mute.read, patience_seconds=30, name="test")
    with monkeypatch.context() as patched:
        alter_library(patched, looks, "threading", Thread=Full)
        with pytest.raises(LookError):
            found.found()
    assert found.found() == 1


def test_a_fault_reaches_who_looks() -> None:
    def broken() -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        Looks(broken, patience_seconds=30, name="test").found()


def test_asyncio_waits_for_the_same_look_and_parks_no_thread(mute: Mute) -> None:
    found = Looks(mute.read, patience_seconds=0.2, name="test")

    async def many() -> list[BaseException | int]:
        return await asyncio.gather(*(found.seen() for _ in range(100)), return_exceptions=True)

    assert {type(one) for one in asyncio.run(many())} == {LookError}
    assert mute.asked == 1
    mute.may_answer.set()
    found._patience_seconds = 30
    asyncio.run(found.seen())
    assert asyncio.run(found.seen()) >= 2


def test_what_a_look_raises_comes_to_asyncio_too() -> None:
    def read() -> int:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        asyncio.run(Looks(read, patience_seconds=30, name="test").seen())


def test_who_is_cancelled_while_they_wait_breaks_no_look_of_others(mute: Mute) -> None:
    found = Looks(mute.read, patience_seconds=30, name="test")

    async def main() -> int:
        first, second = (asyncio.create_task(found.seen()) for _ in range(2))
        await asyncio.sleep(0)
        first.cancel()
        await asyncio.gather(first, return_exceptions=True)
        mute.may_answer.set()
        return await second

    assert asyncio.run(main()) == 1
