"""Weights in shares: losses, gradients, weights and checkpoints are those of one process, however many there are."""

import pytest
import torch

from schemas.manifest import RewardDeclaration
from tests.making.processes import run_in_processes
from tests.making.recipes import bundled
from trainer_bridge.batch import Batch, RewardSpace, State
from trainer_bridge.learn.learner import Learner
from trainer_bridge.learn.micro_batches import BatchRow, Piece
from trainer_bridge.models.lora import add_adapters
from trainer_bridge.models.tiny import tiny_model, tiny_tokenizer
from trainer_bridge.ranks import Ranks
from trainer_bridge.recipe import build_recipe
from trainer_bridge.recipe_text import read_recipe
from trainer_bridge.settings import TrainSettings

STEPS = 2
SPACE = RewardSpace({"a": RewardDeclaration(), "b": RewardDeclaration(weight=3.0)})
METHODS = {
    "token_mean": 'reduction = "token_mean"',
    "token_sum": 'reduction = "token_sum"',
    "seq_mean_token_mean": 'reduction = "seq_mean_token_mean"',
    "seq_mean_token_sum": 'reduction = { name = "seq_mean_token_sum", horizon = 9.0 }',
    "kl": 'regularizers = [{ name = "kl", beta = 0.3 }]',
    "entropy": 'regularizers = [{ name = "entropy", coefficient = 0.1 }]\ntoken_weights = [{ name = "high_entropy", share = 0.5 }]',
}
CUTS = {
    "micro_batches": {"max_tokens_per_microbatch": 12},
    "updates": {"steps_per_generation": 2, "num_iterations": 2, "max_tokens_per_microbatch": 24},
    "clipped": {"max_grad_norm": 0.05},
    "recomputed": {"gradient_checkpointing": True},
    "lora": {"lora_r": 2},
}


def settings_of(**changes):
    given = {"targets": ("al/a",), "output": "run", "learning_rate": 5e-3, "temperature": 0.8, "max_grad_norm": 1e9,
             "adam_epsilon": 1e-4}  # fmt: skip
    return TrainSettings.make(given | changes)


def data(step):
    """Five groups of rows of random lengths, among them a row of two sequences and rows that are equal in reward."""
    draw = torch.Generator().manual_seed(step)
    samples, groups = [], []
    for group in range(5):
        prompt = torch.randint(5, 100, (int(torch.randint(2, 6, (1,), generator=draw)),), generator=draw).tolist()
        for _ in range(3):
            length = int(torch.randint(1, 8, (1,), generator=draw))
            tokens = torch.randint(5, 100, (length,), generator=draw).tolist()
            more = (Piece((7, 8), tokens[:2]),) if group == 3 else ()
            samples.append(BatchRow(group, prompt, tokens, more))
            groups.append(group)
    width = max(sample.width for sample in samples)
    mask = torch.arange(width)[None] < torch.tensor([sample.width for sample in samples])[:, None]
    rewards = torch.randint(0, 2, (len(samples), 2), generator=draw).double()
    rewards[3:6] = 1.0  # nothing to learn in this group
    rewards[7, 0] = torch.nan
    sampled = -torch.rand(mask.shape, generator=draw)
    batch = Batch(torch.tensor(groups), mask, rewards, SPACE, torch.zeros(len(samples), dtype=torch.bool), sampled)
    return batch, samples


def method_of(name):
    text = METHODS.get(name)
    return build_recipe(read_recipe(text, name)) if text is not None else bundled(name)


def model_of(settings, dtype=torch.float32):
    model = tiny_model(tiny_tokenizer()).eval().to(dtype)
    if settings.lora_r:
        add_adapters(model, rank=settings.lora_r, alpha=8, targets=(), seed=3)
    return model


def learn(ranks, method, changes, dtype=torch.float32, steps=range(STEPS)):
    """(metrics of each step, the whole model's trained weights, the learner)."""
    settings, recipe = settings_of(**changes), method_of(method)
    learner = Learner(model_of(settings, dtype), recipe, settings, ranks)
    return [*take(learner, recipe, steps), learner]


def take(learner, recipe, steps):
    found = []
    for step in steps:
        batch, samples = data(step)
        advantages, utility = recipe.row_advantages(batch)
        metrics = learner.update(batch, samples, advantages, utility, State(step))
        found.append({name: value for name, value in metrics.items() if not name.startswith("time/")})
    trained = [one.detach().clone() for one in learner.model.parameters() if one.requires_grad]
    return found, torch.cat([one.flatten().float() for one in trained])


def learn_all(ranks, cases):
    return [learn(ranks, *case)[:2] for case in cases]


def assert_same(ours, theirs, tolerance=1e-5):
    for step, (one, other) in enumerate(zip(ours[0], theirs[0], strict=True)):
        assert one.keys() == other.keys()
        for name, value in one.items():
            assert value == pytest.approx(other[name], rel=tolerance, abs=tolerance), (step, name)
    assert torch.allclose(ours[1], theirs[1], atol=tolerance, rtol=0)


CASES = [*((name, {}) for name in METHODS), *(("kl", changes) for changes in CUTS.values()),
         ("token_mean", {"lora_r": 2, "steps_per_generation": 2, "max_tokens_per_microbatch": 12})]  # fmt: skip


@pytest.mark.parametrize("count", [2, 4])
def test_losses_and_weights_are_those_of_one_process_on_the_same_batch(count):
    cases = CASES if count == 2 else CASES[4:8]
    alone = [learn(Ranks(), *case)[:2] for case in cases]
    start = torch.cat([one.detach().flatten() for one in model_of(settings_of()).parameters()])
    assert float((alone[0][1] - start).abs().max()) > 3e-3, "something was learnt"
    found = run_in_processes(learn_all, count, cases)
    for of_process in found:
        assert not isinstance(of_process, str), of_process
        for ours, theirs in zip(of_process, alone, strict=True):
            assert_same(ours, theirs)
