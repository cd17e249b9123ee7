"""GPG: the plain policy gradient."""

from dataclasses import dataclass
from typing import ClassVar

from torch import Tensor

from trainer_bridge.components.surrogates.terms import Terms


@dataclass(frozen=True)
class Gpg:
    """-A lp: REINFORCE. Source: verl [A]."""

    name: ClassVar[str] = "gpg"

    def __call__(self, logprobs_BT: Tensor, old_BT: Tensor, advantages_BT: Tensor, mask_BT: Tensor) -> Terms:  # noqa: ARG002 -- every surrogate has this shape
        return Terms.unclipped(-advantages_BT * logprobs_BT)
