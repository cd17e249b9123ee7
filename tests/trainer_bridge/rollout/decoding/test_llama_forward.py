"""Our forward pass against transformers, family by family; and whatever it does not compute is left to them."""

import pytest

from tests.trainer_bridge.rollout.decoding.families import FALLBACK, NATIVE, generate, logprobs, make_model
from trainer_bridge.rollout.decoding.engine import Engine, EngineSettings, write_all
from trainer_bridge.rollout.decoding.llama_forward import LlamaForward, is_supported
from trainer_bridge.rollout.decoding.requests import Ask
from trainer_bridge.rollout.decoding.sampling import Sampling

PROMPTS = [(5, 6, 7), (8,), (9, 10, 11, 12, 13, 14), (20, 21)]


@pytest.mark.parametrize("kind", NATIVE)
def test_greedy_tokens_and_logprobs_equal_transformers(kind):
    """Over few slots and in two turns, so that prompts are prefilled together, copied and continued."""
    model = make_model(kind)
    eos_ids = (7, 33, 41)  # hit by some rows early, by some late, by some never
    engine = Engine(LlamaForward(model), eos_ids, EngineSettings(slots=3))
    asks = [Ask(prompt, 12, Sampling(temperature=0), seed=0) for prompt in PROMPTS for _ in range(2)]
    said = write_all(engine, asks)
    more = [
        Ask((*ask.prompt, *one.tokens, 30, 31), 6, Sampling(temperature=0), seed=0, after=ask)
        for ask, one in zip(asks, said, strict=True)
    ]
    for ask, written in zip([*asks, *more], [*said, *write_all(engine, more)], strict=True):
        assert written.tokens == generate(model, ask.prompt, ask.limit, eos_ids)
        assert written.truncated == (written.tokens[-1] not in eos_ids)
        assert written.logprobs == pytest.approx(logprobs(model, ask.prompt, written.tokens), abs=1e-4)


@pytest.mark.parametrize("kind", NATIVE)
def test_the_families_are_supported(kind):
    assert is_supported(make_model(kind).config)


@pytest.mark.parametrize("kind", FALLBACK)
def test_another_activation_rotary_embedding_or_window_is_left_to_transformers(kind):
    assert not is_supported(make_model(kind).config)
