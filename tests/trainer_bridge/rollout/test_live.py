"""Hundreds of rollouts live at once, and a slow environment holds up nobody. Held by events; no clock decides."""

import asyncio
import threading

import pytest

from tests.trainer_bridge.rollout.decoding.families import make_model
from trainer_bridge.rollout.decoding.engine import Engine, EngineSettings
from trainer_bridge.rollout.decoding.llama_forward import LlamaForward
from trainer_bridge.rollout.decoding.requests import Ask
from trainer_bridge.rollout.decoding.sampling import Sampling
from trainer_bridge.rollout.live import LiveEngine, run_in_loop


@pytest.fixture
def engine():
    return Engine(LlamaForward(make_model("smollm2")), (), EngineSettings(slots=32))


def ask(number):
    return Ask((number % 50, 3), 2, Sampling(1.0), seed=number)


def test_hundreds_of_sessions_live_at_the_same_time(engine):
    count = 300
    together = threading.Barrier(count)  # broken unless all of them wait at once
    done = []

    async def rollout(live, number):
        await live.write(ask(number))
        await live.wait(together.wait)
        await live.write(ask(number))
        done.append(number)

    live = LiveEngine(engine, most=count)
    run_in_loop(live.run_all([rollout(live, number) for number in range(count)]))
    assert sorted(done) == list(range(count))


def test_a_slow_environment_stops_no_other(engine):
    answered = threading.Event()
    others = []

    async def slow(live):
        await live.write(ask(0))
        await live.wait(answered.wait)  # for ever, unless the others get to their end
        others.append("slow")

    async def quick(live, number):
        for turn in range(3):
            await live.write(ask(number + turn))
            await live.wait(lambda: None)
        others.append(number)
        if len(others) == 8:
            answered.set()

    live = LiveEngine(engine, most=9)
    run_in_loop(live.run_all([slow(live), *(quick(live, number) for number in range(8))]))
    assert others[-1] == "slow"
    assert len(others) == 9


def test_no_more_live_than_allowed(engine):
    now, most = [0], [0]

    async def rollout(live, number):
        now[0] += 1
        most[0] = max(most[0], now[0])
        await live.write(ask(number))
        await live.wait(lambda: None)
        now[0] -= 1

    live = LiveEngine(engine, most=3)
    run_in_loop(live.run_all([rollout(live, number) for number in range(12)]))
    assert most[0] == 3


def test_an_error_ends_all_the_others_and_is_raised(engine):
    ended = []

    async def waits(live):
        try:
            await live.write(Ask((1,), 10_000, Sampling(1.0), seed=0))
        finally:
            await live.wait(lambda: ended.append(True))

    async def breaks(live):
        await live.write(ask(1))
        raise ValueError("a mistake of ours")

    live = LiveEngine(engine, most=4)
    with pytest.raises(ValueError, match="a mistake of ours"):
        run_in_loop(live.run_all([waits(live), breaks(live)]))
    assert ended == [True], "what was open is closed"


def test_it_runs_where_a_loop_is_running_already(engine):
    async def rollout(live, found):
        found.append((await live.write(ask(1))).tokens)

    async def notebook():
        found = []
        live = LiveEngine(engine, most=1)
        run_in_loop(live.run_all([rollout(live, found)]))
        return found

    assert len(asyncio.run(notebook())) == 1
