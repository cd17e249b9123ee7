"""Every kept row counts the same: cross-entropy as a policy gradient."""

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from trainer_bridge.batch import Batch


@dataclass(frozen=True)
class Ones:
    """A = 1 for judged rows, else 0. With surrogate ``gpg`` and reduction ``token_mean`` the loss is cross-entropy."""

    name: ClassVar[str] = "ones"

    def __call__(self, utility_B: Tensor, batch: Batch) -> Tensor:  # noqa: ARG002 -- every estimator has this shape
        return torch.where(utility_B.isnan(), torch.zeros_like(utility_B), torch.ones_like(utility_B))
