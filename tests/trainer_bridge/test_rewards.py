"""Rewards by name: sums, gates and acceptance by the rules of verdicts."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from schemas.manifest import RewardDeclaration, RewardRole
from schemas.measures.gates import is_gate_closed as is_closed
from schemas.verdict import ErrorKind, Verdict
from tests.making.batches import make_batch
from trainer_bridge.errors import EnvironmentUnfitError
from trainer_bridge.rewards import (
    RewardSpace,
    accepted_rows,
    behind_gates,
    is_gate_closed,
    merge_spaces,
    rewards_matrix,
    weighted_sum,
)

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


def test_a_space_keeps_its_columns_by_name():
    space = RewardSpace({"b": RewardDeclaration(), "a": RewardDeclaration()})
    assert make_batch([1], rewards={"b": [1.0], "a": [0.0]}, space=space).space.names == ("b", "a")
