"""The kernels of a decode step against plain operations.

They run on a GPU, and in Triton's interpreter on a CPU (``pip install triton``, ``TRITON_INTERPRET=1``; float32 alone:
the interpreter cuts bfloat16 numbers off instead of rounding them). Skipped where neither can be.
"""

import importlib
import os

import pytest
import torch
from torch.nn import functional

from tests.trainer_bridge.rollout.decoding.families import NATIVE, make_model
from trainer_bridge.rollout.decoding.forward import LlamaForward, decode_one
from trainer_bridge.rollout.decoding.fused_decode import FusedDecode
from trainer_bridge.rollout.decoding.kv_cache import StaticCache
from trainer_bridge.rollout.decoding.sampling import SlotSampling, sample

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(
        DEVICE == "cpu" and os.environ.get("TRITON_INTERPRET") != "1", reason="no GPU, and not Triton's interpreter"
    ),
]


def kernels():
    return importlib.import_module("trainer_bridge.rollout.decoding.triton_kernels")


def test_a_norm_adds_first_and_a_gate_multiplies():
    hidden, delta, weight = (torch.randn(*shape, device=DEVICE) for shape in ((5, 48), (5, 48), (48,)))
    for more in (None, delta):
        states = hidden.clone()
        found = kernels().add_norm(states, more, weight, 1e-6)
        added = hidden if more is None else hidden + more
        assert torch.equal(states, added)
        assert torch.allclose(found, functional.rms_norm(added, (48,), None, 1e-6) * weight, atol=1e-5)
    both = torch.randn(3, 96, device=DEVICE)
    assert torch.allclose(kernels().gated(both), functional.silu(both[:, :48]) * both[:, 48:], atol=1e-5)


@pytest.mark.parametrize("kind", NATIVE)
@torch.no_grad()
def test_a_step_gives_the_logits_of_the_plain_one_and_writes_the_same_cache(kind):
    """Slots with nothing cached, a little, and more than one block of positions; the last one is full."""
    forward = LlamaForward(make_model(kind, hidden_size=128, head_dim=32).to(DEVICE))
    cache = StaticCache(forward.cache_shape(5, 192), torch.float32, torch.device(DEVICE))
    cache.keys.normal_()
    cache.values.normal_()
    cache.filled_S[:] = torch.tensor([0, 3, 64, 130, 192])
    tokens = torch.tensor([5, 6, 7, 8, 9], device=DEVICE)
    expected, keys, values = decode_one(forward, tokens, cache, 192), cache.keys.clone(), cache.values.clone()
    cache.keys[:, 0, :, 0] = cache.values[:, 3, :, 130] = 9.0
    assert torch.allclose(FusedDecode(forward)(tokens, cache), expected, atol=1e-4)
    assert torch.allclose(cache.keys, keys, atol=1e-4)
    assert torch.allclose(cache.values, values, atol=1e-4)


def test_a_kernel_draws_the_tokens_of_the_plain_function():
    torch.manual_seed(0)
    for words in (60, 3000, 49152, 128256) if DEVICE == "cuda" else (60, 3000):
        rows, room = 64, 4
        logits = torch.randn(rows, words, device=DEVICE) * 4
        warmth = torch.tensor([1.0, 0.7, 0.0, 1.3] * 16, device=DEVICE)
        uniforms = torch.rand(rows, room, dtype=torch.float64, device=DEVICE)
        whole = torch.zeros(rows, dtype=torch.long, device=DEVICE)
        settings = SlotSampling(warmth, torch.ones_like(warmth), whole)
        tokens, found = sample(logits, settings, uniforms[:, 0], filters=False, greedy=True)
        written, drawn, ended = whole.clone(), torch.zeros(rows, room, dtype=torch.long, device=DEVICE), whole > 0
        kept, current = torch.zeros(rows, room, device=DEVICE), whole.clone()
        eos = tokens[:1].clone()
        kernels().draw(logits, warmth, uniforms, drawn, kept, written, whole + 2, ended, current, eos)
        assert (drawn[:, 0] == tokens).float().mean() > 0.98, "sums round differently at most"
        same = drawn[:, 0] == tokens
        assert torch.allclose(kept[same, 0], found[same], atol=1e-4)
        assert torch.equal(current, drawn[:, 0])
        assert written.tolist() == [1] * rows
        assert torch.equal(ended, drawn[:, 0] == eos)
