"""The data of a training step: drawn tasks, judged rollouts, reward columns, and the tensors made of them.

Rewards are keyed by name, with declared roles and weights. NaN means not judged.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import torch
from torch import Tensor

from schemas.manifest import RewardDeclaration, RewardRole
from schemas.measures import gates as measured
from schemas.measures.weighted_sum import sum_range
from schemas.measures.weighted_sum import weighted_sum as of_vector
from schemas.task import Task
from schemas.verdict import ScoreRequest, Verdict
from trainer_bridge.errors import EnvironmentUnfitError, SettingsError


@dataclass(frozen=True)
class Draw:
    """One task to sample on, and the number of its environment."""

    environment: int
    package: str
    task: Task

    @property
    def row(self) -> dict[str, Any]:
        """The task's row, as the verifier gets it."""
        return self.task.model_dump(mode="json")


@dataclass(frozen=True)
class TokenSequence:
    """A prompt and the ``tokens`` after it. ``is_written`` marks those that the policy wrote: only they are trained on.

    The other tokens came from the environment or the chat template between two model calls. Their log-probability is 0.
    ``call`` is the number of the model call that wrote a token, or -1.
    """

    prompt: tuple[int, ...]
    tokens: tuple[int, ...]
    logprobs: tuple[float, ...]
    call: tuple[int, ...]

    @property
    def is_written(self) -> tuple[bool, ...]:
        """Which tokens the policy wrote."""
        return tuple(number >= 0 for number in self.call)


@dataclass(frozen=True)
class Rollout:
    """One judged sample: all that the policy wrote for one task. ``group`` is the number of its task within the step.

    ``sequences`` is empty if the rollout failed before the first model call.
    """

    draw: Draw
    group: int
    sequences: tuple[TokenSequence, ...]
    text: str
    verdict: Verdict
    held_out: Verdict | None = None
    """The verdict of the held-out verifier, which is never trained on."""
    truncated: bool = False
    """Whether its last answer was cut off, or a limit of turns or tokens ended the rollout."""
    turns: int = 1
    tool_calls: int = 0
    judged: ScoreRequest | None = None
    """What the verifiers saw. Kept only in runs with a held-out verifier."""
    turn_rewards: tuple[tuple[int, Mapping[str, float | None]], ...] = ()
    """The environment's rewards for single steps: the number of the turn before the step, from 0, and the rewards."""

    @property
    def tokens(self) -> int:
        """How many tokens the policy wrote."""
        return sum(sum(sequence.is_written) for sequence in self.sequences)


# Rewards by name


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


# Rollouts as tensors


@dataclass(frozen=True)
class Batch:
    """B rows (samples), T token positions, K rewards. Nothing here carries gradients.

    ``rewards_BK`` is float64, NaN = not judged. ``mask_BT`` is true on the completion's tokens that are trained on.
    All log-probabilities are in nats, after temperature. ``sampler`` was recorded while decoding, ``old`` was measured
    before this batch's first update, ``current`` before this update, and ``reference`` with the frozen model. Those
    that a recipe does not need are ``None``.
    """

    group_B: Tensor
    mask_BT: Tensor
    rewards_BK: Tensor
    space: RewardSpace
    truncated_B: Tensor
    sampler_logprobs_BT: Tensor
    old_logprobs_BT: Tensor | None = None
    current_logprobs_BT: Tensor | None = None
    reference_logprobs_BT: Tensor | None = None
    entropy_BT: Tensor | None = None
    environment_B: Tensor | None = None
    """The index of each row's environment in the run's targets. None: all rows are from the first."""
    turn_BT: Tensor | None = None
    """The number of the model call that wrote a token, from 0; -1 if none did."""
    turn_rewards_BM: Tensor | None = None
    """The environment's reward for each of a row's M turns (float64): 0 where it gave none, NaN where not judged."""

    @property
    def declared_BK(self) -> Tensor:
        """declared_BK (bool): which rewards each row's environment declares."""
        first_B = torch.zeros(len(self.rewards_BK), dtype=torch.long, device=self.rewards_BK.device)
        return self.space.declared_by(first_B if self.environment_B is None else self.environment_B)

    @property
    def length_B(self) -> Tensor:
        """Number of tokens of each row that are trained on."""
        return self.mask_BT.sum(-1)

    def select(self, rows: Tensor) -> Self:
        """The batch of only these rows (indices or a boolean mask)."""
        tensors: dict[str, Any] = {name: value[rows] for name, value in vars(self).items() if isinstance(value, Tensor)}
        return replace(self, **tensors)


