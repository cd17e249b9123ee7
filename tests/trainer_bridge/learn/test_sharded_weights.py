"""Weights in shares: losses, gradients, weights and checkpoints are those of one process, however many there are."""

import copy

import pytest
import torch

from schemas.manifest import RewardDeclaration
from tests.making.processes import run_in_processes
from tests.making.recipes import bundled
from trainer_bridge.batch import Batch, State
from trainer_bridge.errors import NonFiniteLossError
from trainer_bridge.learn.learner import Learner
from trainer_bridge.learn.micro_batches import BatchRow, Piece
from trainer_bridge.models.lora import add_adapters
from trainer_bridge.models.tiny import tiny_model, tiny_tokenizer
from trainer_bridge.ranks import Ranks
from trainer_bridge.recipe import build_recipe
from trainer_bridge.recipe_text import read_recipe
from trainer_bridge.rewards import RewardSpace
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
         ("token_mean", {"lora_r": 2, "steps_per_generation": 2, "max_tokens_per_microbatch": 12}),
         ("gdpo", {}), ("mo_grpo", {}), ("lexicographic", {}), ("gspo", {"steps_per_generation": 2}), ("cispo", {})]  # fmt: skip


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


def test_in_bfloat16_the_weights_move_as_those_of_one_process():
    case = ("kl", {"max_tokens_per_microbatch": 24}, torch.bfloat16)
    start = torch.cat([one.detach().flatten().float() for one in model_of(settings_of(), torch.bfloat16).parameters()])
    alone = learn(Ranks(), *case)[1] - start
    first, second = run_in_processes(learn_all, 2, [case])
    assert torch.equal(first[0][1], second[0][1]), "both engines sample from the same weights"
    moved = first[0][1] - start
    assert float(torch.nn.functional.cosine_similarity(moved, alone, dim=0)) > 0.98
    assert float(moved.norm()) == pytest.approx(float(alone.norm()), rel=0.02)


def stop_and_go_on(ranks, stored):
    """One step alone or from ``stored``; what a checkpoint would hold, and the weights after one more step."""
    _, _, learner = learn(ranks, "kl", {}, steps=range(0) if stored else range(1))
    if stored:
        learner.weights.restore(stored["weights"] if ranks.is_first else {})
        learner.reference = learner.weights.shares(stored["reference"] if ranks.is_first else None)
    state = copy.deepcopy({"weights": learner.weights.state(), "reference": learner.weights.whole(learner.reference)})
    (metrics,), weights = take(learner, method_of("kl"), [1])
    return state, metrics, weights


def test_a_checkpoint_of_several_processes_is_that_of_one_and_goes_on_anywhere():
    state, metrics, weights = stop_and_go_on(Ranks(), None)
    several = run_in_processes(stop_and_go_on, 2, None)[0]
    assert_same_tensors(several[0], state)
    for found in (stop_and_go_on(Ranks(), several[0]), *run_in_processes(stop_and_go_on, 3, state)):
        assert not isinstance(found, str), found
        assert found[1]["kl"] > 0
        assert_same(([found[1]], found[2]), ([metrics], weights))


def assert_same_tensors(ours, theirs):
    """Two checkpoints have the same keys, and the same tensors within rounding."""
    if isinstance(theirs, torch.Tensor):
        assert torch.allclose(ours, theirs, atol=1e-5)
    elif isinstance(theirs, dict):
        assert ours.keys() == theirs.keys()
        for name, value in theirs.items():
            assert_same_tensors(ours[name], value)
    elif isinstance(theirs, list):
        assert len(ours) == len(theirs)
        for one, other in zip(ours, theirs, strict=True):
            assert_same_tensors(one, other)
    else:
        assert ours == theirs


def spoil(ranks):
    """A rate that makes the weights infinite, in the process that has the last rows alone."""
    settings, recipe = settings_of(), method_of("token_mean")
    learner = Learner(model_of(settings), recipe, settings, ranks)
    before = learner.weights.copy()
    batch, samples = data(0)
    if ranks.number:
        with torch.no_grad():
            learner.weights.masters[-1].to_local().fill_(torch.inf)
        before = learner.weights.copy()
    advantages, utility = recipe.row_advantages(batch)
    try:
        learner.update(batch, samples, advantages, utility, State(0))
    except NonFiniteLossError as error:
        same = all(torch.equal(one, other) for one, other in zip(before, learner.weights.copy(), strict=True))
        return str(error), same
    return None


def test_a_loss_that_is_not_finite_stops_every_process_and_changes_no_weight():
    found = run_in_processes(spoil, 2)
    assert all("lower the learning rate" in said and same for said, same in found)


def held(ranks):
    """Elements that this process keeps: weights, and moments after one step; whole: of the model."""
    _, _, learner = learn(ranks, "token_mean", {}, steps=range(1))
    moments = [one["exp_avg"] for one in learner.weights.optimizer.state.values()]
    whole = sum(one.numel() for one in learner.model.parameters())
    return sum(one.numel() for one in learner.weights.copy()), sum(one.to_local().numel() for one in moments), whole


def test_each_process_holds_its_part_of_weights_and_moments_and_no_more():
    found = run_in_processes(held, 4)
    for weights, moments, whole in found:
        assert weights == moments
        assert weights < 0.27 * whole, "a quarter, and what rows that cannot be divided add"
    assert sum(weights for weights, _, _ in found) == found[0][2]
