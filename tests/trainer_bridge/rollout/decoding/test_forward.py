"""Which positions a token sees, where padding goes, and logits that are not rounded."""

import torch

from trainer_bridge.rollout.decoding.forward import float32_logits, new_positions, visible
from trainer_bridge.rollout.decoding.static_cache import CacheShape, StaticCache


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
    logits = float32_logits(hidden, head)
    assert logits.dtype == torch.float32
    assert torch.allclose(logits.double(), hidden.double() @ head.double().T, atol=1e-4)
