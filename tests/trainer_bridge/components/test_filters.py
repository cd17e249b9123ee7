"""Which rows and groups are learnt from."""

from dataclasses import replace

import torch

from trainer_bridge.components.filters import Overlong, PassRateBand, ZeroVariance

NAN = float("nan")


def vector(*values):
    return torch.tensor(values, dtype=torch.float64)


def test_dynamic_sampling_drops_groups_that_teach_nothing(make_batch):
    batch = make_batch([1] * 20, [g for g in range(5) for _ in range(4)])
    utility = vector(0, 0, 0, 0, 1, 0, 1, 1, 1, 1, 1, 1, 0.5, 0.5, 0.5, 0.5, NAN, NAN, 1, NAN)
    kept = ZeroVariance()(utility, batch)
    assert [bool(kept[4 * group]) for group in range(5)] == [False, True, False, False, False]
    assert kept.view(5, 4).all(-1).sum() + (~kept).view(5, 4).all(-1).sum() == 5  # groups stay or go as a whole


def test_the_pass_rate_band_is_open_at_both_ends(make_batch):
    batch = make_batch([1] * 6, [0, 0, 1, 1, 2, 2])
    assert PassRateBand(0.0, 1.0)(vector(0, 0, 1, 0, 1, 1), batch).tolist() == [False, False, True, True, False, False]


def test_the_overlong_filter_drops_truncated_rows(f1):
    batch = replace(f1, truncated_B=torch.tensor([True, False, False, True]))
    assert Overlong()(torch.zeros(4), batch).tolist() == [False, True, True, False]
