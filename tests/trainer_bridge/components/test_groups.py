"""Statistics of groups against plain Python: rows that were not judged are in none of them."""

import statistics

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from trainer_bridge.components.groups import group_count, group_mean, group_std, group_sum, is_constant

ROWS = st.lists(st.tuples(st.integers(0, 4), st.floats(-10, 10), st.booleans()), min_size=1, max_size=12)


@settings(deadline=None, max_examples=40)
@given(ROWS)
def test_they_are_those_of_plain_python(rows):
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


def test_nothing_at_all():
    nothing = torch.zeros(0, dtype=torch.float64)
    assert group_sum(nothing, nothing.long(), nothing.bool()).tolist() == []
