"""Advantages by token: credit for a turn is what came after it, worked by hand and against plain loops."""

import dataclasses
import math
import statistics

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tests.making.batches import make_batch
from trainer_bridge.components.advantages import Rloo
from trainer_bridge.components.modifiers import Empg, KlReward, TurnReturns, discounted_returns
from trainer_bridge.errors import RecipeError
from trainer_bridge.recipe import build_recipe, load_recipe
from trainer_bridge.recipe_text import read_recipe

NAN = float("nan")


def batch_of(turn_rewards, turns=None, groups=None):
    """A batch in which a row writes two tokens a turn with one of the environment's between: 0 0 - 1 1 - …"""
    count = len(turn_rewards[0])
    turns = turns or [count] * len(turn_rewards)
    rows = [[number for turn in range(had) for number in (turn, turn, -1)] for had in turns]
    number = torch.tensor([row + [-1] * (3 * count - len(row)) for row in rows])
    batch = make_batch([3 * count] * len(rows), groups)
    return dataclasses.replace(
        batch,
        mask_BT=number >= 0,
        turn_BT=number,
        turn_rewards_BM=torch.tensor(turn_rewards, dtype=torch.float64),
    )


def credited(part, batch, outcome=None, utility=None):
    """The advantage of each row's turns."""
    rows = len(batch.turn_BT)
    advantages = torch.tensor(outcome or [0.0] * rows, dtype=torch.float64)[:, None] * batch.mask_BT
    utility_of_rows = torch.tensor(utility or [0.0] * rows, dtype=torch.float64)
    found = part(advantages, utility_of_rows, batch)
    assert (found[batch.turn_BT < 0] == 0).all(), "what the environment said earns nothing"
    return [
        [float(found[row][batch.turn_BT[row] == turn].unique()) for turn in range(int(batch.turn_BT[row].max()) + 1)]
        for row in range(rows)
    ]


def test_returns_are_those_worked_by_hand():
    rewards = torch.tensor([[1.0, 0.0, 4.0], [0.0, NAN, 1.0]], dtype=torch.float64)
    assert discounted_returns(rewards, 0.5).tolist()[0] == [2.0, 2.0, 4.0]
    assert discounted_returns(rewards, 0.5)[1].isnan().tolist() == [True, True, False]


def test_a_turn_is_credited_with_what_came_after_it_and_not_before():
    batch = batch_of([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]])
    # Returns at gamma 0.5: 1, 0.5, 0 in the first turn (mean 0.5), and 0, 1, 0 in the second (mean 1/3).
    found = credited(TurnReturns(gamma=0.5, scale="none"), batch)
    assert found == [pytest.approx([0.5, -1 / 3]), pytest.approx([0.0, 2 / 3]), pytest.approx([-0.5, -1 / 3])]


def test_with_two_turns_and_a_reward_for_the_first_it_is_mt_grpo():
    """2505.11821: the first turn has A_turn + lambda A_outcome, the second A_outcome alone."""
    batch, spread = batch_of([[1.0, 0.0], [0.0, 0.0]]), 0.5**0.5
    found = credited(TurnReturns(), batch, outcome=[-0.7, 0.7])
    first = 0.5 / (spread + 1e-4)
    assert found == [pytest.approx([first - 0.7, -0.7]), pytest.approx([-first + 0.7, 0.7])]
    assert credited(TurnReturns(outcome=0.0, weight=2.0), batch, outcome=[-0.7, 0.7])[0] == pytest.approx(
        [2 * first, 0]
    )


def test_what_was_not_judged_is_no_zero():
    judged = credited(TurnReturns(scale="none"), batch_of([[1.0, 1.0], [0.0, 1.0], [0.0, 1.0]]))
    found = credited(TurnReturns(scale="none"), batch_of([[1.0, 1.0], [0.0, 1.0], [NAN, 1.0]]))
    assert found[2] == [0.0, 0.0]
    assert found[0] == pytest.approx([0.5, 0.0]) != judged[0], "and it is no part of the others' mean"
    broken = credited(TurnReturns(scale="none"), batch_of([[1.0], [0.0], [0.0]]), utility=[0.0, 0.0, NAN])
    assert broken == [[0.5], [-0.5], [0.0]], "nor is a rollout without a verdict"


def test_a_turn_that_one_sample_alone_reached_teaches_nothing():
    batch = batch_of([[0.0, 0.0, 5.0], [0.0, 0.0, 0.0]], turns=[3, 2])
    assert credited(TurnReturns(scale="none"), batch) == [[2.5, 2.5, 0.0], [-2.5, -2.5]]


rewards = st.one_of(st.integers(-4, 4).map(float), st.just(NAN))


@given(st.lists(st.tuples(st.integers(0, 2), st.lists(rewards, min_size=3, max_size=3), st.integers(1, 3)), min_size=1),
       st.sampled_from([0.0, 0.5, 1.0]))  # fmt: skip
