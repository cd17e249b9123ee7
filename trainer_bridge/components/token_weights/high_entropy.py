"""80/20: only the most uncertain tokens learn."""

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from trainer_bridge.batch import Batch, need
from trainer_bridge.components.token_weights.weights import Weights


@dataclass(frozen=True)
class HighEntropy:
    """Keep tokens with H at or above the batch's (1 - share) quantile (linear interpolation).

    Source: arXiv 2506.01939, TRL ``top_entropy_quantile`` [A]; share 0.2. ``over`` "row" is SIREN's: each row's own
    quantile, strictly above.
    """

    name: ClassVar[str] = "high_entropy"
    needs: ClassVar[frozenset[str]] = frozenset({"entropy"})
    share: float = 0.2
    over: str = "batch"

    def __call__(self, advantages_BT: Tensor, batch: Batch) -> Weights:  # noqa: ARG002 -- every token weight has this shape
        entropy_BT = need(batch.entropy_BT, "entropy")
        if self.over == "row":
            hidden_BT = entropy_BT.masked_fill(~batch.mask_BT, float("nan"))
            cut_B1 = torch.nanquantile(hidden_BT, 1 - self.share, dim=-1, keepdim=True)
            return Weights.scaling(((entropy_BT > cut_B1) & batch.mask_BT).to(entropy_BT))
        cut = torch.quantile(entropy_BT[batch.mask_BT], 1 - self.share)
        return Weights.scaling(((entropy_BT >= cut) & batch.mask_BT).to(entropy_BT))
