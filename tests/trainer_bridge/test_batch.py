"""The tensors of a batch, and the statistics of its groups."""

import statistics

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.making.batches import make_batch
from trainer_bridge.batch import State, group_count, group_mean, group_std, group_sum, is_constant, masked_mean, need


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
