"""Coefficients that follow what a step measured."""

import pytest
import torch

from trainer_bridge.experimental.controllers import replay_weight, rubric_bonus, tool_bonus

NAN = float("nan")


def vector(*values):
    return torch.tensor(values, dtype=torch.float64)


def test_schedules():
    assert [tool_bonus(3, step) for step in (0, 50, 100, 101)] == pytest.approx([0.3, 0.15, 0, 0])
    assert [replay_weight(step) for step in (0, 50, 100, 200, 900)] == pytest.approx([0, 0.146447, 0.5, 1, 1], abs=1e-6)
    assert rubric_bonus(0.4, 0.9) == pytest.approx(0.425)
