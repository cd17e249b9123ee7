"""Forward passes equal those of transformers."""

import pytest
import torch

from tests.trainer_bridge.rollout.decoding.families import (
    FALLBACK,
    NATIVE,
    generate,
    generate_all,
    logprobs,
    make_model,
)
from trainer_bridge.rollout.decoding.engine import Engine, EngineSettings
from trainer_bridge.rollout.decoding.forward import Head, LlamaForward, is_supported, new_positions, visible
from trainer_bridge.rollout.decoding.kv_cache import CacheShape, StaticCache
from trainer_bridge.rollout.decoding.requests import GenerationRequest
from trainer_bridge.rollout.decoding.sampling import Sampling


def test_a_token_sees_itself_and_what_is_before_it_and_a_window_only_the_last_of_that():
    positions = torch.tensor([[2, 3]])
    assert visible(positions, 5).int().tolist() == [[[[1, 1, 1, 0, 0], [1, 1, 1, 1, 0]]]]
    assert visible(positions, 5, sliding=2).int().tolist() == [[[[0, 1, 1, 0, 0], [0, 0, 1, 1, 0]]]]


def test_positions_go_on_behind_what_is_filled_and_padding_stays_inside():
    cache = StaticCache(CacheShape(1, 2, 1, 6, 2), torch.float32, torch.device("cpu"))
    cache.filled_S[:] = torch.tensor([1, 4])
    assert new_positions(cache, slice(0, 2), 3).tolist() == [[1, 2, 3], [4, 5, 5]]


def test_bfloat16_weights_give_float32_logits_of_exactly_those_numbers():
    hidden, head = torch.randn(3, 64).bfloat16() * 3, torch.randn(11, 64).bfloat16()
    logits = Head(head).logits(hidden)
    assert logits.dtype == torch.float32
    assert torch.allclose(logits.double(), hidden.double() @ head.double().T, atol=1e-4)


def test_a_head_that_was_updated_in_place_or_swapped_is_converted_anew_and_no_other():
    hidden, weight = torch.randn(3, 64).bfloat16(), torch.nn.Parameter(torch.randn(11, 64).bfloat16())
    head = Head(weight)

    def is_up_to_date():
        return torch.allclose(head.logits(hidden), hidden.float() @ weight.detach().float().T, atol=1e-5)

    assert is_up_to_date()
    kept = head._wide_VD
    assert is_up_to_date()
    assert head._wide_VD is kept
    with torch.no_grad():
        weight.mul_(2)
    assert is_up_to_date()
    weight.data = torch.randn(11, 64).bfloat16()
    assert is_up_to_date()


PROMPTS = [(5, 6, 7), (8,), (9, 10, 11, 12, 13, 14), (20, 21)]


@pytest.mark.parametrize("kind", NATIVE)
def test_greedy_tokens_and_logprobs_equal_transformers(kind):
    """Over few slots and in two turns, so that prompts are prefilled together, copied and continued."""
    model = make_model(kind)
    eos_ids = (7, 33, 41)  # hit by some rows early, by some late, by some never
    engine = Engine(LlamaForward(model), eos_ids, EngineSettings(slots=3))
    asks = [GenerationRequest(prompt, 12, Sampling(temperature=0), seed=0) for prompt in PROMPTS for _ in range(2)]
    said = generate_all(engine, asks)
    more = [
        GenerationRequest((*ask.prompt, *one.tokens, 30, 31), 6, Sampling(temperature=0), seed=0, after=ask)
        for ask, one in zip(asks, said, strict=True)
    ]
    for ask, written in zip([*asks, *more], [*said, *generate_all(engine, more)], strict=True):
        assert written.tokens == generate(model, ask.prompt, ask.limit, eos_ids)
        assert written.truncated == (written.tokens[-1] not in eos_ids)
        assert written.logprobs == pytest.approx(logprobs(model, ask.prompt, written.tokens), abs=1e-4)


@pytest.mark.parametrize("kind", NATIVE)
def test_the_families_are_supported(kind):
    assert is_supported(make_model(kind).config)


@pytest.mark.parametrize("kind", FALLBACK)
def test_another_activation_rotary_embedding_or_window_is_left_to_transformers(kind):
    assert not is_supported(make_model(kind).config)
