"""Reward vectors to utilities: worked numbers, gates, and what was not judged."""

import pytest
import torch

from schemas.manifest import RewardDeclaration, RewardRole
from schemas.verdict import Verdict
from tests.making.recipes import facts
from trainer_bridge.components.advantages import BatchNorm, Group
from trainer_bridge.components.aggregators import Gated, Gdpo, Lexicographic, MoGrpo, OutcomeGated, WeightedSum
from trainer_bridge.errors import RecipeError
from trainer_bridge.rewards import RewardSpace, merge_spaces

NAN = float("nan")


def test_weighted_sum_follows_the_wire_schemas_own_rule(make_batch):
    declared = {
        "correct": RewardDeclaration(weight=2.0),
        "form": RewardDeclaration(weight=0.5),
        "honest": RewardDeclaration(role=RewardRole.GATE),
        "words": RewardDeclaration(role=RewardRole.METRIC, range=(0, 100)),
    }
    rows = [
        {"correct": 1.0, "form": 1.0, "honest": 1.0, "words": 50.0},
        {"correct": 1.0, "form": None, "honest": 0.0, "words": 3.0},
        {"correct": 0.5, "form": 0.5, "honest": 1.0, "words": None},
        {"correct": None, "form": None, "honest": 0.0, "words": 7.0},
    ]
    columns = {name: [NAN if row[name] is None else row[name] for row in rows] for name in declared}
    utility = WeightedSum()(make_batch([1] * 4, rewards=columns, space=RewardSpace(declared)))
    expected = [Verdict(rewards=row).weighted_sum(declared) for row in rows]
    assert utility[:3].tolist() == pytest.approx(expected[:3])
    assert expected[3] is None
    assert utility[3].isnan()


AGGREGATORS = [WeightedSum(), Gated(), MoGrpo(), Gdpo(), Lexicographic(), OutcomeGated(outcome="right", rubric="form")]


@pytest.mark.parametrize("aggregator", AGGREGATORS, ids=lambda one: one.name)
def test_under_no_aggregator_a_reward_that_was_not_judged_is_a_bad_one(aggregator, make_batch):
    """A verifier that sometimes fails must not teach the policy to avoid what it fails on."""
    space = RewardSpace({"right": RewardDeclaration(), "form": RewardDeclaration(weight=3.0)})
    rewards = {"right": [1.0, 1.0, 1.0, 1.0], "form": [1.0, NAN, 1.0, NAN]}
    batch = make_batch([1] * 4, [0, 0, 0, 0], rewards=rewards, space=space)
    advantages = Group()(aggregator(batch), batch)
    assert advantages.abs().max() < 1e-9


@pytest.mark.parametrize("aggregator", AGGREGATORS[:5], ids=lambda one: one.name)
def test_two_environments_with_other_rewards_and_gates_both_teach_under_every_aggregator(aggregator, make_batch):
    one = {"right": RewardDeclaration(), "honest": RewardDeclaration(role=RewardRole.GATE)}
    space = merge_spaces({"al/one": one, "al/two": {"short": RewardDeclaration(weight=0.5)}})
    rewards = {
        "right": [1.0, 0.0, NAN, NAN],
        "honest": [1.0, 1.0, NAN, NAN],
        "short": [NAN, NAN, 0.9, 0.1],
    }
    batch = make_batch([1] * 4, [0, 0, 1, 1], rewards=rewards, space=space, environment_B=torch.tensor([0, 0, 1, 1]))
    advantages = Group()(aggregator(batch), batch)
    assert (advantages[::2] > 0).all()
    assert (advantages[1::2] < 0).all()


def test_per_reward_normalisation_tells_apart_what_a_sum_confuses(make_batch):
    small = make_batch([1, 1], rewards={"a": [0.0, 0.0], "b": [1.0, 0.0]})
    large = make_batch([1, 1], rewards={"a": [1.0, 0.0], "b": [1.0, 0.0]})
    for batch, each in ((small, 0.707107), (large, 1.414214)):
        summed = Group(eps=0)(WeightedSum()(batch), batch)
        assert summed.tolist() == pytest.approx([0.707107, -0.707107], abs=1e-6)
        assert MoGrpo(eps=0)(batch).tolist() == pytest.approx([each, -each], abs=1e-6)


def test_gdpo_before_and_after_batch_normalisation(make_batch):
    batch = make_batch([1] * 6, [0, 0, 1, 1, 2, 2], rewards={"a": [0, 0, 1, 0, 1, 0.0], "b": [1, 0, 1, 0, 1, 1.0]})
    utility = Gdpo()(batch)
    before, after = [0.707007, 1.414014, 0.707007], [0.645438, 1.290877, 0.645438]
    assert utility[::2].tolist() == pytest.approx(before, abs=1e-6)
    assert utility[1::2].tolist() == pytest.approx([-value for value in before], abs=1e-6)
    assert BatchNorm()(utility, batch)[::2].tolist() == pytest.approx(after, abs=1e-6)


