"""DRO: a quadratic pull to the old policy."""

from dataclasses import dataclass
from typing import ClassVar

from torch import Tensor

from trainer_bridge.components.surrogates.terms import Terms


@dataclass(frozen=True)
class Dro:
    """-(lp A - beta / 2 (lp - lp_old)^2). Source: verl [A]; beta 0.1 is ours."""

    name: ClassVar[str] = "dro"
    beta: float = 0.1

    def __call__(self, logprobs_BT: Tensor, old_BT: Tensor, advantages_BT: Tensor, mask_BT: Tensor) -> Terms:  # noqa: ARG002 -- every surrogate has this shape
        pull_BT = self.beta / 2 * (logprobs_BT - old_BT) ** 2
        return Terms.unclipped(-(logprobs_BT * advantages_BT - pull_BT))
