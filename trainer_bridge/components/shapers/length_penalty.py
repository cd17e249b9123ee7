"""A price a token beyond a free length."""

from dataclasses import dataclass
from typing import ClassVar

from torch import Tensor

from trainer_bridge.batch import Batch


@dataclass(frozen=True)
class LengthPenalty:
    """u - rate max(0, length - free). Source: PAR's code, on by default there [A]: 0.01 beyond 300 tokens."""

    name: ClassVar[str] = "length_penalty"
    rate: float = 0.01
    free: int = 300

    def __call__(self, utility_B: Tensor, batch: Batch) -> Tensor:
        return utility_B - self.rate * (batch.length_B.double() - self.free).clamp(min=0)
