"""Utilities after form, length and the known errors of a verifier."""

import pytest
import torch

from trainer_bridge.experimental.shapers import empo, par, pear

NAN = float("nan")


def vector(*values):
    return torch.tensor(values, dtype=torch.float64)


def test_formulas_of_pear_par_and_empo():
    assert pear(True, vector(0.6, 0.4, 0.5), vector(0.2, 0.1)) == pytest.approx(0.65)
    assert pear(False, vector(0.6), vector(0.2)) == 0.0
    assert pear(True, vector(0.5), vector()) == pytest.approx(0.5)
    assert par(vector(2.0), vector(0, 1, 2, 3)[None]).item() == pytest.approx(0.595199, abs=1e-6)
    assert par(vector(2.0), vector(2.0)[None]).item() == 0.5
    shares = empo(["a", "a", "a", "b", "b", "c", None])
    assert shares == pytest.approx([0.428571] * 3 + [0.285714] * 2 + [0.142857, 0.0], abs=1e-6)
    assert empo(["a", "b", "c"]) == [0.0] * 3
