"""Dr. GRPO's reduction: sum within a row, mean over rows, over a constant."""

from dataclasses import dataclass
from typing import ClassVar

from torch import Tensor

from trainer_bridge.components.reductions.counts import Counts


@dataclass(frozen=True)
class SeqMeanTokenSum:
    """mean over non-empty rows of sum_t L m, divided by ``horizon``.

    ``horizon`` must be a constant, the generation budget (Dr. GRPO, arXiv 2503.20783); verl's default, the padded
    width of the batch, varies. 1 leaves the sum. Source: verl ``agg_loss`` [A].
    """

    name: ClassVar[str] = "seq_mean_token_sum"
    horizon: float = 1.0

    def __call__(self, mask_BT: Tensor, counts: Counts) -> Tensor:
        return mask_BT.double() / (max(counts.rows, 1) * self.horizon)
