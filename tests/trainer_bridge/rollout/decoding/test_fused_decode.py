"""The joined weights of the fused decode step. The step itself needs a GPU: see ``test_on_gpu.py``."""

import copy

import pytest
import torch
from safetensors.torch import load_file

from tests.trainer_bridge.rollout.decoding.families import NATIVE, make_model
from trainer_bridge.rollout.decoding.forward import LlamaForward, decode_one
from trainer_bridge.rollout.decoding.fused_decode import FusedDecode, is_plain
from trainer_bridge.rollout.decoding.kv_cache import StaticCache


def wide(kind):
    return make_model(kind, hidden_size=128, head_dim=32)


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
