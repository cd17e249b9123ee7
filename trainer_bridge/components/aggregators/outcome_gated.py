"""C-GRPO: rubric reward only behind a right outcome."""

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from trainer_bridge.batch import Batch
from trainer_bridge.errors import RecipeError


@dataclass(frozen=True)
class OutcomeGated:
    """u = 0 if R_out = 0, else (1 - a) R_out + a R_rubric.

    Source: arXiv 2601.06021, THUDM/CaRR [A]; a = 0.3. ``variant``: "official_code" takes the rubric reward as it is
    (its scripts' normalise flag has no effect there); "normalised" divides it by the group's largest.
    """

    name: ClassVar[str] = "outcome_gated"
    outcome: str = "correct"
    rubric: str = "rubric"
    share: float = 0.3
    variant: str = "official_code"

    def __call__(self, batch: Batch) -> Tensor:
        for wanted in (self.outcome, self.rubric):
            if wanted not in batch.space.names:
                raise RecipeError(f"outcome_gated needs a reward {wanted!r}; there are {', '.join(batch.space.names)}")
        outcome_B = batch.rewards_BK[:, batch.space.names.index(self.outcome)]
        rubric_B = batch.rewards_BK[:, batch.space.names.index(self.rubric)]
        if self.variant == "normalised":
            rubric_B = rubric_B / _group_max(rubric_B, batch.group_B).clamp(min=1e-12)
        mixed_B = (1 - self.share) * outcome_B + self.share * rubric_B
        return torch.where(outcome_B == 0, torch.zeros_like(mixed_B), mixed_B)


def _group_max(values_B: Tensor, group_B: Tensor) -> Tensor:
    size = int(group_B.max()) + 1
    highest = torch.zeros(size, dtype=values_B.dtype, device=values_B.device)
    return highest.scatter_reduce(0, group_B, values_B.nan_to_num(0.0), "amax")[group_B]
