"""Advantages for a critic."""

import torch
from torch import Tensor

# Generalised advantage estimation, and PPO's clipped value loss: for trainers that bring a critic


def gae(
    rewards_BT: Tensor, values_BT: Tensor, mask_BT: Tensor, gamma: float = 1.0, lam: float = 0.95
) -> tuple[Tensor, Tensor]:
    """Return advantages_BT (not whitened) and returns_BT.

    delta_t = r_t + gamma V_{t+1} - V_t; A_t = delta_t + gamma lam A_{t+1}; return = A + V. Positions outside the mask
    (observations, tool output) are carried through: the next V and A are those of the next masked-in token.
    Source: arXiv 1506.02438, verl and TRL [A]. Not named by any recipe: the bundled loop has no critic.
    """
    advantages_BT = torch.zeros_like(rewards_BT)
    next_value_B = torch.zeros_like(rewards_BT[:, 0])
    next_advantage_B = torch.zeros_like(next_value_B)
    for position in reversed(range(rewards_BT.shape[1])):
        inside_B = mask_BT[:, position].bool()
        delta_B = rewards_BT[:, position] + gamma * next_value_B - values_BT[:, position]
        advantage_B = delta_B + gamma * lam * next_advantage_B
        next_value_B = torch.where(inside_B, values_BT[:, position], next_value_B)
        next_advantage_B = torch.where(inside_B, advantage_B, next_advantage_B)
        advantages_BT[:, position] = torch.where(inside_B, advantage_B, torch.zeros_like(advantage_B))
    return advantages_BT, (advantages_BT + values_BT) * mask_BT


def clipped_value_loss(values_BT: Tensor, old_values_BT: Tensor, returns_BT: Tensor, clip: float = 0.2) -> Tensor:
    """0.5 max((V - R)^2, (clip(V, V_old +- clip) - R)^2), per token. Source: arXiv 1707.06347, verl [A]."""
    clipped_BT = values_BT.clamp(min=old_values_BT - clip, max=old_values_BT + clip)
    return 0.5 * torch.maximum((values_BT - returns_BT) ** 2, (clipped_BT - returns_BT) ** 2)
