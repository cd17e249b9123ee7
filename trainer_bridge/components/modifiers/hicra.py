"""HICRA: planning tokens earn more. Formula only: the loop does not find planning tokens by itself."""

import torch
from torch import Tensor


def hicra(advantages_BT: Tensor, planning_BT: Tensor, alpha: float = 0.2) -> Tensor:
    """A + alpha |A| on planning tokens (a mask of n-grams mined from right solutions), A elsewhere.

    Softens the penalty of planning tokens in wrong rows. Source: arXiv 2509.03646 [C]: notes and a third-party port.
    """
    return torch.where(planning_BT, advantages_BT + alpha * advantages_BT.abs(), advantages_BT)
