"""The cache grows and copies what it holds, and random numbers are a seed's alone."""

import torch

from trainer_bridge.rollout.decoding.kv_cache import CacheShape, Slot, SlotStates, StaticCache, Table
from trainer_bridge.rollout.decoding.requests import GenerationRequest
from trainer_bridge.rollout.decoding.sampling import Sampling


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
    cache.filled_S += 3
    longer = cache.grown(1, 65)
    assert (longer.shape.slots, longer.shape.length, longer.filled_S.tolist()) == (2, 128, [3, 3])
    wider = longer.grown(3, 5)
    assert (wider.shape.slots, wider.shape.length) == (3, 128), "short sequences take nothing from the long ones"


def test_only_the_prefix_is_copied():
    cache = make_cache()
    before = cache.keys[:, 1].clone()
    cache.copy_prefix(0, slice(1, 2), 5)
    assert torch.equal(cache.keys[:, 1, :, :5], cache.keys[:, 0, :, :5])
    assert torch.equal(cache.keys[:, 1, :, 5:], before[:, :, 5:])


def test_random_numbers_are_the_seeds_wherever_the_request_sits():
    states = SlotStates.empty(3, 4, CPU)
    asks = [GenerationRequest((1,), 4, Sampling(1.0), seed) for seed in (5, 6)]
    states.begin(0, asks)
    states.begin(2, [GenerationRequest((1,), 3, Sampling(1.0), 5)])
    states.begin(2, [GenerationRequest((2, 3), 4, Sampling(1.0), 5)])
    assert states.uniforms_SL[0].tolist() == states.uniforms_SL[2].tolist() != states.uniforms_SL[1].tolist()


def test_a_low_temperature_draws_from_the_same_random_numbers():
    states = SlotStates.empty(3, 4, CPU)
    states.begin(0, [GenerationRequest((1,), 4, Sampling(temperature), 5) for temperature in (1.0, 0.01, 0.0)])
    plain, cold, greedy = states.uniforms_SL.tolist()
    assert plain == cold
    assert greedy == [0.0] * 4, "none is drawn where none is needed"


def test_a_slot_that_was_used_begins_anew_and_any_whole_number_is_a_seed():
    states = SlotStates.empty(2, 4, CPU)
    states.written_S += 3
    states.ended_S |= True
    states.begin(0, [GenerationRequest((1,), 4, Sampling(1.0), seed) for seed in (-1, 2**64 + 5)])
    assert (states.written_S.tolist(), states.ended_S.tolist()) == ([0, 0], [False, False])
    assert (states.grown(2, 9).uniforms_SL[:, :4] == states.uniforms_SL).all()
    assert states.grown(2, 9).tokens_SL.shape == (2, 9)


CPU = torch.device("cpu")


def make_table(slots=3):
    table = Table(StaticCache(CacheShape(1, slots, 1, 8, 2), torch.float32, CPU), SlotStates.empty(slots, 4, CPU))
    table.slots = [Slot(cached=(slot,) * 5) for slot in range(slots)]
    for slot in range(slots):
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


def test_several_pairs_are_exchanged_at_once():
    table, expected = make_table(5), make_table(5)
    table.exchange([(0, 3), (4, 1)])
    assert [contents(table, slot) for slot in range(5)] == [contents(expected, slot) for slot in (3, 4, 2, 0, 1)]


def test_growing_keeps_what_there_is():
    table, expected = make_table(), make_table()
    table.make_room(5, 100, 9)
    assert len(table.slots) == 5
    assert table.cache.shape.length >= 100
    assert table.cache.keys[0, 2, 0, :8].tolist() == expected.cache.keys[0, 2, 0].tolist()
    assert table.states.tokens_SL[:3, :4].tolist() == expected.states.tokens_SL.tolist()
    assert not table.states.ended_S[3:].any()


def test_a_slot_is_reused_that_is_empty_or_wanted_least_or_has_rested_longest():
    table = make_table()
    for used, slot in enumerate(table.slots):
        slot.used = used
    first, second, third = table.slots
    assert table.least_used(0) == 0
    assert table.least_used(1) == 1, "those before are taken"
    assert table.least_used(0, [set(), {id(first)}]) == 1
    assert table.least_used(0, [{id(first)}, {id(first), id(second), id(third)}]) == 1, (
        "a turn that goes on comes first"
    )
    third.cached = ()
    assert table.least_used(0) == 2
