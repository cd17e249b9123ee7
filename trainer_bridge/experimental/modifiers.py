"""Token advantages from entropy and from plans."""

from collections.abc import Sequence

import torch
from torch import Tensor

# HICRA: planning tokens earn more. Formula only: the loop does not find planning tokens by itself


def hicra(advantages_BT: Tensor, planning_BT: Tensor, alpha: float = 0.2) -> Tensor:
    """A + alpha |A| on planning tokens (a mask of n-grams mined from right solutions), A elsewhere.

    Softens the penalty of planning tokens in wrong rows. Source: arXiv 2509.03646 [C]: notes and a third-party port.
    """
    return torch.where(planning_BT, advantages_BT + alpha * advantages_BT.abs(), advantages_BT)


# EMPG: steps weighed by their entropy. Formula only: it takes step entropies of multi-turn rollouts


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