def test_it_equals_plain_loops(rows, gamma):
    groups = [group for group, _, _ in rows]
    numbers = {group: index for index, group in enumerate(dict.fromkeys(groups))}
    table = [[value if turn < had else 0.0 for turn, value in enumerate(values)] for _, values, had in rows]
    turns = [had for _, _, had in rows]
    found = credited(TurnReturns(gamma=gamma), batch_of(table, turns, [numbers[group] for group in groups]))
    for row, had in enumerate(turns):
        for turn in range(had):
            peers = [other for other in range(len(rows)) if groups[other] == groups[row] and turns[other] > turn]
            returns = {one: sum(gamma ** (k - turn) * table[one][k] for k in range(turn, 3)) for one in peers}
            if gamma == 0:
                returns = {one: table[one][turn] + 0 * sum(table[one][turn:]) for one in peers}
            usable = [value for value in returns.values() if not math.isnan(value)]
            expected = 0.0
            if not math.isnan(returns[row]) and len(set(usable)) > 1:
                expected = (returns[row] - statistics.fmean(usable)) / (statistics.stdev(usable) + 1e-4)
            assert found[row][turn] == pytest.approx(expected, abs=1e-9)


def test_a_filter_on_outcomes_contradicts_it():
    assert load_recipe("turns").filters == ()
    with pytest.raises(RecipeError, match="zero_variance"):
        build_recipe(read_recipe('modifiers = ["turn_returns"]\nfilters = ["zero_variance"]', "mine"))


def played(entropies, outcome):
    """A batch in which each row's turns have these mean entropies, spread over their two tokens."""
    batch = batch_of([[0.0] * 3] * len(entropies), [len(row) for row in entropies])
    spread = torch.tensor([row + [0.0] * (3 - len(row)) for row in entropies], dtype=torch.float64)
    entropy = spread.gather(1, batch.turn_BT.clamp(min=0)) + torch.tensor([0.1, -0.1, 99.0]).repeat(3)
    return dataclasses.replace(batch, entropy_BT=entropy), [float(value) for value in outcome]


def test_empg_of_the_worked_example():
    batch, outcome = played([[0.2, 0.8, 0.5], [0.4, 0.2]], [1, -1])
    first, second = credited(Empg(), batch, outcome)
    assert first == pytest.approx([1.282100, 0.449651, 0.712291], abs=1e-5)
    assert second == pytest.approx([-0.980018, -1.464024], abs=1e-5)


def test_empg_leaves_rows_without_a_verdict_out_of_every_mean():
    batch, outcome = played([[0.2, 0.8, 0.5], [0.4, 0.2], [7.0]], [1, -1, 0])
    *judged, broken = credited(Empg(), batch, outcome, utility=[0.0, 0.0, NAN])
    alone, outcome = played([[0.2, 0.8, 0.5], [0.4, 0.2]], [1, -1])
    assert judged == [pytest.approx(row) for row in credited(Empg(), alone, outcome)]
    assert broken == [0.0]


def test_empg_of_turns_that_are_all_alike_is_the_advantage_less_its_mean():
    batch, outcome = played([[0.5], [0.5]], [1, -0.5])
    assert credited(Empg(zeta=0.0), batch, outcome) == [pytest.approx([0.75]), pytest.approx([-0.75])]


def test_answers_have_no_turns_and_keep_their_advantages():
    batch = make_batch([2, 1], entropy_BT=torch.ones(2, 2))
    advantages = torch.tensor([[1.0, 1.0], [-1.0, 0.0]])
    assert torch.equal(Empg()(advantages, torch.zeros(2), batch), advantages)


def test_the_kl_paid_from_the_reward_is_that_of_rewards_before_the_baseline():
    """Adding -beta kl to each utility and then taking advantage rloo gives the same; unjudged and lone rows keep 0."""
    moved = torch.tensor([[0.5, -0.2], [0.1, 9.0], [-0.3, 0.4], [0.7, 0.0], [0.2, 0.2]], dtype=torch.float64)
    batch = make_batch([2, 1, 2, 2, 2], [0, 0, 0, 0, 1])
    batch = dataclasses.replace(batch, old_logprobs_BT=moved, reference_logprobs_BT=torch.zeros_like(moved))
    utility = torch.tensor([1.0, 0.0, 0.5, NAN, 1.0], dtype=torch.float64)
    part = KlReward(beta=0.25)
    found = part(Rloo()(utility, batch)[:, None] * batch.mask_BT, utility, batch)
    paid = utility - 0.25 * (moved * batch.mask_BT).sum(-1)
    assert torch.allclose(found, Rloo()(paid, batch)[:, None] * batch.mask_BT)
    assert found[3:].tolist() == [[0.0, 0.0], [0.0, 0.0]]


def test_the_kl_is_paid_only_where_the_baseline_is_leave_one_out():
    with pytest.raises(RecipeError, match="use regularizer kl"):
        build_recipe(read_recipe('modifiers = ["kl_reward"]', "test"))
