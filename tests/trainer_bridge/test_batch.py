"""Rewards by name, and the statistics of a batch."""

import math
import statistics

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.manifest import RewardDeclaration, RewardRole
from schemas.measures.gates import is_gate_closed as is_closed
from schemas.verdict import ErrorKind, Verdict
from tests.making.batches import make_batch
from trainer_bridge.batch import (
    RewardSpace,
    State,
    accepted_rows,
    behind_gates,
    group_count,
    group_mean,
    group_std,
    group_sum,
    is_constant,
    is_gate_closed,
    masked_mean,
    merge_spaces,
    need,
    rewards_matrix,
    weighted_sum,
)
from trainer_bridge.errors import EnvironmentUnfitError

# Rewards by name


DECLARED = {
    "right": RewardDeclaration(weight=2.0),
    "short": RewardDeclaration(weight=-0.5, range=(-1.0, 1.0), threshold=0.0),
    "parses": RewardDeclaration(role=RewardRole.GATE),
    "length": RewardDeclaration(role=RewardRole.METRIC, range=(0, 100)),
}
SPACE = RewardSpace(DECLARED)
VERDICTS = st.builds(Verdict, rewards=st.fixed_dictionaries({name: st.none() | st.floats(0, 1) for name in DECLARED}))


WHOLE = st.builds(Verdict, rewards=st.fixed_dictionaries({name: st.floats(0, 1) for name in DECLARED}))


@given(st.lists(WHOLE, min_size=1, max_size=8))
def test_sums_and_gates_are_those_of_the_verdicts(verdicts):
    rewards = rewards_matrix(verdicts, SPACE)
    assert is_gate_closed(rewards, SPACE).tolist() == [is_closed(verdict.rewards, DECLARED) for verdict in verdicts]
    for total, verdict in zip(weighted_sum(rewards, SPACE).tolist(), verdicts, strict=True):
        assert total == pytest.approx(verdict.weighted_sum(DECLARED))


NAN = float("nan")


def test_a_score_that_was_not_judged_does_not_count_as_nought():
    space = RewardSpace({"a": RewardDeclaration(weight=1.0), "b": RewardDeclaration(weight=3.0)})
    rewards = torch.tensor([[1.0, 1.0], [1.0, NAN], [NAN, 0.5], [0.25, NAN], [NAN, NAN]], dtype=torch.float64)
    found = weighted_sum(rewards, space)
    assert found[:4].tolist() == [4.0, 4.0, 2.0, 1.0]
    assert found[4].isnan()


def test_a_score_that_costs_keeps_its_sign_when_it_alone_was_judged():
    rewards = torch.tensor([[NAN, 1.0, 1.0, NAN], [NAN, -1.0, 1.0, NAN]], dtype=torch.float64)
    assert weighted_sum(rewards, SPACE).tolist() == pytest.approx([-0.5, 2.5])


def test_a_gate_that_was_not_judged_leaves_the_row_out_unless_another_is_closed():
    gates = {name: RewardDeclaration(role=RewardRole.GATE) for name in ("one", "two")}
    space = RewardSpace({"right": RewardDeclaration(), **gates})
    rewards = torch.tensor([[1.0, NAN, 1.0], [1.0, NAN, 0.0], [1.0, 1.0, 1.0]], dtype=torch.float64)
    found = weighted_sum(rewards, space)
    assert found[0].isnan()
    assert found[1:].tolist() == [0.0, 1.0]


def test_what_another_environment_declares_is_no_judgement_that_is_missing():
    space = merge_spaces({"a/x": {"a": RewardDeclaration()}, "a/y": {"b": RewardDeclaration(weight=3.0)}})
    rewards = torch.tensor([[1.0, NAN], [NAN, 1.0]], dtype=torch.float64)
    declared = space.declared_by(torch.tensor([0, 1]))
    assert weighted_sum(rewards, space, declared).tolist() == [1.0, 3.0]


@given(VERDICTS)
def test_a_row_is_accepted_by_the_rule_of_verdicts(verdict):
    rewards = rewards_matrix([verdict], SPACE)
    found = accepted_rows(rewards, SPACE, torch.ones_like(rewards, dtype=torch.bool))
    assert bool(found[0]) is (verdict.accepts(DECLARED) is True)


@given(VERDICTS)
def test_every_sum_lies_in_the_range_of_sums(verdict):
    total = float(weighted_sum(rewards_matrix([verdict], SPACE), SPACE)[0])
    low, high = SPACE.total_range()
    assert math.isnan(total) or low <= total <= high


def test_half_a_judgement_is_none():
    broken = Verdict(rewards=dict.fromkeys(DECLARED, 1.0)).model_copy(
        update={"error": Verdict.unjudged([], ErrorKind.TIMEOUT, "late").error}
    )
    assert rewards_matrix([broken], SPACE).isnan().all()


def test_behind_a_closed_gate_what_was_judged_is_at_its_bottom():
    rewards = torch.tensor([[1.0, 1.0, 0.0, 50.0], [1.0, float("nan"), 0.0, 50.0], [1.0, 1.0, 1.0, 50.0]])
    found = behind_gates(rewards.double(), SPACE)
    assert found[0].tolist() == [0.0, -1.0, 0.0, 0.0]
    assert found[1].isnan().tolist() == [False, True, False, False]
    assert found[2].tolist() == [1.0, 1.0, 1.0, 50.0]


