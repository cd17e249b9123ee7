"""The float32 weights: AdamW by hand, sums of micro-batches, and what is kept beside bfloat16 weights."""

import copy
import math
import weakref

import pytest
import torch
from torch import nn

from trainer_bridge.errors import NonFiniteLossError
from trainer_bridge.learn.master_weights import MasterWeights, join, split
from trainer_bridge.settings import TrainSettings


def settings(**changes):
    return TrainSettings.make({"targets": ("al/a",), "output": "run", "learning_rate": 1e-2} | changes)


def model(dtype=torch.float32):
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 2)).to(dtype)


def push(net, weights, gradient_of):
    """The backward pass of a loss with these gradients."""
    parameters = list(net.parameters())
    pairs = [(parameter, gradient_of(parameter).to(parameter.dtype)) for parameter in parameters]
    weights.backward(sum((parameter * gradient).sum() for parameter, gradient in pairs))


def learn(net, weights, seed, rate=1e-2, norm=1e9):
    draw = torch.Generator().manual_seed(seed)
    push(net, weights, lambda parameter: torch.randn(parameter.shape, generator=draw))
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
        push(net, weights, torch.ones_like)
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
        push(net, weights, lambda parameter, size=size: torch.full_like(parameter, size))
        assert all(parameter.grad is None for parameter in net.parameters())
    assert all((gradient == 264.0).all() and gradient.dtype == torch.float32 for gradient in weights.gradients)


def test_narrow_gradients_go_to_the_masters_while_the_backward_pass_still_runs():
    """Each is gone before the next is made; the sums are those of moving all at the end, to the bit."""
    net = model(torch.bfloat16)
    twin = copy.deepcopy(net)
    weights, alive = MasterWeights(net, settings()), []
    for parameter in net.parameters():
        parameter.register_post_accumulate_grad_hook(
            lambda _: alive.append(sum(one.grad is not None for one in net.parameters()))
        )
    summed = [torch.zeros_like(parameter, dtype=torch.float32) for parameter in twin.parameters()]
    for seed in range(3):
        inputs = torch.randn(5, 3, generator=torch.Generator().manual_seed(seed)).bfloat16()
        weights.backward(net(inputs).square().sum())
        twin.zero_grad()
        twin(inputs).square().sum().backward()
        for total, parameter in zip(summed, twin.parameters(), strict=True):
            total.add_(parameter.grad)
    assert alive == [0] * 12
    assert all(torch.equal(gradient, total) for gradient, total in zip(weights.gradients, summed, strict=True))


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("rubbish", [math.nan, math.inf])
def test_rubbish_changes_nothing_and_the_next_step_is_clean(dtype, rubbish):
    net = model(dtype)
    weights = MasterWeights(net, settings())
    twin = copy.deepcopy(net)
    twin_weights = MasterWeights(twin, settings())
    push(net, weights, lambda parameter: torch.full_like(parameter, rubbish))
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


def halves(wide):
    """(bfloat16, int16), and what is joined of them."""
    narrow, rest, again = wide.bfloat16().zero_(), wide.to(torch.int16), torch.empty_like(wide)
    split(wide, narrow, rest)
    join(narrow, rest, again)
    return narrow, again


def numbers():
    """Every pattern of the lower 16 bits below one upper half, random numbers of all sizes, both zeros and limits."""
    lower = (torch.arange(1 << 16, dtype=torch.int32) + (0x3F81 << 16)).view(torch.float32)
    draw = torch.Generator().manual_seed(0)
    any_size = torch.randn(300_000, generator=draw) * 10.0 ** torch.randint(-44, 38, (300_000,), generator=draw)
    limits = torch.tensor(
        [0.0, -0.0, 1.4e-45, -1.4e-45, 3.3895e38, torch.finfo(torch.float32).max, math.inf, -math.inf]
    )
    return torch.cat((lower, -lower, any_size, limits))


def test_a_float32_number_comes_back_from_its_two_halves_to_the_bit():
    wide = numbers()
    assert torch.equal(halves(wide)[1].view(torch.int32), wide.view(torch.int32))


def test_the_upper_half_is_the_nearest_bfloat16_number():
    wide = numbers()
    narrow, _ = halves(wide)
    by_torch = wide.bfloat16()  # a tie goes to the even one
    ties = (wide.view(torch.int32) & 0xFFFF) == 1 << 15
    assert torch.equal(narrow[~ties], by_torch[~ties])
    finite = ties & wide.isfinite() & narrow.isfinite()
    assert torch.equal((narrow.float() - wide).abs()[finite], (by_torch.float() - wide).abs()[finite])


def test_the_halves_learn_as_whole_float32_weights_do():
    """The same gradients, once beside bfloat16 weights and once on float32 weights: the same masters, to the bit."""
    narrow = model(torch.bfloat16)
    wide = copy.deepcopy(narrow).float()
    beside, whole = MasterWeights(narrow, settings(weight_decay=0.1)), MasterWeights(wide, settings(weight_decay=0.1))
    for seed in range(20):
        draw = torch.Generator().manual_seed(seed)
        gradients = [torch.randn(one.shape, generator=draw).bfloat16() for one in narrow.parameters()]
        for weights, net in ((beside, narrow), (whole, wide)):
            pairs = zip(net.parameters(), gradients, strict=True)
            weights.backward(sum((one * given.to(one.dtype)).sum() for one, given in pairs))
        assert beside.step(1e-3, 0.5) == whole.step(1e-3, 0.5)
        assert torch.equal(flat(beside.masters), flat(whole.masters))
        assert torch.equal(flat(narrow.parameters()), flat(halves(one.detach())[0] for one in wide.parameters()))


