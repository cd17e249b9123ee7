"""The reward columns of a run, and what a row of rewards comes to: sums, gates, acceptance.

Rewards are keyed by name, with declared roles and weights. NaN means not judged.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from schemas.manifest import RewardDeclaration, RewardRole
from schemas.measures import gates as measured
from schemas.measures.weighted_sum import sum_range
from schemas.measures.weighted_sum import weighted_sum as of_vector
from schemas.verdict import Verdict
from trainer_bridge.errors import EnvironmentUnfitError, SettingsError


@dataclass(frozen=True)
class RewardSpace:
    """The K reward columns of a run, in a fixed order. They are looked up by name, never by position."""

    declarations: Mapping[str, RewardDeclaration]
    environments: tuple[frozenset[str], ...] = ()
    """The reward names of each environment, in the order of the run's targets. Empty if there is one environment."""

    @property
    def names(self) -> tuple[str, ...]:
        """Column names."""
        return tuple(self.declarations)

    def weighted(self, weights: Mapping[str, float] | Sequence[float]) -> "RewardSpace":
        """The same rewards with other weights, given by name or as one weight for each reward in their order.

        Raises:
            SettingsError: a name is unknown or not a score's, or the number of weights is not that of the rewards.

        """
        if not weights:
            return self
        if not isinstance(weights, Mapping):
            if len(weights) != len(self.names):
                raise SettingsError(f"reward_weights has {len(weights)} numbers for rewards {', '.join(self.names)}")
            by_name = dict(zip(self.names, weights, strict=True))
            weights = {name: by_name[name] for name in self._scores()}
        declared = dict(self.declarations)
        for name, weight in weights.items():
            if name not in declared or declared[name].role is not RewardRole.SCORE:
                raise SettingsError(f"reward_weights names {name!r}; the scores are {', '.join(self._scores())}")
            declared[name] = declared[name].model_copy(update={"weight": weight})
        return RewardSpace(declared, self.environments)

    def of_environment(self, number: int) -> "RewardSpace":
        """The rewards that this environment declares."""
        own = self.environments[number] if self.environments else frozenset(self.names)
        return RewardSpace({name: reward for name, reward in self.declarations.items() if name in own})

    def _scores(self) -> list[str]:
        return [name for name, reward in self.declarations.items() if reward.role is RewardRole.SCORE]

    def weights_K(self) -> Tensor:
        """Declared weights (float64); 0 for gates and metrics."""
        return torch.tensor(
            [reward.weight if reward.role is RewardRole.SCORE else 0.0 for reward in self.declarations.values()],
            dtype=torch.float64,
        )

    def total_range(self) -> tuple[float, float]:
        """The smallest and the largest weighted sum. The range includes 0, the sum behind a closed gate."""
        low, high = sum_range(self.declarations.values())
        return min(0.0, low), max(0.0, high)

    def declared_by(self, environment_B: Tensor) -> Tensor:
        """declared_BK (bool): which columns the environment of each row declares. The other columns are NaN in that
        row.
        """
        every = frozenset(self.names)
        table = [[name in declared for name in self.names] for declared in self.environments or (every,)]
        return torch.tensor(table, dtype=torch.bool, device=environment_B.device)[environment_B]

    def has_role_K(self, role: RewardRole) -> Tensor:
        """Which columns have ``role``."""
        return torch.tensor([reward.role is role for reward in self.declarations.values()], dtype=torch.bool)


def merge_spaces(environments: Mapping[str, Mapping[str, RewardDeclaration]]) -> RewardSpace:
    """One space for several environments. Rewards of the same name share a column and must be declared alike.

    Raises:
        EnvironmentUnfitError: an environment declares no score with a weight, or two declarations of a name differ.

    """
    merged: dict[str, RewardDeclaration] = {}
    for environment, rewards in environments.items():
        if not any(reward.role is RewardRole.SCORE and reward.weight != 0 for reward in rewards.values()):
            raise EnvironmentUnfitError(
                f"{environment} declares no reward with role score: there is nothing to maximise"
            )
        for name, reward in rewards.items():
            known = merged.setdefault(name, reward)
            if _meaning(known) != _meaning(reward):
                raise EnvironmentUnfitError(
                    f"reward {name!r} of {environment} has another role, weight, threshold or range than "
                    "in an environment before it: train on them in separate runs, or publish them with the same "
                    "declaration"
                )
    return RewardSpace(merged, tuple(frozenset(rewards) for rewards in environments.values()))


