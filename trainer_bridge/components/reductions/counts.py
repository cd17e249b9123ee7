"""What a reduction must know of the whole batch, so that cutting it into micro-batches changes nothing."""

from dataclasses import dataclass
from typing import Self

from torch import Tensor


@dataclass(frozen=True)
class Counts:
    """``tokens``: all trained-on tokens; ``rows``: rows that have any. Over the whole batch of one update."""

    tokens: int
    rows: int

    @classmethod
    def of(cls, mask_BT: Tensor) -> Self:
        """Count a batch's mask."""
        return cls(int(mask_BT.sum()), int(mask_BT.any(-1).sum()))