@dataclass
class State:
    """What components keep from one step to the next. It is stored in checkpoints, so it holds plain numbers only.

    Controllers set ``coefficients``; the regularizer of the same name reads them. In ``memory`` each component keeps
    values under names of its own.
    """

    step: int = 0
    coefficients: dict[str, float] = field(default_factory=dict)
    memory: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Weights:
    """A recipe's token weights.

    ``multiply_BT`` scales the surrogate loss; ``drift_BT`` scales |lp - lp_old|, which is added.
    """

    multiply_BT: Tensor
    drift_BT: Tensor

    @classmethod
    def scaling(cls, multiply_BT: Tensor) -> "Weights":
        """Weights that only scale."""
        return cls(multiply_BT, torch.zeros_like(multiply_BT))

    def rows(self, rows: Tensor) -> "Weights":
        """The token weights of these rows."""
        return Weights(self.multiply_BT[rows], self.drift_BT[rows])


def need(value: Tensor | None, what: str) -> Tensor:
    """Return ``value``.

    Raises RuntimeError if it is None: the loop must prepare everything that ``Recipe.needs`` names.
    """
    if value is None:
        raise RuntimeError(f"the batch was prepared without {what}")
    return value


def masked_mean(values_BT: Tensor, mask_BT: Tensor) -> Tensor:
    """Mean over the true positions (0 where there are none)."""
    return (values_BT * mask_BT).sum() / mask_BT.sum().clamp(min=1)


def quantile_of(values_N: Tensor, share: float, *, nearest: bool = False) -> Tensor:
    """The ``share`` quantile of at least one value: linear interpolation, or the nearest rank.

    ``torch.quantile`` refuses more than 16.7 million values, which one large batch of long answers has.
    """
    ordered_N = values_N.sort().values
    place = share * (len(ordered_N) - 1)
    if nearest:
        return ordered_N[round(place)]
    low = int(place)
    high = min(low + 1, len(ordered_N) - 1)
    return torch.lerp(ordered_N[low], ordered_N[high], place - low)


# Statistics over each group's judged rows. Every row gets the value of its group


def group_sum(values_B: Tensor, group_B: Tensor, valid_B: Tensor) -> Tensor:
    """Sum over the valid rows of each row's group."""
    size = int(group_B.max()) + 1 if len(group_B) else 0
    totals = torch.zeros(size, dtype=values_B.dtype, device=values_B.device)
    totals.index_add_(0, group_B, torch.where(valid_B, values_B, torch.zeros_like(values_B)))
    return totals[group_B]


def group_count(group_B: Tensor, valid_B: Tensor) -> Tensor:
    """Valid rows of each row's group (float64)."""
    return group_sum(torch.ones(len(group_B), dtype=torch.float64, device=group_B.device), group_B, valid_B)


def group_mean(values_B: Tensor, group_B: Tensor, valid_B: Tensor) -> Tensor:
    """Mean over the valid rows of each row's group."""
    return group_sum(values_B, group_B, valid_B) / group_count(group_B, valid_B).clamp(min=1)


def group_std(values_B: Tensor, group_B: Tensor, valid_B: Tensor) -> Tensor:
    """Unbiased standard deviation over the valid rows of each row's group; 1 for a group of one, as verl has it."""
    count_B = group_count(group_B, valid_B)
    centred_B = values_B - group_mean(values_B, group_B, valid_B)
    variance_B = group_sum(centred_B**2, group_B, valid_B) / (count_B - 1).clamp(min=1)
    return torch.where(count_B > 1, variance_B.sqrt(), torch.ones_like(variance_B))


def is_constant(values_B: Tensor, group_B: Tensor, valid_B: Tensor) -> Tensor:
    """Whether a row's group holds one value only, decided by max == min.

    Not by the standard deviation: that of equal floats may differ from 0, and rounding noise divided by it is not
    small.
    """
    size = int(group_B.max()) + 1 if len(group_B) else 0
    extremes = []
    for sign in (1.0, -1.0):
        marked_B = torch.where(valid_B, sign * values_B, torch.full_like(values_B, -torch.inf))
        highest = torch.full((size,), -torch.inf, dtype=values_B.dtype, device=values_B.device)
        extremes.append(highest.scatter_reduce(0, group_B, marked_B, "amax")[group_B])
    highest_B, lowest_B = extremes[0], -extremes[1]
    return highest_B <= lowest_B