def test_environments_share_a_column_only_where_they_declare_it_alike():
    merged = merge_spaces(
        {"a/x": {"right": RewardDeclaration()}, "a/y": {"right": RewardDeclaration(), "b": RewardDeclaration()}}
    )
    assert merged.names == ("right", "b")
    with pytest.raises(EnvironmentUnfitError, match="another role, weight, threshold or range"):
        merge_spaces({"a/x": {"right": RewardDeclaration()}, "a/y": {"right": RewardDeclaration(weight=2)}})
    with pytest.raises(EnvironmentUnfitError, match="or range"):  # 5 of 10 would be cut to 1 of 1 in the mean
        merge_spaces({"a/x": {"right": RewardDeclaration()}, "a/y": {"right": RewardDeclaration(range=(0, 10))}})


@pytest.mark.parametrize(
    "rewards", [{}, {"gate": RewardDeclaration(role=RewardRole.GATE)}, {"a": RewardDeclaration(weight=0)}]
)
def test_an_environment_with_nothing_to_maximise_is_refused(rewards):
    with pytest.raises(EnvironmentUnfitError, match="nothing to maximise"):
        merge_spaces({"a/x": rewards})


# Rollouts as tensors


@given(st.lists(st.integers(0, 5), min_size=1, max_size=6).filter(any))
def test_lengths_are_the_trained_on_tokens(lengths):
    assert make_batch(lengths).length_B.tolist() == lengths


def test_rows_are_chosen_by_number_or_by_mask_with_everything_that_belongs_to_them():
    batch = make_batch(
        [2, 3, 1],
        groups=[0, 0, 1],
        rewards={"a": [1.0, 0.0, 0.5], "b": [0.0, float("nan"), 1.0]},
        old_logprobs_BT=torch.arange(9.0).view(3, 3),
    )
    for rows in (torch.tensor([2, 0]), torch.tensor([True, False, True])):
        chosen = batch.select(rows)
        expected = torch.arange(3)[rows]
        assert chosen.group_B.tolist() == batch.group_B[expected].tolist()
        assert torch.equal(chosen.mask_BT, batch.mask_BT[expected])
        assert torch.equal(chosen.rewards_BK, batch.rewards_BK[expected])
        assert torch.equal(chosen.old_logprobs_BT, batch.old_logprobs_BT[expected])
        assert chosen.reference_logprobs_BT is None
        assert chosen.space is batch.space
    assert len(batch.group_B) == 3


@given(st.permutations(range(4)))
def test_choosing_all_rows_in_another_order_and_back_changes_nothing(order):
    batch = make_batch([1, 2, 3, 4], rewards={"a": [0.0, 0.1, 0.2, 0.3]})
    back = batch.select(torch.tensor(order)).select(torch.tensor(order).argsort())
    assert torch.equal(back.rewards_BK, batch.rewards_BK)
    assert torch.equal(back.mask_BT, batch.mask_BT)


@given(
    st.lists(st.lists(st.floats(-1e3, 1e3), min_size=3, max_size=3), min_size=1, max_size=4), st.integers(0, 2**12 - 1)
)
def test_a_masked_mean_is_the_mean_of_what_is_not_masked(rows, bits):
    values = torch.tensor(rows, dtype=torch.float64)
    mask = torch.tensor([[bool(bits >> (3 * i + j) & 1) for j in range(3)] for i in range(len(rows))])
    kept = [
        value
        for row, flags in zip(rows, mask.tolist(), strict=True)
        for value, flag in zip(row, flags, strict=True)
        if flag
    ]
    assert float(masked_mean(values, mask)) == pytest.approx(sum(kept) / max(len(kept), 1), abs=1e-9)


def test_what_was_not_prepared_is_named():
    with pytest.raises(RuntimeError, match="without entropy"):
        need(None, "entropy")
    value = torch.ones(1)
    assert need(value, "entropy") is value


def test_two_states_share_nothing():
    one, other = State(), State()
    one.memory["x"] = 1
    one.coefficients["kl"] = 2.0
    assert (other.memory, other.coefficients, other.step) == ({}, {}, 0)


def test_a_space_keeps_its_columns_by_name():
    space = RewardSpace({"b": RewardDeclaration(), "a": RewardDeclaration()})
    assert make_batch([1], rewards={"b": [1.0], "a": [0.0]}, space=space).space.names == ("b", "a")


ROWS = st.lists(st.tuples(st.integers(0, 4), st.floats(-10, 10), st.booleans()), min_size=1, max_size=12)


@settings(deadline=None, max_examples=40)
@given(ROWS)
def test_statistics_of_groups_are_those_of_plain_python(rows):
    numbers, drawn, flags = zip(*rows, strict=True)
    groups, values, valid = torch.tensor(numbers), torch.tensor(drawn, dtype=torch.float64), torch.tensor(flags)
    mates = [[value for its, value, ok in rows if its == group and ok] for group, _, _ in rows]
    assert group_sum(values, groups, valid).tolist() == pytest.approx([sum(these) for these in mates])
    assert group_count(groups, valid).tolist() == [len(these) for these in mates]
    assert group_mean(values, groups, valid).tolist() == pytest.approx(
        [statistics.fmean(these) if these else 0 for these in mates]
    )
    assert group_std(values, groups, valid).tolist() == pytest.approx(
        [statistics.stdev(these) if len(these) > 1 else 1 for these in mates], abs=1e-7
    )
    assert is_constant(values, groups, valid).tolist() == [len(set(these)) < 2 for these in mates]


def test_equal_floats_are_constant_although_their_spread_may_not_come_out_as_zero():
    values, groups = torch.full((7,), 0.1, dtype=torch.float64), torch.zeros(7, dtype=torch.long)
    assert is_constant(values, groups, torch.ones(7, dtype=torch.bool)).all()


def test_no_row_has_no_statistics():
    nothing = torch.zeros(0, dtype=torch.float64)
    assert group_sum(nothing, nothing.long(), nothing.bool()).tolist() == []
