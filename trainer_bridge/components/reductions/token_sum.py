"""The plain sum over tokens."""

from dataclasses import dataclass
from typing import ClassVar

from torch import Tensor

from trainer_bridge.components.reductions.counts import Counts


@dataclass(frozen=True)
class TokenSum:
    """sum(L m). Source: verl ``agg_loss`` [A]."""

    name: ClassVar[str] = "token_sum"

    def __call__(self, mask_BT: Tensor, counts: Counts) -> Tensor:  # noqa: ARG002 -- every reduction has this shape
        return mask_BT.double()
