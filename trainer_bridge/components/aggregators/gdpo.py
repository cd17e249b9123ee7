"""GDPO: normalise each reward within its group, sum, then whiten over the batch (advantage ``batch_norm``)."""

from dataclasses import dataclass
from typing import ClassVar

from torch import Tensor

from trainer_bridge.batch import Batch
from trainer_bridge.components.aggregators.per_reward import normalised_sum


@dataclass(frozen=True)
class Gdpo:
    """u = sum_k w_k (R_k - mean_g) / (std_g + eps); advantage ``batch_norm`` is the other half.

    Keeps apart what a sum confuses: (1,1)/(0,0) gets twice the advantage of (0,1)/(0,0).
    Gates come first (the paper conditions easy rewards on hard ones [D]; how is ours).
    Source: arXiv 2601.05242, NVlabs/GDPO [A]. eps 1e-4 (its TRL fork); verl has 1e-6.
    """

    name: ClassVar[str] = "gdpo"
    eps: float = 1e-4

    def __call__(self, batch: Batch) -> Tensor:
        return normalised_sum(batch, self.eps)
