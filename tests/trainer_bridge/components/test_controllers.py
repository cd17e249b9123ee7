"""Coefficients that follow what a step measured."""

import pytest
import torch

from trainer_bridge.batch import State
from trainer_bridge.components.controllers import AdaptiveKl, EntropyHistory, Magic

NAN = float("nan")


def vector(*values):
    return torch.tensor(values, dtype=torch.float64)


def test_the_adaptive_kl_controller():
    state = State(coefficients={"kl": 1.0})
    AdaptiveKl(target=0.1, horizon=10000)(state, {"kl": 0.12, "num_completions": 256})
    assert state.coefficients["kl"] == pytest.approx(1.00512)


def test_magic_switches_the_bonus_on_below_its_target():
    state, coefficients, applied = State(), [], []
    for entropy in (0.5, 0.15, 0.1, 0.19, 0.2, 0.3):
        Magic(target=0.2, delta=1e-4, low=0, high=2e-4)(state, {"entropy": entropy})
        coefficients.append(state.memory["magic"])
        applied.append(state.coefficients["entropy"])
    assert coefficients == pytest.approx([0, 1e-4, 2e-4, 2e-4, 1e-4, 0])
    assert applied == pytest.approx([0, 1e-4, 2e-4, 2e-4, 0, 0])


def test_entropy_history_is_a_running_mean():
    state = State()
    for entropy in (1.0, 2.0, 6.0):
        EntropyHistory()(state, {"entropy": entropy})
    assert state.memory["entropy_history_mean"] == pytest.approx(3.0)
