"""TRL as a differential oracle: same weights, completions and rewards give the same advantages, loss and gradients.

The numbers in trl_oracle.json are TRL's own, in float64; scripts/trl_oracle.py writes them.
"""

import json
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from schemas.manifest import RewardDeclaration
from tests.making.batches import make_batch
from tests.making.oracle_cases import (
    CASES,
    MAX_LENGTH,
    REWARD_NAMES,
    TEMPERATURE,
    completions,
    fingerprint,
    policy,
    prompt_ids,
)
from trainer_bridge.batch import State
from trainer_bridge.components.contract import RunFacts
from trainer_bridge.learn.learner import Accumulators, Learner
from trainer_bridge.learn.micro_batches import BatchRow
from trainer_bridge.recipe import load_recipe
from trainer_bridge.reports.step_report import completion_metrics, reward_metrics
from trainer_bridge.rewards import RewardSpace
from trainer_bridge.settings import TrainSettings

ORACLE, METRICS = (
    json.loads((Path(__file__).parent / name).read_text()) for name in ("trl_oracle.json", "trl_metrics.json")
)


def _own(case):
    """A case's settings as this trainer takes them: under TRL's names, which are those of its GRPO trainer."""
    return {"recipe_overrides": case.changes} if case.trainer == "rloo" else case.names


def measured(name, kind):
    """(advantages, loss, gradients by parameter, metrics) of this trainer's own learner, in float32 as it trains."""
    case = CASES[name]
    space = RewardSpace({reward: RewardDeclaration() for reward in REWARD_NAMES}).weighted(case.weights)
    base = {"targets": ("al/a",), "output": "run", "temperature": TEMPERATURE, "max_completion_length": MAX_LENGTH}
    settings = TrainSettings.make({**base, "recipe": case.recipe, **_own(case)}, {"num_iterations": 2})
    facts = RunFacts(MAX_LENGTH, 1, 2, {"al/a": space})
    recipe = load_recipe(case.recipe, settings.recipe_overrides).for_run(facts)
    learner = Learner(policy("new"), recipe, settings)
    given = case.batch
    samples = [
        BatchRow(group, prompt, tokens)
        for group, prompt, tokens in zip(given.groups, prompt_ids(given), completions(given), strict=True)
    ]
    rewards = [[float("nan") if value is None else value for value in row] for row in given.rewards]
    batch = make_batch(
        given.lengths,
        given.groups,
        dict(zip(REWARD_NAMES, zip(*rewards, strict=True), strict=True)),
        space,
        truncated_B=torch.tensor(given.cut_off),
    )
    for row, places in given.read.items():
        batch.mask_BT[row, list(places)] = False
    reported = reward_metrics(batch) | completion_metrics(batch)
    advantages, utility = recipe.row_advantages(batch)
    changes = {"mask_BT": recipe.trained_mask(batch)}
    old = policy("old") if kind == "off_policy" else learner.model
    sampler = policy("engine") if case.has_engine else old
    for kind_of, model in (("old", old), ("reference", policy("reference")), ("sampler", sampler)):
        with learner.weights.instead([one.detach() for one in model.parameters()]):
            changes[f"{kind_of}_logprobs_BT"] = learner.measure(samples, max(given.lengths))[0]
    batch = replace(batch, **changes)
    sums = Accumulators()
    loss = learner.accumulate(batch, samples, advantages, utility, State(), sums)
    reported |= learner._means(sums, batch.mask_BT, passes=1)
    if recipe.modifiers:  # RLOO's KL, which TRL takes from the reward; here it comes when log-probabilities are known
        advantages = recipe.token_advantages(batch, advantages, utility)[:, 0]
    return advantages, loss, gradients_of(learner), reported


def check_metrics(case, kind, reported, trls):
    """What both report under one name is the same number, but for the differences that the documentation names."""
    trls = {under_own_name(name): value for name, value in trls.items()}
    names = case.names
    is_by_batch = (
        case.trainer == "rloo" or "multi_objective_aggregation" in names or names.get("scale_rewards") == "batch"
    )
    left_out = {"frac_reward_zero_std"} if is_by_batch else set()  # here always the share of groups
    learnt = {name for name in trls if name in ("entropy", "kl") or "clip_ratio" in name}
    if case.larger or (case.recipe == "gdpo" and case.samples == "all equal but one group"):
        left_out |= learnt  # rows without a verdict are left out here; signs of advantages of 1e-9 are of rounding
    for name in trls.keys() & reported.keys() - left_out:
        assert reported[name] == pytest.approx(trls[name], rel=1e-4, abs=1e-5), (name, kind)
    not_here = ("/min", "/max", "_min", "_max", "importance_sampling_ratio/mean")
    assert {name for name in trls if not name.endswith(not_here)} - reported.keys() <= {
        "policy_loss", "entropy_coef", "vespo/phi_seq_mean",
    }  # fmt: skip


def under_own_name(name):
    """TRL's reward functions have numbers."""
    for column, own in enumerate(REWARD_NAMES):
        name = name.replace(f"rewards/reward_{column}/", f"rewards/{own}/")
    return name


def gradients_of(learner):
    return fingerprint({key: one.grad for key, one in learner.model.named_parameters() if one.grad is not None})


@pytest.mark.parametrize("kind", ["on_policy", "off_policy"])
@pytest.mark.parametrize("name", CASES)
def test_advantages_loss_gradients_and_metrics_are_trls(name, kind):
    expected = ORACLE["cases"][name][kind]
    advantages, loss, gradients, reported = measured(name, kind)
    largest = max(1.0, *map(abs, expected["advantages"]))  # small ones, and the loss, are what is left of such numbers
    assert advantages.tolist() == pytest.approx(expected["advantages"], rel=1e-5, abs=4e-6 * largest)
    larger = CASES[name].batch.larger(CASES[name].larger)
    expected["gradients"] = {key: [larger * one for one in values] for key, values in expected["gradients"].items()}
    size = sum(values[0] ** 2 for values in expected["gradients"].values()) ** 0.5
    assert loss == pytest.approx(larger * expected["loss"], rel=1e-5, abs=1e-6 * largest)
    assert size > 1e-3  # the case does teach something
    assert gradients.keys() == expected["gradients"].keys()
    away = sum(
        (found - wanted) ** 2
        for key, values in expected["gradients"].items()
        for found, wanted in zip(gradients[key], values, strict=True)
    )
    assert away**0.5 < 1e-5 * size
    check_metrics(CASES[name], kind, reported, METRICS["cases"][name][kind])
