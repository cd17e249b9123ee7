"""AdamW over float32 masters: the textbook's update, small steps that are not rounded away, and no step on rubbish."""

import copy
import math

import pytest
import torch
from torch import nn

from trainer_bridge.errors import NonFiniteLossError
from trainer_bridge.learn.master_weights import MasterWeights
from trainer_bridge.settings import TrainSettings


def settings(**changes):
    return TrainSettings.make({"targets": ("al/a",), "output": "run", "learning_rate": 1e-2} | changes)


def model(dtype=torch.float32):
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 2)).to(dtype)


def learn(net, weights, seed, rate=1e-2, norm=1e9):
    draw = torch.Generator().manual_seed(seed)
    for parameter in net.parameters():
        parameter.grad = torch.randn(parameter.shape, generator=draw).to(parameter.dtype)
    weights.gather_gradients()
    return weights.step(rate, norm)


def flat(tensors):
    return torch.cat([tensor.detach().double().flatten() for tensor in tensors])


@pytest.mark.parametrize("decay", [0.0, 0.1])
def test_the_step_is_that_of_adamw_by_hand(decay):
    net = model()
    weights = MasterWeights(net, settings(weight_decay=decay, adam_beta1=0.8, adam_beta2=0.9, adam_epsilon=1e-6))
    value, first, second = flat(net.parameters()), 0.0, 0.0
    for step in range(1, 6):
        draw = torch.Generator().manual_seed(step)
        gradient = torch.cat(
            [torch.randn(parameter.shape, generator=draw).double().flatten() for parameter in net.parameters()]
        )
        first, second = 0.8 * first + 0.2 * gradient, 0.9 * second + 0.1 * gradient**2
        update = first / (1 - 0.8**step) / ((second / (1 - 0.9**step)).sqrt() + 1e-6)
        value = value * (1 - 0.05 * decay) - 0.05 * update
        assert learn(net, weights, step, rate=0.05) == pytest.approx(float(gradient.norm()), rel=1e-5)
        assert torch.allclose(flat(net.parameters()), value, atol=1e-5)


@pytest.mark.parametrize("norm", [0.5, 1e-3])
def test_long_gradients_are_scaled_to_the_norm_and_the_true_norm_is_told(norm):
    net = model()
    weights = MasterWeights(
        net, settings(adam_beta1=0.0, adam_beta2=0.0, adam_epsilon=1e6)
    )  # then the step is the gradient's
    before = flat(net.parameters())
    told = learn(net, weights, 1, rate=1e6, norm=norm)
    assert told > norm
    assert float((flat(net.parameters()) - before).norm()) == pytest.approx(norm, rel=1e-2)


def test_a_rate_that_bfloat16_would_round_away_adds_up_in_the_masters():
    net = model(torch.bfloat16)
    weights = MasterWeights(net, settings())
    assert all(master.dtype == torch.float32 for master in weights.masters)
    start = flat(net.parameters())
    for step in range(300):
        for parameter in net.parameters():
            parameter.grad = torch.ones_like(parameter)
        weights.gather_gradients()
        weights.step(1e-4, 1e9)
        if step == 0:
            assert float((flat(weights.masters) - start).abs().min()) > 0
    moved = flat(net.parameters()) - start
    assert torch.allclose(moved, torch.full_like(moved, -0.03), atol=4e-3)


def test_gradients_of_micro_batches_add_up_in_float32():
    """In bfloat16, 256 + 1 is 256."""
    net = model(torch.bfloat16)
    weights = MasterWeights(net, settings())
    for size in (256.0, *[1.0] * 8):
        for parameter in net.parameters():
            parameter.grad = torch.full_like(parameter, size)
        weights.gather_gradients()
        assert all(parameter.grad is None for parameter in net.parameters())
    assert all((master.grad == 264.0).all() for master in weights.masters)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("rubbish", [math.nan, math.inf])
def test_rubbish_changes_nothing_and_the_next_step_is_clean(dtype, rubbish):
    net = model(dtype)
    weights = MasterWeights(net, settings())
    twin = copy.deepcopy(net)
    twin_weights = MasterWeights(twin, settings())
    next(net.parameters()).grad = torch.full_like(next(net.parameters()), rubbish)
    weights.gather_gradients()
    with pytest.raises(NonFiniteLossError, match="learning rate"):
        weights.step(1e-2, 1.0)
    assert torch.equal(flat(net.parameters()), flat(twin.parameters()))
    learn(net, weights, 1)
    learn(twin, twin_weights, 1)
    assert torch.equal(flat(net.parameters()), flat(twin.parameters()))


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_what_is_restored_goes_on_to_the_same_bits(dtype):
    net = model(dtype)
    weights = MasterWeights(net, settings())
    for step in range(3):
        learn(net, weights, step)
    saved = copy.deepcopy(weights.state())
    other = model(dtype)
    with torch.no_grad():
        for parameter in other.parameters():
            parameter.zero_()
    resumed = MasterWeights(other, settings())
    resumed.restore(saved)
    assert torch.equal(flat(other.parameters()), flat(net.parameters()))
    for step in range(3, 6):
        learn(net, weights, step)
        learn(other, resumed, step)
    assert torch.equal(flat(resumed.masters), flat(weights.masters))
    assert torch.equal(flat(other.parameters()), flat(net.parameters()))


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_the_model_s_tensors_stay_where_they_are(dtype):
    """Captured graphs and the decoder hold on to them."""
    net = model(dtype)
    places = [parameter.data_ptr() for parameter in net.parameters()]
    weights = MasterWeights(net, settings())
    learn(net, weights, 1)
    weights.restore(copy.deepcopy(weights.state()))
    assert [parameter.data_ptr() for parameter in net.parameters()] == places


def test_what_is_frozen_is_not_optimised():
    net = model()
    net[0].requires_grad_(False)
    before = net[0].weight.clone()
    weights = MasterWeights(net, settings())
    assert len(weights.masters) == 2
    net(torch.ones(1, 3)).sum().backward()
    weights.step(1e-2, 1.0)
    assert torch.equal(net[0].weight, before)
