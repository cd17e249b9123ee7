"""Utilities after form and length."""

import pytest
import torch

from tests.making.recipes import facts
from trainer_bridge.components.shapers import LeadLength, LengthPenalty, SoftOverlong
from trainer_bridge.errors import RecipeError

NAN = float("nan")


def vector(*values):
    return torch.tensor(values, dtype=torch.float64)


def test_soft_overlong_punishment():
    lengths = vector(16000, 16384, 17408, 18432, 20480, 21000)
    assert SoftOverlong(20480, 4096).penalty(lengths).tolist() == pytest.approx([0, 0, -0.25, -0.5, -1, -1])
    assert SoftOverlong(20480, 4096, variant="verl").penalty(lengths)[-1].item() == pytest.approx(-1.126953, abs=1e-6)


def test_soft_overlong_takes_its_lengths_from_the_run():
    filled = SoftOverlong().for_run(facts(length=100))
    assert (filled.max_length, filled.buffer) == (100, 20)
    filled.check_run(facts(length=100))
    with pytest.raises(RecipeError, match="no sample is longer"):
        SoftOverlong(20480, 4096).check_run(facts(length=24))


def test_lead_length_prefers_short_right_answers(make_batch):
    # lengths in units of 1000: z does not depend on the unit
    batch = make_batch([5, 6, 8, 1, 1, 1, 1, 1])
    utility = vector(1, 1, 1, 0, 0, 0, 0, 0)
    expected = [1.044610, 1.010971, 0.946907] + [-1.0] * 5
    assert LeadLength()(utility, batch).tolist() == pytest.approx(expected, abs=1e-6)
    short = LeadLength(minimum_length=4000)(utility, batch)
    assert short.tolist() == [1.0] * 3 + [-1.0] * 5
    assert LeadLength()(vector(1, NAN, 1, 0, 0, 0, 0, 0), batch)[1].isnan()


def test_a_length_penalty_starts_after_the_free_length(make_batch):
    assert LengthPenalty(rate=0.5, free=2)(vector(1, 1), make_batch([2, 4])).tolist() == [1.0, 0.0]
