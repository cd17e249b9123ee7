"""In lockstep, which requests are written for together depends on the rollouts alone, however long an environment takes."""

import asyncio
import concurrent.futures
import threading

import pytest

from tests.trainer_bridge.rollout.decoding.families import make_model
from trainer_bridge.rollout.decoding.engine import Engine, EngineSettings
from trainer_bridge.rollout.decoding.forward import LlamaForward
from trainer_bridge.rollout.decoding.requests import Generated, GenerationRequest
from trainer_bridge.rollout.decoding.sampling import Sampling
from trainer_bridge.rollout.worker import LiveEngine, run_in_loop


def ask(number):
    return GenerationRequest((number % 50, 3), 2, Sampling(1.0), seed=number)


def told_in(engine, order, *, lockstep):
    """Four rollouts of three turns, whose environments answer in ``order``: seeds as submitted, log-probabilities."""
    submitted, found, come_back = [], {}, threading.Condition()
    answered = []
    plain = engine.submit
    engine.submit = lambda request: submitted.append(request.seed) or plain(request)

    def environment(number):
        with come_back:
            come_back.wait_for(lambda: order[len(answered) % 4] == number)
            answered.append(number)
            come_back.notify_all()

    async def rollout(live, number):
        for turn in range(3):
            written = await live.write(ask(10 * number + turn))
            found[number, turn] = written.logprobs
            await live.wait(lambda: environment(number))

    live = LiveEngine(engine, most=4, lockstep=lockstep)
    run_in_loop(live.run_all([rollout(live, number) for number in range(4)]))
    return submitted, found


def test_in_lockstep_it_does_not_matter_who_answers_first():
    forwards, backwards = (
        told_in(Engine(LlamaForward(make_model("smollm2")), (), EngineSettings(slots=32)), order, lockstep=True)
        for order in ([0, 1, 2, 3], [3, 1, 2, 0])
    )
    assert forwards == backwards, "the same batches, so the same numbers to the bit"
    assert forwards[0] == [10 * number + turn for turn in range(3) for number in range(4)]


class Hands:
    """Threads whose calls end when they are told to."""

    def __init__(self):
        self.calls = []

    def submit(self, work):
        self.calls.append((concurrent.futures.Future(), work))
        return self.calls[-1][0]

    def end(self, number):
        future, work = self.calls[number]
        future.set_result(work())

    def shutdown(self, **_):
        pass


class Counted:
    """An engine that answers at once, and remembers how many requests it wrote for together."""

    def __init__(self):
        self.asked, self.together = [], []

    @property
    def is_busy(self):
        return bool(self.asked)

    def submit(self, request):
        self.asked.append(request)

    def step(self):
        asked, self.asked = self.asked, []
        self.together.append(len(asked))
        return [(request, Generated((5,), (0.0,), truncated=False)) for request in asked]


@pytest.mark.parametrize("turns", range(12))
def test_in_lockstep_a_rollout_that_did_two_things_at_once_is_waited_for_whenever_the_second_ends(turns):
    """``turns`` of the event loop after the first one."""
    engine, hands = Counted(), Hands()
    live = LiveEngine(engine, most=4, lockstep=True)
    live._threads = hands

    async def several(number):
        await asyncio.gather(live.wait(int), live.wait(int))
        await live.write(ask(number))

    async def another(number):
        await live.write(ask(number))

    async def environment():
        for _ in range(20):
            await asyncio.sleep(0)
        hands.end(0)
        for _ in range(turns):
            await asyncio.sleep(0)
        hands.end(1)

    async def play():
        await asyncio.gather(environment(), live.run_all([several(1), another(2)]))

    run_in_loop(play())
    assert engine.together == [2]
