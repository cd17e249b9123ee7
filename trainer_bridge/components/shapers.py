"""Shapers change the utility by the answer's length, before advantages are computed: utility_B -> utility_B."""

from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar, Literal

import torch
from pydantic import Field
from torch import Tensor

from trainer_bridge.batch import Batch, group_mean, group_std
from trainer_bridge.components.advantages import refuse_normalised_utility
from trainer_bridge.components.contract import Count, NotNegative, RunFacts
from trainer_bridge.errors import RecipeError

# DAPO's soft overlong punishment


@dataclass(frozen=True)
class SoftOverlong:
    """u + P: 0 up to L - C tokens, falling linearly to -1 at L, -1 beyond.

    ``max_length`` L in tokens, by default the run's ``max_completion_length``; ``buffer`` C, by default a fifth of L.
    Source: arXiv 2503.14476 [B], verl [A]; there 20480 and 4096.
    ``variant`` "verl" has no floor at -1.
    """

    name: ClassVar[str] = "soft_overlong"
    max_length: Count | None = None
    buffer: Count | None = None
    variant: Literal["paper", "verl"] = "paper"

    def for_run(self, facts: RunFacts) -> "SoftOverlong":
        length = self.max_length or facts.max_completion_length
        return replace(self, max_length=length, buffer=self.buffer or max(length // 5, 1))

    def check_run(self, facts: RunFacts) -> None:
        length, buffer = self.max_length or 0, self.buffer or 0
        if length - buffer >= facts.max_completion_length:
            raise RecipeError(
                f"soft_overlong begins at {length - buffer} tokens, and no sample is longer than max_completion_length "
                f"{facts.max_completion_length}: it would do nothing"
            )

    def __call__(self, utility_B: Tensor, batch: Batch) -> Tensor:
        return utility_B + self.penalty(batch.length_B.double())

    def penalty(self, length_B: Tensor) -> Tensor:
        """P for lengths in tokens."""
        if self.max_length is None or self.buffer is None:
            raise RuntimeError("soft_overlong was not given the run's lengths")
        penalty_B = torch.clamp((self.max_length - self.buffer - length_B) / self.buffer, max=0.0)
        return penalty_B if self.variant == "verl" else penalty_B.clamp(min=-1.0)


# GRPO-LEAD: short right answers get more, wrong answers get -1


@dataclass(frozen=True)
class LeadLength:
    """Right rows (utility > 0): exp(-a z), z = length standardised over the group's right rows; wrong rows: -1.

    Source: arXiv 2504.09696, GRPO-LEAD [A]; a = 0.05, std unbiased (1 for one row), eps 1e-6. Its code shapes only when
    the three shortest answers average over 4000 tokens: ``minimum_length`` 4000 gives that, 0 is the paper.
    """

    name: ClassVar[str] = "lead_length"
    alpha: NotNegative = 0.05
    minimum_length: NotNegative = 0.0

    def check(self, recipe: Any) -> None:
        refuse_normalised_utility(self.name, recipe)

    def __call__(self, utility_B: Tensor, batch: Batch) -> Tensor:
        length_B = batch.length_B.double()
        right_B = utility_B.nan_to_num(0.0) > 0
        mean_B = group_mean(length_B, batch.group_B, right_B)
        z_B = (length_B - mean_B) / (group_std(length_B, batch.group_B, right_B) + 1e-6)
        shaped_B = torch.where(self._applies(length_B, batch), torch.exp(-self.alpha * z_B), torch.ones_like(z_B))
        shaped_B = torch.where(right_B, shaped_B, torch.full_like(shaped_B, -1.0))
        return torch.where(utility_B.isnan(), utility_B, shaped_B)

    def _applies(self, length_B: Tensor, batch: Batch) -> Tensor:
        applies_B = torch.ones_like(length_B, dtype=torch.bool)
        for group in batch.group_B.unique().tolist():
            rows = batch.group_B == group
            applies_B[rows] = length_B[rows].sort().values[:3].mean() >= self.minimum_length
        return applies_B


# A penalty for each token beyond a free length


@dataclass(frozen=True)
class LengthPenalty:
    """u - rate max(0, length - free). Source: PAR's code, on by default there [A]: 0.01 beyond 300 tokens."""

    name: ClassVar[str] = "length_penalty"
    rate: NotNegative = 0.01
    free: Annotated[int, Field(ge=0)] = 300

    def __call__(self, utility_B: Tensor, batch: Batch) -> Tensor:
        return utility_B - self.rate * (batch.length_B.double() - self.free).clamp(min=0)
