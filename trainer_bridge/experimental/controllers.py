"""Schedules of a coefficient."""

import math

# Weights that follow the step number: SPEAR's tool reward and self-imitation loss, EPO's code. Formulas only


def tool_bonus(calls: int, step: int, horizon: int = 100) -> float:
    """min(.1 calls, 1) (cos(pi s / S) + 1) / 2 until S, then 0. Source: arXiv 2509.22601, SPEAR [A]."""
    return min(0.1 * calls, 1.0) * (math.cos(math.pi * step / horizon) + 1) / 2 if step <= horizon else 0.0


def replay_weight(step: int, horizon: int = 200) -> float:
    """(1 - cos(pi min(s, S) / S)) / 2. Source: arXiv 2509.22601, SPEAR [A]."""
    return (1 - math.cos(math.pi * min(step, horizon) / horizon)) / 2


def rubric_bonus(reward: float, best_rewrite: float, alpha: float = 0.05) -> float:
    """HeRL: r + alpha (best rewrite - r), also when the rewrite is worse. Source: arXiv 2603.20046 [A]."""
    return reward + alpha * (best_rewrite - reward)
