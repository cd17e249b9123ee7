"""The declared weighted sum behind its gates."""

from dataclasses import dataclass
from typing import ClassVar

from torch import Tensor

from trainer_bridge.batch import Batch
from trainer_bridge.rewards import weighted_sum


@dataclass(frozen=True)
class WeightedSum:
    """u = sum_k w_k R_k over judged scores, 0 behind a closed gate, NaN where no score was judged.

    Weights, roles and thresholds are those the environment declares. The rule of ``Verdict.weighted_sum``.
    """

    name: ClassVar[str] = "weighted_sum"

    def __call__(self, batch: Batch) -> Tensor:
        return weighted_sum(batch.rewards_BK, batch.space)
