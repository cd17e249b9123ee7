"""Norms and gates that keep less: the outputs of transformers' own to the bit, and the same slopes."""

import copy

import pytest
import torch
from torch import nn

from tests.trainer_bridge.rollout.decoding.families import make_model
from trainer_bridge.learn import lean_layers
from trainer_bridge.learn.activation_memory import kept_bytes
from trainer_bridge.learn.lean_layers import PLAIN, PlainLayers, are_as_plain, use_lean_layers


def is_lean(module):
    return "forward" in vars(module)


def both_ways(model, dtype):
    """Output and slopes of all weights, for one batch."""
    model = copy.deepcopy(model).to(dtype)
    logits = model(torch.arange(1, 25).view(2, 12)).logits
    logits.square().mean().backward()
    return [logits.detach(), *[one.grad for one in model.parameters()]]


@pytest.mark.parametrize("family", ["llama2", "qwen3", "mistral"])
def test_outputs_are_the_same_to_the_bit_and_slopes_no_less_precise(family):
    plain = make_model(family)
    lean = copy.deepcopy(plain)
    use_lean_layers(lean)
    assert is_lean(lean.model.layers[0].mlp)
    assert is_lean(lean.model.norm)
    exact = both_ways(plain, torch.float64)
    for dtype, least in ((torch.float32, 1e-6), (torch.bfloat16, 1e-3)):
        ours, theirs = both_ways(lean, dtype), both_ways(plain, dtype)
        assert torch.equal(ours[0], theirs[0])
        for found, own, true in zip(ours[1:], theirs[1:], exact[1:], strict=True):
            error, of_transformers = ((one.double() - true).norm() for one in (found, own))
            assert error <= 1.2 * of_transformers + least * true.norm()


def test_less_is_kept():
    model = make_model("llama2")
    plain = kept_bytes(model)
    use_lean_layers(model)
    assert kept_bytes(model) < 0.85 * plain  # of a tiny model, most of which is its head and its attention


def test_what_computes_something_else_stays_as_it_is():
    """A norm of Gemma's kind adds 1 to its weight; a gate may have another activation."""
    model = make_model("llama2")
    norm, layer = type(model.model.norm), model.model.layers[0]

    class OtherNorm(norm):
        def forward(self, states):
            return super().forward(states) + states

    model.model.norm = OtherNorm(len(model.model.norm.weight))
    layer.mlp.act_fn = nn.GELU()
    use_lean_layers(model)
    assert not is_lean(model.model.norm)
    assert not is_lean(layer.mlp)
    assert is_lean(model.model.layers[1].mlp)
    assert is_lean(layer.input_layernorm)


def test_a_gated_layer_with_adapters_or_a_bias_stays_as_it_is():
    model = make_model("llama2")
    first, second = model.model.layers[0].mlp, model.model.layers[1].mlp
    first.down_proj = nn.Sequential(first.down_proj)  # as an adapter wraps it
    second.down_proj = nn.Linear(second.down_proj.in_features, second.down_proj.out_features)
    use_lean_layers(model)
    assert not is_lean(first)
    assert not is_lean(second)


def test_a_frozen_layer_gets_no_slope():
    model = make_model("llama2")
    use_lean_layers(model)
    model.model.layers[0].mlp.down_proj.weight.requires_grad_(False)
    model(torch.arange(1, 5)[None]).logits.sum().backward()
    assert model.model.layers[0].mlp.down_proj.weight.grad is None
    assert model.model.layers[0].mlp.up_proj.weight.grad is not None


def test_a_copy_of_a_model_computes_with_its_own_weights():
    model = make_model("llama2")
    use_lean_layers(model)
    other = copy.deepcopy(model)
    with torch.no_grad():
        other.model.norm.weight.mul_(2)
    ids = torch.arange(1, 5)[None]
    assert torch.allclose(other(ids).logits, 2 * model(ids).logits, rtol=1e-5)


def test_what_goes_in_stays_as_it_is():
    """In float32 the backward pass once wrote over the states, which others may read after it."""
    states, grad, weight = torch.randn(3, 8), torch.randn(3, 8), torch.randn(8)
    before = states.clone(), grad.clone(), weight.clone()
    _, scale = PLAIN.norm(states, weight, 1e-6)
    PLAIN.norm_slopes(grad, states, weight, scale)
    PLAIN.gate(states, grad)
    assert all(torch.equal(one, two) for one, two in zip((states, grad, weight), before, strict=True))


class OnGpu:
    """What a module asks of a parameter, which says that it lies on a GPU."""

    device, dtype = torch.device("cuda"), torch.float32


class Counting(PlainLayers):
    calls = 0

    def norm(self, *given):
        self.calls += 1
        return super().norm(*given)


def test_kernels_that_give_the_same_numbers_compute_and_others_do_not(monkeypatch):
    class Wrong(PlainLayers):
        def gate_slopes(self, *given, **named):
            of_gate, of_up, product = super().gate_slopes(*given, **named)
            return of_gate, of_up.roll(1), product

    like = torch.zeros(1)
    assert are_as_plain(PLAIN, 48, like)
    assert not are_as_plain(Wrong(), 48, like)
    assert not are_as_plain(
        type("Wide", (PlainLayers,), {"norm": lambda _, x, w, e: PLAIN.norm(x, w, e + 0.1)})(), 48, like
    )

    model = make_model("llama2")
    counting = Counting()
    monkeypatch.setattr(lean_layers, "_kernels", lambda: counting)
    monkeypatch.setattr(lean_layers, "_kernels_agree", lambda width, like: True)
    plain = both_ways(model, torch.float32)
    use_lean_layers(model)
    found = both_ways(model, torch.float32)
    assert torch.equal(found[0], plain[0])
    assert all(torch.allclose(one, two, atol=1e-5) for one, two in zip(found, plain, strict=True))
    assert counting.calls == 2 * len(model.model.layers) + 1


def test_kernels_that_fail_are_left_aside_with_a_warning(monkeypatch):
    def fail():
        raise RuntimeError("no C compiler")

    monkeypatch.setattr(lean_layers, "find_spec", lambda name: object())
    monkeypatch.setattr(lean_layers, "_kernels", fail)
    with pytest.warns(RuntimeWarning, match="without kernels of our own: no C compiler"):
        assert not lean_layers._kernels_agree(48, OnGpu())
    monkeypatch.setattr(lean_layers, "_kernels", lambda: PLAIN)
    monkeypatch.setattr(lean_layers, "are_as_plain", lambda *_: False)
    with pytest.warns(RuntimeWarning, match="differ from the plain ones"):
        assert not lean_layers._kernels_agree(48, OnGpu())
    assert not lean_layers._kernels_agree(48, torch.zeros(1)), "a CPU has none, and nothing is said"
