"""Learning from samples of another policy."""

import torch
from torch import Tensor

from trainer_bridge.components.losses import LOG_RATIO_LIMIT

# The loss of off-policy rows in mixed-policy training (HeRL, RGR-GRPO, LUFFY). Formula only


def off_policy_shaped(logprobs_BT: Tensor, advantages_BT: Tensor, gamma: float = 1.0) -> Tensor:
    """-A f(x), f(x) = x / (x + gamma), x = exp(lp), lp clamped to +-20; a small gamma boosts rare tokens.

    Source: arXiv 2603.20046, HeRL [A]: gamma 1 (general script), 0.1 (medical). The bundled loop samples on-policy.
    """
    likelihood_BT = logprobs_BT.clamp(-LOG_RATIO_LIMIT, LOG_RATIO_LIMIT).exp()
    return -advantages_BT * likelihood_BT / (likelihood_BT + torch.as_tensor(gamma, dtype=likelihood_BT.dtype))
