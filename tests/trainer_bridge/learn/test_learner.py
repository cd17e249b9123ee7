"""The learner: what a step changes, and what it must not."""

import copy
import math
from dataclasses import replace

import pytest
import torch
from torch import nn

import trainer_bridge.learn.learner
from tests.making.batches import make_batch
from tests.making.recipes import NEEDS_AN_AUDIT, bundled
from trainer_bridge.batch import State
from trainer_bridge.errors import NonFiniteLossError
from trainer_bridge.learn.learner import Learner, MasterWeights
from trainer_bridge.learn.micro_batches import BatchRow
from trainer_bridge.models.tiny import tiny_model, tiny_tokenizer
from trainer_bridge.recipe import build_recipe
from trainer_bridge.recipe_text import bundled_recipes, read_recipe
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
    assert all((master.grad == 264.0).all() for master in weights.masters)


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
    assert all(torch.equal(master.grad, total) for master, total in zip(weights.masters, summed, strict=True))


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


SAMPLES = [
    BatchRow(0, [5, 6, 7], [8, 9, 10, 11]),
    BatchRow(0, [5, 6, 7], [12]),
    BatchRow(1, [20, 21], [30, 31]),
    BatchRow(1, [20, 21], [32, 33, 34]),
    BatchRow(2, [40], [41, 42, 43]),
    BatchRow(2, [40], [44, 45]),
]
ADVANTAGES = torch.tensor([1.0, -1.0, 0.5, -0.5, 2.0, -0.25], dtype=torch.float64)
PLAIN = build_recipe(read_recipe("", "test"))


@pytest.fixture(scope="module")
def tokenizer():
    return tiny_tokenizer()


def learner(tokenizer, recipe=PLAIN, **changes):
    base = {"targets": ("al/a",), "output": "run", "temperature": 0.8, "learning_rate": 1e-3, "max_grad_norm": 1e9}
    return Learner(tiny_model(tokenizer), recipe, TrainSettings.make(base | changes))


def update(one, order=range(6), step=0):
    order = list(order)
    samples = [SAMPLES[row] for row in order]
    batch = make_batch([len(sample.tokens) for sample in samples], [sample.group for sample in samples])
    return one.update(batch, samples, ADVANTAGES[order], torch.zeros(6, dtype=torch.float64), State(step=step))


def weights_of(one):
    return torch.cat([parameter.detach().flatten() for parameter in one.model.parameters()])


def by_hand(model):
    """-mean over all tokens of A log p: at ratio 1 its gradient is the surrogate's."""
    total = 0.0
    for sample, advantage in zip(SAMPLES, ADVANTAGES.tolist(), strict=True):
        logits = model(torch.tensor([[*sample.prompt, *sample.tokens]])).logits[0] / 0.8
        chosen = logits.log_softmax(-1)[len(sample.prompt) - 1 : -1].gather(-1, torch.tensor(sample.tokens)[:, None])
        total = total - advantage * chosen.sum()
    return total / sum(len(sample.tokens) for sample in SAMPLES)


def test_loss_and_gradient_norm_are_those_of_the_plain_computation(tokenizer):
    one = learner(tokenizer)
    gradients = torch.autograd.grad(by_hand(one.model), list(one.model.parameters()))
    norm = torch.cat([gradient.flatten() for gradient in gradients]).norm()
    found = update(one)
    tokens = sum(len(sample.tokens) for sample in SAMPLES)
    loss = (
        -sum(advantage * len(sample.tokens) for sample, advantage in zip(SAMPLES, ADVANTAGES.tolist(), strict=True))
        / tokens
    )
    assert found["loss"] == pytest.approx(loss, rel=1e-4)
    assert found["grad_norm"] == pytest.approx(float(norm), rel=1e-3)
    assert found["learning_rate"] == 1e-3
    assert one.optimizer_steps == 1


@pytest.mark.parametrize("budget", [1, 12, 500])
def test_how_the_batch_is_cut_is_speed_and_never_the_result(tokenizer, budget):
    whole, cut = learner(tokenizer), learner(tokenizer, max_tokens_per_microbatch=budget)
    one, two = update(whole), update(cut)
    for name in ("loss", "grad_norm", "entropy"):
        assert two[name] == pytest.approx(one[name], rel=1e-3)


def test_the_order_of_groups_means_nothing(tokenizer):
    one, two = update(learner(tokenizer)), update(learner(tokenizer), order=[4, 5, 0, 1, 2, 3])
    assert two["loss"] == pytest.approx(one["loss"], rel=1e-4)
    assert two["grad_norm"] == pytest.approx(one["grad_norm"], rel=1e-3)