def test_a_constant_or_unjudged_reward_contributes_exactly_nothing(make_batch):
    batch = make_batch([1, 1, 1], rewards={"a": [0.3, 0.3, 0.3], "b": [1.0, 0.0, NAN]})
    utility = MoGrpo(eps=0)(batch)
    assert utility.tolist() == pytest.approx([0.707107, -0.707107, 0.0], abs=1e-6)
    assert MoGrpo()(make_batch([1, 1], rewards={"a": [NAN, NAN]})).isnan().all()


@pytest.mark.parametrize(
    ("gates", "expected"), [((1, 1), 1.0), ((1, 0), 0.099504), ((0.5, 1), 0.710599), ((0, 0, 0), 0.009901)]
)
def test_soft_gates(gates, expected, make_batch):
    names = [f"gate{number}" for number in range(len(gates))]
    declared = {name: RewardDeclaration(role=RewardRole.GATE) for name in names} | {"quality": RewardDeclaration()}
    columns = {name: [float(value)] for name, value in zip(names, gates, strict=True)} | {"quality": [1.0]}
    batch = make_batch([1], rewards=columns, space=RewardSpace(declared))
    assert Gated()(batch).tolist() == pytest.approx([expected], abs=1e-6)


def test_gated_utility_of_the_worked_example(make_batch):
    declared = {
        "g1": RewardDeclaration(role=RewardRole.GATE),
        "g2": RewardDeclaration(role=RewardRole.GATE),
        "s1": RewardDeclaration(weight=2.0),
        "s2": RewardDeclaration(weight=1.0),
    }
    batch = make_batch([1], rewards={"g1": [1.0], "g2": [0.0], "s1": [1.0], "s2": [0.5]}, space=RewardSpace(declared))
    assert Gated()(batch).tolist() == pytest.approx([0.082920], abs=1e-6)


def test_rubrics_count_only_behind_a_right_outcome(make_batch):
    batch = make_batch([1, 1, 1], rewards={"correct": [1.0, 0.0, 1.0], "rubric": [0.25, 0.9, 0.5]})
    assert OutcomeGated()(batch).tolist() == pytest.approx([0.775, 0.0, 0.85])
    assert OutcomeGated(variant="normalised")(batch)[0].item() == pytest.approx(0.7 + 0.3 * 0.25 / 0.9)
    with pytest.raises(RecipeError, match="needs a reward 'rubric'; those of al/a are correct"):
        OutcomeGated().check_run(facts("correct"))


def test_lexicographic_order_decides_by_the_first_difference(make_batch):
    batch = make_batch([1] * 5, rewards={"a": [1, 1, 0, 0, NAN], "b": [0.2, 0.9, 1.0, 0.0, 1.0]})
    utility = Lexicographic(order=("a", "b"))(batch)
    assert utility[:4].tolist() == pytest.approx([2 / 3, 1.0, 1 / 3, 0.0])
    assert utility[4].isnan()
    reverse = Lexicographic(order=("b", "a"))(batch)
    assert reverse[:4].argsort().tolist() == [3, 0, 1, 2]
    with pytest.raises(RecipeError, match="names 'c'"):
        Lexicographic(order=("c",)).check_run(facts("a", "b"))


def test_lexicographic_defaults_to_falling_weights_and_equal_vectors_are_equal(make_batch, weighted_space):
    space = weighted_space(minor=0.1, major=5.0)
    batch = make_batch([1] * 3, rewards={"minor": [1.0, 0.0, 0.0], "major": [0.0, 1.0, 1.0]}, space=space)
    assert Lexicographic()(batch).tolist() == [0.0, 1.0, 1.0]


def test_group_normalisation_of_a_mixed_batch_is_per_group(make_batch):
    batch = make_batch([1] * 4, [0, 0, 1, 1], rewards={"a": [0.0, 1.0, 10.0, 30.0]})
    assert MoGrpo(eps=0)(batch).tolist() == pytest.approx([-0.707107, 0.707107, -0.707107, 0.707107], abs=1e-6)
    assert torch.equal(Gdpo(eps=0)(batch), MoGrpo(eps=0)(batch))


def test_behind_a_closed_gate_every_reward_counts_as_earned_at_its_bottom(make_batch):
    declared = {"gate": RewardDeclaration(role=RewardRole.GATE), "easy": RewardDeclaration()}
    batch = make_batch([1, 1], rewards={"gate": [0.0, 1.0], "easy": [1.0, 1.0]}, space=RewardSpace(declared))
    assert MoGrpo(eps=0)(batch).tolist() == pytest.approx([-0.707107, 0.707107], abs=1e-6)
    unjudged = make_batch([1, 1], rewards={"gate": [NAN, 1.0], "easy": [1.0, 1.0]}, space=RewardSpace(declared))
    assert MoGrpo(eps=0)(unjudged).isnan().tolist() == [True, False]  # who knows whether it is closed
