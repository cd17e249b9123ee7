"""The cache grows and copies what it holds, and random numbers are a seed's alone."""

import torch

from trainer_bridge.rollout.decoding.kv_cache import CacheShape, SlotStates, StaticCache
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


def test_only_the_prefix_is_copied():
    cache = make_cache()
    before = cache.keys[:, 1].clone()
    cache.copy_prefix(0, 1, 5)
    assert torch.equal(cache.keys[:, 1, :, :5], cache.keys[:, 0, :, :5])
    assert torch.equal(cache.keys[:, 1, :, 5:], before[:, :, 5:])


CPU = torch.device("cpu")


def test_random_numbers_are_the_seeds_wherever_the_request_sits():
    states = SlotStates.empty(3, 4, CPU)
    for slot, seed in enumerate((5, 6, 5)):
        states.begin(slot, Sampling(1.0), limit=4, seed=seed)
    assert states.uniforms_SL[0].tolist() == states.uniforms_SL[2].tolist() != states.uniforms_SL[1].tolist()
