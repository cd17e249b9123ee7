"""PAR: a reward model's score against reference responses. Formula only: references come with the reward model."""

import torch
from torch import Tensor


def par(reward_B: Tensor, reference_BM: Tensor, k: float = 1.0) -> Tensor:
    """Mean over references of sigmoid(k (r - r_ref)): bounded, steepest at the reference.

    Source: arXiv 2502.18770, PAR [A]; M = 10 references (1 suffices), k = 1.
    """
    return torch.sigmoid(k * (reward_B[:, None] - reference_BM)).mean(-1)
