"""EMPG: steps weighed by their entropy. Formula only: it takes step entropies of multi-turn rollouts."""

from collections.abc import Sequence

import torch
from torch import Tensor


def empg(
    advantages: Sequence[float],
    step_entropies: Sequence[Tensor],
    k: float = 1.0,
    k_future: float = 1.0,
    zeta: float = 0.1,
) -> list[Tensor]:
    """Advantage of every step of every row: A_i g_s + zeta f_s, centred over all steps of the batch.

    Hn = min-max normalised step entropy over the batch; g_s = exp(-k Hn_s) / its batch mean; f_s = exp(-k' Hn_{s+1}),
    0 for a row's last step. Source: arXiv 2509.09265, project page [C].
    """
    flat = torch.cat(list(step_entropies))
    low, high = flat.min(), flat.max()
    normed = [(entropy - low) / (high - low + 1e-8) for entropy in step_entropies]
    mean_weight = torch.cat([torch.exp(-k * entropy) for entropy in normed]).mean()
    steps = []
    for advantage, entropy in zip(advantages, normed, strict=True):
        clarity = torch.cat([torch.exp(-k_future * entropy[1:]), torch.zeros(1, dtype=entropy.dtype)])
        steps.append(advantage * torch.exp(-k * entropy) / mean_weight + zeta * clarity)
    centre = torch.cat(steps).mean()
    return [step - centre for step in steps]
