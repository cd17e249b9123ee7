"""Light-IF's token entropy coefficients. Formula only: they need the whole batch's covariance beside each loss."""

import torch
from torch import Tensor

from trainer_bridge.components.token_weights.weights import covariance


def tea_coefficients(
    advantages_BT: Tensor, logprobs_BT: Tensor, mask_BT: Tensor, scale: float = 10.0, cap: float = 5.0
) -> Tensor:
    """C = clip(scale * softmax over the row of cov, 0, cap), detached; the loss is L - token_mean(c H).

    Source: arXiv 2508.03178, Light-IF [A]; 10 and 5. In its code c is not detached.
    """
    cov_BT = covariance(advantages_BT, logprobs_BT, mask_BT).masked_fill(~mask_BT, float("-inf"))
    return (scale * torch.nan_to_num(cov_BT.softmax(-1))).clamp(0.0, cap).detach()
