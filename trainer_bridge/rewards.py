"""Verdicts as a matrix: named columns, declared roles and weights, NaN for what was not judged."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from schemas.manifest import RewardDeclaration, RewardRole
from schemas.verdict import Verdict
from trainer_bridge.errors import EnvironmentUnfitError


@dataclass(frozen=True)
class RewardSpace:
    """The K reward columns of a run, in a fixed order, keyed by name and never by position."""

    declarations: Mapping[str, RewardDeclaration]

    @property
    def names(self) -> tuple[str, ...]:
        """Column names."""
        return tuple(self.declarations)

    def weights_K(self) -> Tensor:
        """Declared weights (float64); 0 for gates and metrics."""
        return torch.tensor(
            [reward.weight if reward.role is RewardRole.SCORE else 0.0 for reward in self.declarations.values()],
            dtype=torch.float64,
        )

    def thresholds_K(self) -> Tensor:
        """Declared thresholds (float64)."""
        return torch.tensor([reward.threshold for reward in self.declarations.values()], dtype=torch.float64)

    def has_role_K(self, role: RewardRole) -> Tensor:
        """Which columns have ``role``."""
        return torch.tensor([reward.role is role for reward in self.declarations.values()], dtype=torch.bool)


def merge_spaces(environments: Mapping[str, Mapping[str, RewardDeclaration]]) -> RewardSpace:
    """One space for several environments: rewards of one name share a column, and must be declared alike.

    Raises:
        EnvironmentUnfitError: nothing is declared, no score has a weight, or two declarations of a name differ.

    """
    merged: dict[str, RewardDeclaration] = {}
    for environment, rewards in environments.items():
        if not any(reward.role is RewardRole.SCORE and reward.weight != 0 for reward in rewards.values()):
            raise EnvironmentUnfitError(
                f"{environment} declares no reward with role score: there is nothing to maximise"
            )
        for name, reward in rewards.items():
            known = merged.setdefault(name, reward)
            if (known.role, known.weight, known.threshold) != (reward.role, reward.weight, reward.threshold):
                raise EnvironmentUnfitError(
                    f"reward {name!r} of {environment} has another role, weight or threshold than in an environment "
                    "before it: train on them in separate runs, or publish them with the same declaration"
                )
    return RewardSpace(merged)


def rewards_matrix(verdicts: Sequence[Verdict], space: RewardSpace) -> Tensor:
    """rewards_BK (float64). A verdict with an error is NaN throughout: half a judgement is none."""
    rows = []
    for verdict in verdicts:
        values = {} if verdict.error else verdict.rewards
        rows.append([float("nan") if values.get(name) is None else values[name] for name in space.names])
    return torch.tensor(rows, dtype=torch.float64).view(len(verdicts), len(space.names))


def is_gate_closed(rewards_BK: Tensor, space: RewardSpace) -> Tensor:
    """Rows in which a judged gate lies below its threshold."""
    is_gate_K = space.has_role_K(RewardRole.GATE).to(rewards_BK.device)
    below_BK = rewards_BK < space.thresholds_K().to(rewards_BK.device)  # NaN compares false: not judged, not closed
    return (is_gate_K & below_BK).any(-1)


def behind_gates(rewards_BK: Tensor, space: RewardSpace) -> Tensor:
    """rewards_BK with every judged value at the bottom of its range in rows whose gate is closed."""
    lows_K = torch.tensor([reward.range[0] for reward in space.declarations.values()], dtype=torch.float64)
    closed_BK = is_gate_closed(rewards_BK, space)[:, None] & ~rewards_BK.isnan()
    return torch.where(closed_BK, lows_K.to(rewards_BK.device), rewards_BK)


def weighted_sum(rewards_BK: Tensor, space: RewardSpace) -> Tensor:
    """Reward_B as the hub counts it: weighted judged scores, 0 behind a closed gate, NaN if no score was judged."""
    judged_BK = ~rewards_BK.isnan()
    is_score_K = space.has_role_K(RewardRole.SCORE).to(rewards_BK.device)
    total_B = (rewards_BK.nan_to_num(0.0) * space.weights_K().to(rewards_BK.device)).sum(-1)
    total_B = torch.where(is_gate_closed(rewards_BK, space), torch.zeros_like(total_B), total_B)
    return torch.where((judged_BK & is_score_K).any(-1), total_B, torch.full_like(total_B, float("nan")))


def is_accepted(verdict: Verdict, space: RewardSpace) -> bool | None:
    """Whether every score and gate of the verdict's own environment reached its threshold; None = not judged."""
    return verdict.accepts({name: reward for name, reward in space.declarations.items() if name in verdict.rewards})
