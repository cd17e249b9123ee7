"""Groups that are neither hopeless nor solved."""

from dataclasses import dataclass
from typing import ClassVar

from torch import Tensor

from trainer_bridge.batch import Batch
from trainer_bridge.components.groups import group_mean


@dataclass(frozen=True)
class PassRateBand:
    """Keep a group iff low < mean utility < high. Sources: ARES (.01, .99) [A]; offline bands of .2 to .8 [C]."""

    name: ClassVar[str] = "pass_rate_band"
    level: ClassVar[str] = "group"
    low: float = 0.01
    high: float = 0.99

    def __call__(self, utility_B: Tensor, batch: Batch) -> Tensor:
        mean_B = group_mean(utility_B.nan_to_num(0.0), batch.group_B, ~utility_B.isnan())
        return (mean_B > self.low) & (mean_B < self.high)
