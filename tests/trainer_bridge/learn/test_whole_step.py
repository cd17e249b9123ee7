"""Whole training steps against a plain trainer in float64: one sequence at a time, formulas as published, AdamW by hand."""

import math

import pytest
import torch

from tests.making.batches import make_batch
from tests.making.oracle_cases import GROUP, LENGTHS, MAX_LENGTH, TEMPERATURE, completions, policy, prompt_ids
from tests.making.recipes import facts
from trainer_bridge.batch import State
from trainer_bridge.learn.learner import Learner
from trainer_bridge.learn.micro_batches import BatchRow
from trainer_bridge.recipe import load_recipe
from trainer_bridge.settings import TrainSettings

RATE, BETAS, EPS, DECAY, NORM = 2e-3, (0.9, 0.99), 1e-8, 0.01, 0.7
STEPS = 3
CAP = 2.0
"""Truncated importance sampling weighs no token by more."""
SAMPLES = [
    BatchRow(row // GROUP, prompt, tokens)
    for row, (prompt, tokens) in enumerate(zip(prompt_ids(), completions(), strict=True))
]
GROUPS = [sample.group for sample in SAMPLES]


def rewards(step):
    """Other rewards in every step; the second group's are all equal in the first."""
    draw = torch.Generator().manual_seed(step)
    found = (torch.rand(len(SAMPLES), generator=draw) * 4).round() / 4
    if step == 0:
        found[GROUP : 2 * GROUP] = 0.5
    return found.tolist()


class PlainTrainer:
    """What a paper's pseudo-code says, in float64 and without any trick of speed."""

    def __init__(self, method, passes, cuts):
        self.model, self.reference = policy("new").double(), policy("new").double()
        self.method, self.passes, self.cuts = method, passes, cuts
        self.parameters = list(self.model.parameters())
        self.first = [torch.zeros_like(one) for one in self.parameters]
        self.second = [torch.zeros_like(one) for one in self.parameters]
        self.updates = 0

    def step(self, values, sampler=None):
        """``sampler``: the log-probabilities that each sample had when it was drawn, where they are corrected for."""
        with torch.no_grad():
            old, frozen = self.logprobs(self.model), self.logprobs(self.reference)
        self.weights = {row: torch.ones_like(old[row]) for row in old}
        if sampler is not None:
            self.weights = {row: (old[row] - sampler[row]).exp().clamp(max=CAP) for row in old}
        for _ in range(self.passes):
            for rows in self.chunks():
                paid = [value - self.paid(row, old, frozen) for row, value in enumerate(values)]
                loss = self.loss(rows, self.logprobs(self.model, rows), old, frozen, self.advantages(paid))
                self.adamw(torch.autograd.grad(loss, self.parameters))

    def paid(self, row, old, frozen):
        """RLOO takes the KL of the whole sequence from its reward."""
        return 0.03 * float((old[row] - frozen[row]).sum()) if self.method == "rloo" else 0.0

    def chunks(self):
        return [[row for row, group in enumerate(GROUPS) if group in part] for part in
                torch.tensor_split(torch.arange(max(GROUPS) + 1), self.cuts)]  # fmt: skip

    def logprobs(self, model, rows=None):
        found = {}
        for row in range(len(SAMPLES)) if rows is None else rows:
            sample = SAMPLES[row]
            ids = torch.tensor([[*sample.prompt, *sample.tokens]])
            logits = model(ids).logits[0, len(sample.prompt) - 1 : -1] / TEMPERATURE
            found[row] = logits.log_softmax(-1).gather(-1, torch.tensor(sample.tokens)[:, None])[:, 0]
        return found

    def advantages(self, values):
        found = []
        for row, value in enumerate(values):
            mates = [other for other, group in zip(values, GROUPS, strict=True) if group == GROUPS[row]]
            mean = sum(mates) / len(mates)
            spread = math.sqrt(sum((other - mean) ** 2 for other in mates) / (len(mates) - 1))
            if self.method == "rloo":
                found.append(value - (sum(mates) - value) / (len(mates) - 1))
            elif self.method == "dr_grpo":
                found.append(value - mean)
            else:
                found.append(0.0 if len(set(mates)) == 1 else (value - mean) / (spread + 1e-4))
        return found

    def loss(self, rows, new, old, frozen, advantages):
        tokens = sum(len(new[row]) for row in rows)
        total = 0.0
        for row in rows:
            term = self.weights[row] * self.token_loss(advantages[row], new[row], old[row], frozen[row])
            if self.method in ("dapo", "cispo"):
                total = total + term.sum() / tokens
            elif self.method == "dr_grpo":
                total = total + term.sum() / len(rows) / MAX_LENGTH
            else:
                total = total + term.mean() / len(rows)
        return total

    def token_loss(self, advantage, new, old, frozen):
        ratio = (new - old).sum().exp() if self.method == "rloo" else (new - old).exp()
        if self.method == "cispo":
            return -ratio.detach().clamp(max=5.0) * advantage * new
        if self.method == "sapo":
            tau = 1.0 if advantage > 0 else 1.05
            return -advantage * torch.sigmoid(tau * (ratio - 1)) * 4 / tau
        low, high = (3e-4, 4e-4) if self.method == "gspo" else (0.2, 0.28 if self.method == "dapo" else 0.2)
        if self.method == "gspo":
            ratio = ((new - old).mean().detach() + new - new.detach()).exp()
        term = torch.maximum(-advantage * ratio, -advantage * ratio.clamp(1 - low, 1 + high))
        gap = frozen - new
        if self.method == "grpo":
            term = term + 0.04 * (gap.exp() - gap - 1)
        return term

    @torch.no_grad()
    def adamw(self, gradients):
        self.updates += 1
        norm = math.sqrt(sum(float((gradient**2).sum()) for gradient in gradients))
        scale = min(1.0, NORM / (norm + 1e-6))
        for place, (one, gradient) in enumerate(zip(self.parameters, gradients, strict=True)):
            self.first[place] = BETAS[0] * self.first[place] + (1 - BETAS[0]) * scale * gradient
            self.second[place] = BETAS[1] * self.second[place] + (1 - BETAS[1]) * (scale * gradient) ** 2
            mean = self.first[place] / (1 - BETAS[0] ** self.updates)
            spread = (self.second[place] / (1 - BETAS[1] ** self.updates)).sqrt()
            one.sub_(RATE * (DECAY * one + mean / (spread + EPS)))


def trainers(method, passes, cuts, **changes):
    """This trainer and the plain one, with the same weights and settings."""
    settings = TrainSettings.make(
        {
            "targets": ("al/a",), "output": "run", "recipe": method, "temperature": TEMPERATURE, "learning_rate": RATE,
            "adam_beta1": BETAS[0], "adam_beta2": BETAS[1], "adam_epsilon": EPS, "weight_decay": DECAY,
            "max_grad_norm": NORM, "num_iterations": passes, "steps_per_generation": cuts,
            "max_completion_length": MAX_LENGTH, "max_tokens_per_microbatch": 60,
        }
    )  # fmt: skip
    recipe = load_recipe(method, changes).for_run(facts(length=MAX_LENGTH, updates=passes * cuts))
    return recipe, Learner(policy("new"), recipe, settings), PlainTrainer(method, passes, cuts)


def assert_same_weights(learner, plain, start):
    names = [name for name, _ in plain.model.named_parameters()]
    found = dict(learner.model.named_parameters())
    moved = math.sqrt(
        sum(float(((one.detach() - was) ** 2).sum()) for one, was in zip(plain.parameters, start, strict=True))
    )
    away = math.sqrt(
        sum(float(((found[name] - one).detach() ** 2).sum()) for name, one in zip(names, plain.parameters, strict=True))
    )
    assert moved > 0.1
    assert away < 2e-3 * moved


@pytest.mark.parametrize(("passes", "cuts"), [(1, 1), (2, 3)])
@pytest.mark.parametrize("method", ["dapo", "grpo", "dr_grpo", "rloo", "gspo", "cispo", "sapo"])
def test_three_steps_end_at_the_weights_of_the_plain_trainer(method, passes, cuts):
    recipe, learner, plain = trainers(method, passes, cuts)
    start = [one.detach().clone() for one in plain.parameters]
    for step in range(STEPS):
        batch = make_batch(LENGTHS, GROUPS, {"score": rewards(step)})
        advantages, utility = recipe.row_advantages(batch)
        learner.update(batch, SAMPLES, advantages, utility, State(step=step))
        plain.step(rewards(step))
    assert_same_weights(learner, plain, start)


@pytest.mark.parametrize(("passes", "cuts"), [(1, 1), (2, 3)])
@pytest.mark.parametrize("method", ["dapo", "dr_grpo"])
def test_samples_that_are_one_update_old_are_weighed_as_in_the_plain_trainer(method, passes, cuts):
    """As ``max_staleness`` 1 does: each step's samples were drawn before the update of the step before it."""
    recipe, learner, plain = trainers(method, passes, cuts, token_weights=["truncated_importance"])
    start = [one.detach().clone() for one in plain.parameters]
    sampler, most = None, 0.0
    for step in range(STEPS):
        with torch.no_grad():
            now = plain.logprobs(plain.model)
        sampler = now if sampler is None else sampler
        drawn = torch.zeros(len(SAMPLES), max(LENGTHS))
        for row, logprobs in sampler.items():
            drawn[row, : len(logprobs)] = logprobs
        batch = make_batch(LENGTHS, GROUPS, {"score": rewards(step)}, sampler_logprobs_BT=drawn)
        advantages, utility = recipe.row_advantages(batch)
        learner.update(batch, SAMPLES, advantages, utility, State(step=step))
        plain.step(rewards(step), sampler)
        weights = torch.cat(list(plain.weights.values()))
        most = max(most, float((weights - 1).abs().max()))
        sampler = now
    assert most > 0.3, "the samples were old enough to tell"
    assert_same_weights(learner, plain, start)