def _meaning(reward: RewardDeclaration) -> tuple[object, ...]:
    """What two declarations of one reward must have in common, so that their values can be averaged.

    The range is part of it, because the interval of the mean needs it.
    """
    return reward.role, reward.weight, reward.threshold, reward.range


def rewards_matrix(verdicts: Sequence[Verdict], space: RewardSpace) -> Tensor:
    """rewards_BK (float64). A verdict with an error gives a row of NaN, even if some rewards were judged."""
    rows = []
    for verdict in verdicts:
        values = {} if verdict.error else verdict.rewards
        rows.append([float("nan") if values.get(name) is None else values[name] for name in space.names])
    return torch.tensor(rows, dtype=torch.float64).view(len(verdicts), len(space.names))


def is_gate_closed(rewards_BK: Tensor, space: RewardSpace) -> Tensor:
    """closed_B (bool): rows in which a judged gate is below its threshold, by the same rule as on the hub."""
    closed = [
        measured.is_gate_closed(dict(zip(space.names, row, strict=True)), space.declarations)
        for row in rewards_BK.tolist()
    ]
    return torch.tensor(closed, dtype=torch.bool, device=rewards_BK.device)


def behind_gates(rewards_BK: Tensor, space: RewardSpace) -> Tensor:
    """rewards_BK in which the judged values of rows with a closed gate are the minimum of their range."""
    lows_K = torch.tensor([reward.range[0] for reward in space.declarations.values()], dtype=torch.float64)
    closed_BK = is_gate_closed(rewards_BK, space)[:, None] & ~rewards_BK.isnan()
    return torch.where(closed_BK, lows_K.to(rewards_BK.device), rewards_BK)


def has_unjudged_gate(rewards_BK: Tensor, space: RewardSpace, declared_BK: Tensor) -> Tensor:
    """Rows in which a declared gate was not judged and no other gate is closed: their scores may or may not count."""
    is_gate_K = space.has_role_K(RewardRole.GATE).to(rewards_BK.device)
    return (rewards_BK.isnan() & is_gate_K & declared_BK).any(-1) & ~is_gate_closed(rewards_BK, space)


def weighted_sum(rewards_BK: Tensor, space: RewardSpace, declared_BK: Tensor | None = None) -> Tensor:
    """Reward_B: ``Verdict.weighted_sum`` of each row, NaN where it is None.

    ``declared_BK``: which columns each row's environment declares (default: all).
    """
    declared_BK = torch.ones_like(rewards_BK, dtype=torch.bool) if declared_BK is None else declared_BK
    totals = []
    for row, own in zip(rewards_BK.tolist(), declared_BK.tolist(), strict=True):
        declared = {name: space.declarations[name] for name, is_own in zip(space.names, own, strict=True) if is_own}
        total = of_vector(dict(zip(space.names, row, strict=True)), declared)
        totals.append(float("nan") if total is None else total)
    return torch.tensor(totals, dtype=torch.float64, device=rewards_BK.device)


def accepted_rows(rewards_BK: Tensor, space: RewardSpace, declared_BK: Tensor) -> Tensor:
    """accepted_B (bool): every declared score and gate was judged and reached its threshold, as in
    ``Verdict.accepts``.
    """
    decides_K = (space.has_role_K(RewardRole.SCORE) | space.has_role_K(RewardRole.GATE)).to(rewards_BK.device)
    thresholds = [reward.threshold for reward in space.declarations.values()]
    reached_BK = rewards_BK >= torch.tensor(thresholds, dtype=torch.float64, device=rewards_BK.device)
    return (reached_BK | ~(declared_BK & decides_K)).all(-1)  # NaN compares false: not judged, not accepted


def is_accepted(verdict: Verdict, space: RewardSpace) -> bool | None:
    """Whether every score and gate of the verdict's own environment reached its threshold. None if one was not
    judged.
    """
    return verdict.accepts({name: reward for name, reward in space.declarations.items() if name in verdict.rewards})