@pytest.mark.parametrize(("passes", "cuts", "steps"), [(1, 1, 1), (2, 1, 2), (1, 3, 3), (2, 2, 4)])
def test_passes_and_cuts_are_optimizer_steps(tokenizer, passes, cuts, steps):
    one = learner(tokenizer, num_iterations=passes, steps_per_generation=cuts)
    before = weights_of(one)
    update(one)
    assert one.optimizer_steps == steps
    assert not torch.equal(weights_of(one), before)


def test_a_frozen_reference_does_not_move(tokenizer):
    one = learner(tokenizer, build_recipe(read_recipe('regularizers = [{ name = "kl", beta = 0.1 }]', "test")))
    assert update(one)["kl"] == pytest.approx(0.0, abs=1e-6)
    assert update(one)["kl"] > 0


def test_a_loss_that_is_no_number_ends_the_step_before_the_weights_move(tokenizer):
    one = learner(tokenizer)
    before = weights_of(one)
    endless = torch.full((6,), float("inf"), dtype=torch.float64)
    batch = make_batch([len(sample.tokens) for sample in SAMPLES], [sample.group for sample in SAMPLES])
    with pytest.raises(NonFiniteLossError, match=r"learning rate.*\(the weights are those before this step\)"):
        one.update(batch, SAMPLES, endless, torch.zeros(6), State())
    assert torch.equal(weights_of(one), before)


def test_a_failure_in_the_third_update_says_that_two_were_made(tokenizer):
    one = learner(tokenizer, steps_per_generation=3)
    wrong = ADVANTAGES.clone()
    wrong[4:] = float("nan")
    batch = make_batch([len(sample.tokens) for sample in SAMPLES], [sample.group for sample in SAMPLES])
    with pytest.raises(NonFiniteLossError, match="updated 2 times in this step before"):
        one.update(batch, SAMPLES, wrong, torch.zeros(6), State())


@pytest.mark.parametrize("name", [name for name in bundled_recipes() if name != NEEDS_AN_AUDIT])
def test_a_batch_without_a_trained_token_moves_nothing(name, tokenizer):
    """All rows cut off under the overlong filter, or none accepted: some recipes crashed, AdamW moved on by its memory."""
    one = learner(tokenizer, bundled(name), num_iterations=1 if name == "opo" else 2)
    update(one)
    before = weights_of(one)
    batch = make_batch([len(sample.tokens) for sample in SAMPLES], [sample.group for sample in SAMPLES])
    batch = replace(batch, mask_BT=torch.zeros_like(batch.mask_BT))
    found = one.update(batch, SAMPLES, ADVANTAGES, torch.zeros(6, dtype=torch.float64), State())
    assert torch.equal(weights_of(one), before)
    assert (found["loss"], found["grad_norm"]) == (0.0, 0.0)


def test_rows_that_cannot_teach_go_through_the_model_without_gradient_and_masked_ones_not_at_all(
    tokenizer, monkeypatch
):
    one, seen = learner(tokenizer), []
    forward = trainer_bridge.learn.learner.completion_logprobs

    def counting(model, micro, temperature):
        seen.append((len(micro.samples), torch.is_grad_enabled()))
        return forward(model, micro, temperature)

    monkeypatch.setattr("trainer_bridge.learn.learner.completion_logprobs", counting)
    batch = make_batch([len(sample.tokens) for sample in SAMPLES], [sample.group for sample in SAMPLES])
    batch.mask_BT[2] = False
    advantages = ADVANTAGES.clone()
    advantages[4:] = 0.0
    one.update(batch, SAMPLES, advantages, torch.zeros(6, dtype=torch.float64), State())
    assert sum(rows for rows, graded in seen if graded) == 3
    assert sum(rows for rows, graded in seen if not graded) == 2


def test_the_reference_can_be_taken_anew(tokenizer):
    one = learner(tokenizer, build_recipe(read_recipe('regularizers = [{ name = "kl", beta = 0.1 }]', "test")))
    update(one)
    one.take_reference()
    assert update(one)["kl"] == pytest.approx(0.0, abs=1e-6)


def test_clip_ratios_are_means_over_tokens_as_in_trl(tokenizer):
    clipping = build_recipe(read_recipe('surrogate = { name = "clip", epsilon = 1e-6, epsilon_high = 1e-6 }', "test"))
    one = learner(tokenizer, clipping, num_iterations=2, learning_rate=1e-2)
    found = update(one)
    tokens = sum(len(sample.tokens) for sample in SAMPLES)
    counted = found["clip_ratio/region_mean"] * 2 * tokens  # two passes over the batch
    assert counted > 0
    assert counted == pytest.approx(round(counted))
