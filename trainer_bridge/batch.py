"""The tensors of a training step, what components keep between steps, and statistics over groups of samples."""

from dataclasses import dataclass, field, replace
from typing import Any, Self

import torch
from torch import Tensor

from trainer_bridge.rewards import RewardSpace


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
