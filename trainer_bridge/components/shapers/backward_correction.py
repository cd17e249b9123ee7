"""A binary verifier's known error rates taken out of its reward."""

from dataclasses import dataclass
from typing import ClassVar

from torch import Tensor

from trainer_bridge.batch import Batch


@dataclass(frozen=True)
class BackwardCorrection:
    """(u - fpr) / (1 - fpr - fnr): unbiased for a reward in {0, 1} that errs at the audited rates.

    A constant rate cancels in a group-normalised advantage; it matters for unnormalised ones and thresholds.
    Source: arXiv 2510.00915 [C]. ``fpr + fnr`` must stay below 1, or the sign of every gradient flips.
    """

    name: ClassVar[str] = "backward_correction"
    fpr: float = 0.0
    fnr: float = 0.0

    def __post_init__(self) -> None:
        if not self.fpr + self.fnr < 1:
            raise ValueError("fpr + fnr must be below 1: such a verifier says nothing, or the opposite")

    def __call__(self, utility_B: Tensor, batch: Batch) -> Tensor:  # noqa: ARG002 -- every shaper has this shape
        return (utility_B - self.fpr) / (1 - self.fpr - self.fnr)
