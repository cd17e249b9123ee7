"""Runs that another thread can break off."""

import asyncio
import threading

import pytest

from trainer_bridge.rollout.event_loop import StoppableRuns


async def forever(begun):
    begun.set()
    await asyncio.Event().wait()


def test_a_run_is_broken_off_from_another_thread_and_no_later_one_begins():
    runs, begun, ended = StoppableRuns(), threading.Event(), []

    def work():
        with pytest.raises(asyncio.CancelledError):
            runs.run(forever(begun))
        ended.append(True)

    thread = threading.Thread(target=work)
    thread.start()
    assert begun.wait(60)
    runs.stop()
    thread.join(60)
    assert ended == [True]
    with pytest.raises(asyncio.CancelledError):
        runs.run(forever(begun))


def test_runs_follow_each_other_and_stopping_none_is_no_error():
    async def number(value):
        await asyncio.sleep(0)
        return value

    runs = StoppableRuns()
    assert [runs.run(number(value)) for value in range(3)] == [0, 1, 2]
    runs.stop()
