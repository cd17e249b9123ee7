"""The learner: what a step changes, and what it must not."""

from dataclasses import replace

import pytest
import torch

import trainer_bridge.learn.master_weights
from tests.making.batches import make_batch
from tests.making.recipes import NEEDS_AN_AUDIT, bundled
from trainer_bridge.batch import State
from trainer_bridge.errors import NonFiniteLossError
from trainer_bridge.learn.learner import Learner
from trainer_bridge.learn.micro_batches import BatchRow
from trainer_bridge.models.tiny import tiny_model, tiny_tokenizer
from trainer_bridge.recipe import build_recipe
from trainer_bridge.recipe_text import bundled_recipes, read_recipe
from trainer_bridge.settings import TrainSettings


def settings(**changes):
    return TrainSettings.make({"targets": ("al/a",), "output": "run", "learning_rate": 1e-2} | changes)


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
    forward = trainer_bridge.learn.master_weights.completion_logprobs

    def counting(model, micro, temperature):
        seen.append((len(micro.samples), torch.is_grad_enabled()))
        return forward(model, micro, temperature)

    monkeypatch.setattr("trainer_bridge.learn.master_weights.completion_logprobs", counting)
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
