"""DAPO's mean over all tokens of the batch."""

from dataclasses import dataclass
from typing import ClassVar

from torch import Tensor

from trainer_bridge.components.reductions.counts import Counts


@dataclass(frozen=True)
class TokenMean:
    """sum(L m) / sum(m), the sum over the whole batch. Source: arXiv 2503.14476, verl ``agg_loss`` [A]."""

    name: ClassVar[str] = "token_mean"

    def __call__(self, mask_BT: Tensor, counts: Counts) -> Tensor:
        return mask_BT.double() / max(counts.tokens, 1)
