"""Rejection sampling: only good samples are learnt from."""

from dataclasses import dataclass
from typing import ClassVar

from torch import Tensor

from trainer_bridge.batch import Batch


@dataclass(frozen=True)
class Accepted:
    """Keep rows whose utility is at least ``threshold``.

    With advantage ``ones`` and surrogate ``gpg`` this is rejection-sampling fine-tuning (RFT, STaR, RAFT):
    cross-entropy on verified samples. Default 1: a single reward in [0, 1] fully earned.
    """

    name: ClassVar[str] = "accepted"
    level: ClassVar[str] = "row"
    threshold: float = 1.0

    def __call__(self, utility_B: Tensor, batch: Batch) -> Tensor:  # noqa: ARG002 -- every filter has this shape
        return utility_B >= self.threshold  # NaN compares false: not judged, not kept
