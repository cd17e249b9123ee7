"""DAPO's overlong filter."""

from dataclasses import dataclass
from typing import ClassVar

from torch import Tensor

from trainer_bridge.batch import Batch


@dataclass(frozen=True)
class Overlong:
    """Leave truncated rows out of the loss (TRL: ``mask_truncated_completions``). Source: arXiv 2503.14476 [B]."""

    name: ClassVar[str] = "overlong"
    level: ClassVar[str] = "row"

    def __call__(self, utility_B: Tensor, batch: Batch) -> Tensor:  # noqa: ARG002 -- every filter has this shape
        return ~batch.truncated_B
