"""The joined weights of the fused decode step. The step itself needs a GPU: see ``test_on_gpu.py``."""

import copy
import sys

import pytest
import torch
from safetensors.torch import load_file
from torch.nn import functional

from tests.trainer_bridge.rollout.decoding.families import NATIVE, make_model
from trainer_bridge.rollout import decoding
from trainer_bridge.rollout.decoding.forward import LlamaForward, decode_one
from trainer_bridge.rollout.decoding.fused_decode import FusedDecode, is_plain
from trainer_bridge.rollout.decoding.kv_cache import StaticCache


def wide(kind):
    return make_model(kind, hidden_size=128, head_dim=32)


class PlainKernels:
    """What the kernels compute, by plain operations: so the order and the weights of a step are tested without a GPU."""

    @staticmethod
    def add_norm(hidden, delta, weight, eps):
        if delta is not None:
            hidden += delta
        return functional.rms_norm(hidden, hidden.shape[-1:], None, eps) * weight

    @staticmethod
    def gated(gate_up):
        gate, up = gate_up.chunk(2, -1)
        return functional.silu(gate) * up

    @staticmethod
    def attend(qkv, keys, values, filled, frequencies, *, heads, rope_scale, softmax_scale, norms, eps):
        kv, size = keys.shape[1], keys.shape[3]
        out = []
        for row, position in zip(qkv.view(len(qkv), -1, size), filled.tolist(), strict=True):
            query, key, value = row.split([heads, kv, kv])
            if norms is not None:
                query, key = (
                    functional.rms_norm(one, (size,), norm, eps) for one, norm in zip((query, key), norms, strict=True)
                )
            if frequencies is not None:
                angles = (position * frequencies).repeat(2)
                query, key = (
                    (one * angles.cos() + torch.cat((-one[:, size // 2 :], one[:, : size // 2]), 1) * angles.sin())
                    * rope_scale
                    for one in (query, key)
                )
            slot = len(out)
            keys[slot, :, position], values[slot, :, position] = key, value
            seen = slice(0, position + 1)
            scores = query.view(kv, -1, size) @ keys[slot, :, seen].mT * softmax_scale
            out.append((scores.softmax(-1) @ values[slot, :, seen]).flatten())
        return torch.stack(out)


@pytest.mark.parametrize("kind", NATIVE)
@torch.no_grad()
def test_a_step_multiplies_in_the_models_order_with_the_models_weights(kind, monkeypatch):
    monkeypatch.setitem(sys.modules, "trainer_bridge.rollout.decoding.triton_kernels", PlainKernels)
    monkeypatch.setattr(decoding, "triton_kernels", PlainKernels, raising=False)
    forward = LlamaForward(wide(kind))
    cache = StaticCache(forward.cache_shape(3, 64), torch.float32, torch.device("cpu"))
    cache.keys.normal_()
    cache.values.normal_()
    cache.filled_S[:] = torch.tensor([0, 5, 40])
    tokens = torch.tensor([5, 6, 7])
    expected = decode_one(forward, tokens, cache, 64)
    assert torch.allclose(FusedDecode(forward)(tokens, cache), expected, atol=1e-4)


def logits(model):
    with torch.no_grad():
        forward = LlamaForward(model)
        cache = StaticCache(forward.cache_shape(1, 8), torch.float32, torch.device("cpu"))
        return decode_one(forward, torch.tensor([5]), cache, 8)


@pytest.mark.parametrize("kind", NATIVE)
def test_joining_changes_no_weight_and_is_ended_by_who_replaces_one(kind):
    model = wide(kind)
    before, expected = {name: one.clone() for name, one in model.state_dict().items()}, logits(model)
    fused = FusedDecode(LlamaForward(model))
    assert all(torch.equal(one, before[name]) for name, one in model.state_dict().items())
    assert torch.equal(logits(model), expected)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.mul_(1.5)
    assert not fused.has_moved(), "written in place"
    weight = model.get_decoder().layers[1].mlp.up_proj.weight
    weight.data = weight.data + 1
    assert fused.has_moved()
    fused.join()
    assert not fused.has_moved()
    assert torch.equal(fused._layers[1].gate_up[0][48:], weight)
    weight.data.zero_()
    assert not fused._layers[1].gate_up[0][48:].any(), "one copy"


def test_a_bias_that_was_replaced_ends_the_joining_too():
    model = wide("qwen2")
    fused = FusedDecode(LlamaForward(model))
    bias = model.get_decoder().layers[1].self_attn.k_proj.bias
    bias.data = bias.data + 1
    assert fused.has_moved()
    fused.join()
    assert not fused.has_moved()
    assert torch.equal(fused._layers[1].query_key_value[1][128:192], bias)


def test_a_model_with_joined_weights_is_saved_and_copied_whole(tmp_path):
    model = wide("qwen2")
    FusedDecode(LlamaForward(model))
    model.save_pretrained(tmp_path)
    saved = load_file(tmp_path / "model.safetensors")
    own = model.state_dict()
    assert all(torch.equal(own[name], one) for name, one in saved.items())
    assert {name for name, _ in model.named_parameters()} <= set(saved) | {"lm_head.weight"}
    other = copy.deepcopy(model)
    with torch.no_grad():
        other.get_decoder().layers[0].self_attn.k_proj.weight.zero_()
    assert model.get_decoder().layers[0].self_attn.k_proj.weight.any()


def test_other_sizes_and_adapters_keep_the_plain_step():
    assert is_plain(LlamaForward(wide("smollm2")))
    assert not is_plain(LlamaForward(make_model("smollm2"))), "heads of 8 numbers"
    adapted = wide("smollm2")
    layer = adapted.get_decoder().layers[0].self_attn
    layer.q_proj = torch.nn.Sequential(layer.q_proj)
    assert not is_plain(LlamaForward(adapted))
    assert not FusedDecode.suits(LlamaForward(wide("smollm2"))), "there is no GPU"
    sharded = wide("smollm2")
    layer = sharded.get_decoder().layers[1].mlp.up_proj
    layer.weight = type("Sharded", (torch.nn.Parameter,), {})(layer.weight.data)
    assert not is_plain(LlamaForward(sharded))
