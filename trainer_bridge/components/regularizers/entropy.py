"""An entropy bonus."""

from dataclasses import dataclass
from typing import ClassVar

from torch import Tensor

from trainer_bridge.batch import Batch, State


@dataclass(frozen=True)
class Entropy:
    """-alpha H, H exact over the vocabulary. Controller ``magic`` overrides alpha (``state.coefficients``)."""

    name: ClassVar[str] = "entropy"
    coefficient: float = 0.001

    def __call__(self, logprobs_BT: Tensor, entropy_BT: Tensor, batch: Batch, state: State) -> Tensor:  # noqa: ARG002 -- every regularizer has this shape
        return -state.coefficients.get("entropy", self.coefficient) * entropy_BT
