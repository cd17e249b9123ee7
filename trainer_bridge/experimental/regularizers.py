"""Entropy regularizers of single papers."""

import torch
from torch import Tensor

from trainer_bridge.components.token_weights import covariance

# SIREN: hold the nucleus entropy of the most uncertain tokens at its first value. Formula only


def nucleus_entropy(probabilities: Tensor, top_p: float = 0.8, *, keep_crossing: bool = False) -> Tensor:
    """Entropy of the distribution renormalised over its top-p nucleus [...].

    The official training code leaves out the token that crosses ``top_p`` (a top token of ``top_p`` or more alone gives
    0); ``keep_crossing`` keeps it. Source: arXiv 2509.25133, SIREN [A].
    """
    ordered = probabilities.sort(dim=-1, descending=True).values
    cumulative = ordered.cumsum(-1)
    inside = (cumulative - ordered < top_p) if keep_crossing else (cumulative < top_p)
    kept = torch.where(inside, ordered, torch.zeros_like(ordered))
    kept = kept / kept.sum(-1, keepdim=True).clamp(min=1e-12)
    return -torch.where(kept > 0, kept * kept.clamp(min=1e-12).log(), torch.zeros_like(kept)).sum(-1)


def peak_mask(entropy_BT: Tensor, mask_BT: Tensor, quantile: float = 0.8) -> Tensor:
    """Per row, tokens strictly above the quantile (linear interpolation)."""
    cut_B1 = torch.nanquantile(entropy_BT.masked_fill(~mask_BT, float("nan")), quantile, dim=-1, keepdim=True)
    return (entropy_BT > cut_B1) & mask_BT


def anchor_penalty(entropy_BT: Tensor, mask_BT: Tensor, anchor: float, coefficient: float = 0.005) -> Tensor:
    """Coefficient (Hagg - anchor)^2, Hagg the mean over rows of the mean over each row's peak tokens."""
    peaks_BT = peak_mask(entropy_BT.detach(), mask_BT)
    rows_B = (entropy_BT * peaks_BT).sum(-1) / peaks_BT.sum(-1).clamp(min=1)
    return coefficient * (rows_B[peaks_BT.any(-1)].mean() - anchor) ** 2


# Light-IF's token entropy coefficients. Formula only: they need the whole batch's covariance beside each loss


def tea_coefficients(
    advantages_BT: Tensor, logprobs_BT: Tensor, mask_BT: Tensor, scale: float = 10.0, cap: float = 5.0
) -> Tensor:
    """C = clip(scale * softmax over the row of cov, 0, cap), detached; the loss is L - token_mean(c H).

    Source: arXiv 2508.03178, Light-IF [A]; 10 and 5. In its code c is not detached.
    """
    cov_BT = covariance(advantages_BT, logprobs_BT, mask_BT).masked_fill(~mask_BT, float("-inf"))
    return (scale * torch.nan_to_num(cov_BT.softmax(-1))).clamp(0.0, cap).detach()
