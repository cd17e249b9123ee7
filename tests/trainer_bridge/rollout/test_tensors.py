"""Judged rollouts as tensors: what is learnt from, what each turn earned, and how often a task was solved."""

import math

import pytest
import torch

from schemas.manifest import RewardDeclaration
from schemas.task import Task
from schemas.verdict import Verdict
from trainer_bridge.batch import Draw, Rollout, TokenSequence, merge_spaces
from trainer_bridge.rollout.tensors import as_batch, as_sample, as_samples, pass_rates

SPACE = merge_spaces(
    {
        "a/one": {"right": RewardDeclaration(), "short": RewardDeclaration(weight=0.5)},
        "a/two": {"right": RewardDeclaration()},
    }
)
FIRST = TokenSequence((1, 2), (3, 9, 4), (-0.3, 0.0, -0.4), (0, -1, 1))
"""Two calls; between them the environment said 9."""
SECOND = TokenSequence((7,), (5,), (-0.5,), (2,))


def rollout(sequences=(FIRST,), group=0, environment=0, right=1.0, key="t", **more):
    task = Task.read({"id": key, "prompt": key})
    rewards = {"right": right, "short": right} if environment == 0 else {"right": right}
    return Rollout(Draw(environment, "a/one", task), group, sequences, "", Verdict(rewards=rewards), **more)


def batch_of(*rollouts):
    return as_batch(rollouts, SPACE, torch.device("cpu"))


def test_only_what_the_policy_wrote_is_learnt_from_and_sequences_follow_each_other_on_a_row():
    batch = batch_of(rollout((FIRST, SECOND)), rollout(()))
    assert batch.mask_BT.tolist() == [[True, False, True, True], [False] * 4]
    assert batch.turn_BT.tolist() == [[0, -1, 1, 2], [-1] * 4]
    assert batch.sampler_logprobs_BT[0].tolist() == pytest.approx([-0.3, 0.0, -0.4, -0.5])
    first, nothing = as_samples([rollout((FIRST, SECOND)), rollout(())])
    assert (first.prompt, first.tokens, first.more[0].prompt, first.width) == ((1, 2), (3, 9, 4), (7,), 4)
    assert (nothing.width, as_sample(3, ()).group) == (0, 3)


def test_groups_are_numbered_anew_and_each_row_knows_its_environment():
    batch = batch_of(rollout(group=7), rollout(group=2, environment=1), rollout(group=7))
    assert batch.group_B.tolist() == [0, 1, 0]
    assert batch.environment_B.tolist() == [0, 1, 0]
    assert batch.rewards_BK[0].tolist() == [1.0, 1.0]
    assert math.isnan(batch.rewards_BK[1, 1]), "the second environment does not declare it"


def test_what_turns_earned_is_summed_by_the_declared_weights_and_null_is_not_0():
    told = ((0, {"right": 1.0, "short": 1.0}), (2, {"right": None, "short": None}), (0, {"right": 0.25, "short": 0.0}))
    batch = batch_of(rollout(turns=3, turn_rewards=told), rollout(turns=1))
    ours, others = batch.turn_rewards_BM.tolist()
    assert ours[:2] == [1.75, 0.0]
    assert math.isnan(ours[2])
    assert others == [0.0, 0.0, 0.0]


def test_a_tasks_pass_rate_is_over_its_judged_samples():
    passed, failed, unjudged = rollout(right=1.0), rollout(right=0.0), rollout(right=None)
    other = rollout(right=1.0, key="other", environment=1)
    rates = pass_rates([passed, failed, failed, unjudged, other], SPACE)
    assert sorted(rates.values()) == [pytest.approx(1 / 3), 1.0]
    assert pass_rates([unjudged], SPACE) == {}
