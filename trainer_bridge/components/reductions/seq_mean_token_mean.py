"""The original GRPO's reduction: mean within a row, mean over rows."""

from dataclasses import dataclass
from typing import ClassVar

from torch import Tensor

from trainer_bridge.components.reductions.counts import Counts


@dataclass(frozen=True)
class SeqMeanTokenMean:
    """mean over non-empty rows of sum_t L m / T_i. Favours short right and long wrong answers (Dr. GRPO's critique).

    Source: arXiv 2402.03300, verl ``agg_loss`` [A].
    """

    name: ClassVar[str] = "seq_mean_token_mean"

    def __call__(self, mask_BT: Tensor, counts: Counts) -> Tensor:
        length_B1 = mask_BT.sum(-1, keepdim=True).clamp(min=1)
        return mask_BT.double() / (length_B1 * max(counts.rows, 1))