def test_two_bytes_a_weight_are_kept_beside_bfloat16_and_none_for_the_optimizer_between_steps():
    net = model(torch.bfloat16)
    weights = MasterWeights(net, settings())
    learn(net, weights, 1)
    assert [one.dtype for one in weights._rests.values()] == [torch.int16] * 4
    assert not any(one.numel() for one in weights._optimized)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_how_many_weights_are_updated_at_a_time_changes_no_bit(dtype, monkeypatch):
    nets = [model(dtype), model(dtype)]
    for net, size in zip(nets, (1, 1 << 24), strict=True):
        monkeypatch.setattr("trainer_bridge.learn.master_weights._BUCKETS", {"cpu": size})
        weights = MasterWeights(net, settings())
        for seed in range(3):
            learn(net, weights, seed)
    assert torch.equal(flat(nets[0].parameters()), flat(nets[1].parameters()))


def test_a_weight_larger_than_the_room_is_updated_in_parts_also_after_it_was_restored(monkeypatch):
    """Its moments and its count of steps are kept whole, so a checkpoint does not tell how it was updated."""
    whole = model(torch.bfloat16)
    weights = MasterWeights(whole, settings())
    for seed in range(4):
        learn(whole, weights, seed)
    monkeypatch.setattr("trainer_bridge.learn.master_weights._BUCKETS", {"cpu": 5})  # of 12 and 8 numbers
    cut, resumed = model(torch.bfloat16), model(torch.bfloat16)
    first, second = MasterWeights(cut, settings()), MasterWeights(resumed, settings())
    for seed in range(2):
        learn(cut, first, seed)
    second.restore(copy.deepcopy(first.state()))
    for seed in range(2, 4):
        learn(resumed, second, seed)
    assert torch.equal(flat(whole.parameters()), flat(resumed.parameters()))
    found, wanted = second.state()["optimizer"]["state"], weights.state()["optimizer"]["state"]
    for number, moments in wanted.items():
        assert found[number]["step"] == moments["step"] == 4
        for name in ("exp_avg", "exp_avg_sq"):  # AdamW rounds the last numbers of a tensor by other instructions
            torch.testing.assert_close(found[number][name], moments[name], rtol=1e-6, atol=0)


def test_gradients_are_freed_while_the_optimizer_goes_through_the_weights():
    net = model(torch.bfloat16)
    weights = MasterWeights(net, settings())
    push(net, weights, torch.ones_like)
    taken = [weakref.ref(one.untyped_storage()) for one in weights.gradients]
    left = []
    plain = weights.optimizer.step
    weights.optimizer.step = lambda: (left.append(sum(one() is not None for one in taken)), plain())
    weights.step(1e-2, 1.0)
    assert left == [0], "none is kept beside the float32 numbers that are made of it"


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_a_missing_gradient_is_one_of_0(dtype):
    net, twin = model(dtype), model(dtype)
    weights, others = MasterWeights(net, settings()), MasterWeights(twin, settings())
    learn(net, weights, 1)
    learn(twin, others, 1)
    weights.backward(net[0].weight.sum())
    others.backward(twin[0].weight.sum() + sum((one * 0).sum() for one in twin.parameters()))
    weights.step(1e-2, 1.0)
    others.step(1e-2, 1.0)
    assert torch.equal(flat(net.parameters()), flat(twin.parameters()))


def test_fifty_steps_are_those_of_torchs_adamw():
    """With its own clipping of the same gradients, over weights, biases and one weight without a number."""
    net = model()
    net.register_parameter("empty", nn.Parameter(torch.empty(0)))
    twin = copy.deepcopy(net)
    weights = MasterWeights(net, settings(weight_decay=0.1, adam_beta2=0.95))
    plain = torch.optim.AdamW(twin.parameters(), lr=1e-2, betas=(0.9, 0.95), weight_decay=0.1)
    for step in range(50):
        learn(net, weights, step, rate=1e-2 / (1 + step), norm=2.0)
        draw = torch.Generator().manual_seed(step)
        for parameter in twin.parameters():
            parameter.grad = torch.randn(parameter.shape, generator=draw)
        torch.nn.utils.clip_grad_norm_(twin.parameters(), 2.0)
        plain.param_groups[0]["lr"] = 1e-2 / (1 + step)
        plain.step()
    assert torch.allclose(flat(net.parameters()), flat(twin.parameters()), atol=1e-6)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_other_weights_stand_in_for_a_while_also_where_that_ends_in_an_error(dtype):
    net = model(dtype)
    weights = MasterWeights(net, settings())
    before, places = weights.copy(), [one.data_ptr() for one in net.parameters()]
    others = [one + 1 for one in before]
    with pytest.raises(ZeroDivisionError), weights.instead(others):  # noqa: PT012 -- what is seen within
        assert torch.equal(flat(net.parameters()), flat(others))
        raise ZeroDivisionError
    assert [one.data_ptr() for one in net.parameters()] == places
    assert torch.equal(flat(net.parameters()), flat(before))
    assert torch.equal(flat(others), flat(one + 1 for one in before))
