"""Requests from many threads are written together; a failure reaches everybody who waits, and nobody after them."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.trainer_bridge.rollout.decoding.families import generate, make_model
from trainer_bridge.rollout.decoding.engine import Engine
from trainer_bridge.rollout.decoding.forward import LlamaForward
from trainer_bridge.rollout.decoding.requests import GenerationRequest
from trainer_bridge.rollout.decoding.sampling import Sampling
from trainer_bridge.rollout.serving_engine import ServingEngine


def ask(first, limit=6):
    return GenerationRequest((first, 3), limit, Sampling(0), seed=0)


def test_each_thread_gets_its_own_answer():
    model = make_model("smollm2")
    with ServingEngine(Engine(LlamaForward(model), ())) as serving, ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(lambda first: serving.submit(ask(first)).result().tokens, range(4, 20)))
    assert answers == [generate(model, (first, 3), 6, ()) for first in range(4, 20)]


def test_a_failed_step_is_told_to_everybody_in_it_and_the_next_request_is_answered():
    """One request that the engine could not hold ended it for everybody, for good."""
    model = make_model("smollm2")
    with ServingEngine(Engine(LlamaForward(model), ())) as serving:
        running = serving.submit(ask(5, limit=100_000))
        broken = serving.submit(ask(10_000))  # no such token
        for one in (broken, running):
            with pytest.raises(IndexError):
                one.result()
        assert serving.is_open
        assert serving.submit(ask(6)).result().tokens == generate(model, (6, 3), 6, ())
    assert not serving.is_open
    with pytest.raises(RuntimeError, match="closed"):
        serving.submit(ask(5))


def test_closing_tells_who_still_waits():
    model = make_model("smollm2")
    with ServingEngine(Engine(LlamaForward(model), ())) as serving:
        waits = serving.submit(ask(5, limit=100_000))
    with pytest.raises(RuntimeError, match="closed before"):
        waits.result()


def test_a_caller_that_gives_up_breaks_nothing():
    model = make_model("smollm2")
    with ServingEngine(Engine(LlamaForward(model), ())) as serving:
        assert not serving.submit(ask(5)).cancel()
        assert serving.submit(ask(6)).result().tokens == generate(model, (6, 3), 6, ())
