"""DAPO's soft overlong punishment."""

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from trainer_bridge.batch import Batch


@dataclass(frozen=True)
class SoftOverlong:
    """u + P: 0 up to L - C tokens, falling linearly to -1 at L, -1 beyond.

    ``max_length`` L and ``buffer`` C in tokens. Source: arXiv 2503.14476 [B], verl [A]; 20480 and 4096.
    ``variant`` "verl" has no floor at -1.
    """

    name: ClassVar[str] = "soft_overlong"
    max_length: int = 20480
    buffer: int = 4096
    variant: str = "paper"

    def __call__(self, utility_B: Tensor, batch: Batch) -> Tensor:
        return utility_B + self.penalty(batch.length_B.double())

    def penalty(self, length_B: Tensor) -> Tensor:
        """P for lengths in tokens."""
        penalty_B = torch.clamp((self.max_length - self.buffer - length_B) / self.buffer, max=0.0)
        return penalty_B if self.variant == "verl" else penalty_B.clamp(min=-1.0)
