"""The device side: tokens drawn, slots moved, forward passes equal to those of transformers."""

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
from trainer_bridge.rollout.decoding.engine import Engine, EngineSettings, Slot, Table
from trainer_bridge.rollout.decoding.forward import (
    CacheShape,
    Head,
    LlamaForward,
    Sampling,
    SlotSampling,
    SlotStates,
    StaticCache,
    is_supported,
    new_positions,
    sample,
    visible,
)
from trainer_bridge.rollout.decoding.requests import GenerationRequest

# How a token is drawn


LOGITS = torch.tensor([2.0, 1.0, 0.5, -1.0])


def draw(sampling: Sampling, count: int, logits=LOGITS, seed=0):
    rows = SlotSampling.of([sampling] * count, torch.device("cpu"))
    uniform = torch.rand(count, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))
    filters = sampling.top_k > 0 or sampling.top_p < 1
    return sample(logits.expand(count, -1), rows, uniform, filters=filters)


def test_frequencies_match_the_tempered_softmax():
    draws, _ = draw(Sampling(temperature=0.7), 40_000)
    frequencies = torch.bincount(draws, minlength=4) / 40_000
    assert frequencies.tolist() == pytest.approx((LOGITS / 0.7).softmax(-1).tolist(), abs=0.01)


def test_recorded_logprobs_are_after_temperature():
    tokens, logprobs = draw(Sampling(temperature=0.5), 50)
    expected = (LOGITS / 0.5).log_softmax(-1)[tokens]
    assert torch.allclose(logprobs, expected)


def test_top_k_and_top_p_keep_only_the_likeliest_and_renormalise():
    tokens, logprobs = draw(Sampling(top_k=2), 500)
    assert set(tokens.tolist()) == {0, 1}
    assert torch.allclose(logprobs, LOGITS[:2].log_softmax(-1)[tokens])
    # softmax: .61 .22 .14 .03 -> a nucleus of .7 needs the first two
    tokens, _ = draw(Sampling(top_p=0.7), 500)
    assert set(tokens.tolist()) == {0, 1}


def test_temperature_zero_takes_the_likeliest():
    tokens, logprobs = draw(Sampling(temperature=0), 1)
    assert tokens.item() == 0
    assert logprobs.item() == pytest.approx(LOGITS.log_softmax(-1)[0].item())


def test_each_row_has_settings_of_its_own():
    rows = SlotSampling.of([Sampling(0), Sampling(1.0, top_k=1), Sampling(1.0, top_p=0.7)], torch.device("cpu"))
    for uniform in (0.0, 0.5, 0.999999999):
        tokens, logprobs = sample(
            LOGITS.expand(3, -1), rows, torch.full((3,), uniform, dtype=torch.float64), filters=True
        )
        assert tokens[:2].tolist() == [0, 0]
        assert logprobs[1].item() == 0.0
        assert tokens[2].item() in (0, 1)


def test_no_random_number_draws_what_has_no_probability():
    logits = torch.tensor([float("-inf"), 0.0, float("-inf"), 0.0, float("-inf")])
    rows = SlotSampling.of([Sampling(1.0)] * 3, torch.device("cpu"))
    edges = torch.tensor([0.0, 0.5, 1 - 2**-53], dtype=torch.float64)
    tokens, _ = sample(logits.expand(3, -1), rows, edges, filters=False)
    assert tokens.tolist() == [1, 3, 3]


# Slots


def make_cache():
    cache = StaticCache(CacheShape(2, 2, 1, 64, 3), torch.float32, torch.device("cpu"))
    cache.keys.normal_()
    cache.values.normal_()
    return cache


def test_a_cache_that_is_large_enough_is_kept_and_another_grows_by_blocks():
    cache = make_cache()
    assert cache.grown(2, 64) is cache
    larger = cache.grown(3, 65)
    assert (larger.shape.slots, larger.shape.length) == (3, 128)
    assert torch.equal(larger.keys[:, :2, :, :64], cache.keys)
    assert torch.equal(larger.values[:, :2, :, :64], cache.values)


def test_only_the_prefix_is_copied():
    cache = make_cache()
    before = cache.keys[:, 1].clone()
    cache.copy_prefix(0, 1, 5)
    assert torch.equal(cache.keys[:, 1, :, :5], cache.keys[:, 0, :, :5])
    assert torch.equal(cache.keys[:, 1, :, 5:], before[:, :, 5:])


CPU = torch.device("cpu")


def make_table():
    table = Table(StaticCache(CacheShape(1, 3, 1, 8, 2), torch.float32, CPU), SlotStates.empty(3, 4, CPU))
    table.slots = [Slot(cached=(slot,) * 5) for slot in range(3)]
    for slot in range(3):
        table.cache.keys[:, slot] = table.cache.values[:, slot] = slot
        table.cache.filled_S[slot] = slot
        for tensor in vars(table.states).values():
            tensor[slot] = slot
    return table


def contents(table, slot):
    states = {name: tensor[slot].double().mean().item() for name, tensor in vars(table.states).items()}
    used = table.cache.keys[:, slot, :, :5], table.cache.values[:, slot, :, :5], table.cache.filled_S[slot]
    return table.slots[slot].cached[0], states, [tensor.double().mean().item() for tensor in used]


def test_two_slots_exchange_all_that_belongs_to_them():
    table, expected = make_table(), make_table()
    table.swap(0, 2)
    assert [contents(table, slot) for slot in range(3)] == [contents(expected, slot) for slot in (2, 1, 0)]


def test_growing_keeps_what_there_is():
    table, expected = make_table(), make_table()
    table.make_room(5, 100, 9)
    assert len(table.slots) == 5
    assert table.cache.shape.length >= 100
    assert table.cache.keys[0, 2, 0, :8].tolist() == expected.cache.keys[0, 2, 0].tolist()
    assert table.states.tokens_SL[:3, :4].tolist() == expected.states.tokens_SL.tolist()
    assert not table.states.ended_S[3:].any()


def test_random_numbers_are_the_seeds_wherever_the_request_sits():
    states = SlotStates.empty(3, 4, CPU)
    for slot, seed in enumerate((5, 6, 5)):
        states.begin(slot, Sampling(1.0), limit=4, seed=seed)
    assert states.uniforms_SL[0].tolist() == states.uniforms_SL[2].tolist() != states.uniforms_SL[1].tolist()


# The forward pass


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
        return torch.equal(head.logits(hidden), hidden.float() @ weight.detach().float().T)

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
