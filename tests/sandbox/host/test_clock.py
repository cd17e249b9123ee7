import asyncio
import threading
import time

import pytest

from sandbox.host.clock import LoopClock, time_limit
from tests.sandbox.clocks import HandClock, run_by_hand, settled


def test_what_takes_longer_than_its_limit_raises_and_the_task_goes_on() -> None:
    clock = HandClock()
    after: list[str] = []

    async def limited() -> None:
        with pytest.raises(TimeoutError):
            async with time_limit(clock, 2.0):
                await clock.sleep(5.0)
        await clock.sleep(1.0)
        after.append("went on")

    async def run() -> None:
        task = asyncio.ensure_future(limited())
        await clock.advance(1.9)
        assert not task.done()
        await clock.advance(2.0)
        await task

    run_by_hand(run())
    assert after == ["went on"]


def test_what_ends_in_time_is_not_disturbed_later() -> None:
    clock = HandClock()

    async def run() -> None:
        async with time_limit(clock, 2.0):
            pass
        await clock.advance(10.0)

    run_by_hand(run())


def test_a_cancellation_from_outside_is_no_timeout() -> None:
    clock = HandClock()

    async def limited() -> None:
        async with time_limit(clock, 2.0):
            await clock.sleep(5.0)

    async def run() -> None:
        task = asyncio.ensure_future(limited())
        await settled()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    run_by_hand(run())


def test_the_real_clock_rings() -> None:
    async def run() -> None:
        clock, rung = LoopClock(), asyncio.Event()
        before = clock.now()
        clock.call_later(0.0, rung.set)
        async with asyncio.timeout(60):
            await rung.wait()
            await clock.sleep(0.0)
        assert clock.now() >= before

    run_by_hand(run())


@pytest.mark.parametrize("turn", range(0, 60, 3))
def test_a_clock_by_hand_waits_for_what_follows_from_a_thread_that_ends_in_any_turn(turn: int) -> None:
    clock, may_end = HandClock(), threading.Event()
    seen: list[str] = []

    async def work() -> None:
        await asyncio.to_thread(may_end.wait)
        for _ in range(10):
            await asyncio.sleep(0)
        await clock.sleep(1.0)
        seen.append("woken")

    async def end_in_turn() -> None:
        for _ in range(turn):
            await asyncio.sleep(0)
        may_end.set()
        time.sleep(0.01)  # noqa: ASYNC251 -- the loop stands still meanwhile, so the next turn hears of the end

    async def run() -> None:
        tasks = [asyncio.ensure_future(work()), asyncio.ensure_future(end_in_turn())]
        await clock.advance(2.0)
        assert seen == ["woken"]
        await asyncio.gather(*tasks)

    run_by_hand(run())
