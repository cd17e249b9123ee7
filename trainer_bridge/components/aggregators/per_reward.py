"""Each reward normalised within its group by itself, the first half of MO-GRPO and GDPO."""

import torch
from torch import Tensor

from trainer_bridge.batch import Batch
from trainer_bridge.components.groups import group_mean, group_std, is_constant
from trainer_bridge.rewards import behind_gates


def normalised_sum(batch: Batch, eps: float) -> Tensor:
    """sum_k w_k (R_k - mean_g R_k) / (std_g R_k + eps), float64 [B]; NaN where no weighted reward was judged.

    A reward that does not vary within a group, or was not judged, contributes exactly 0 there. Behind a closed gate
    every reward is earned at the bottom of its range: an easy reward counts only where the gate's hard one is met.
    """
    weights_K = batch.space.weights_K().to(batch.rewards_BK.device)
    rewards_BK = behind_gates(batch.rewards_BK, batch.space)
    total_B = torch.zeros(len(batch.group_B), dtype=torch.float64, device=batch.rewards_BK.device)
    judged_B = torch.zeros(len(batch.group_B), dtype=torch.bool, device=batch.rewards_BK.device)
    for column, weight in enumerate(weights_K.tolist()):
        if weight == 0:
            continue
        values_B = rewards_BK[:, column]
        valid_B = ~values_B.isnan()
        values_B = values_B.nan_to_num(0.0)
        centred_B = values_B - group_mean(values_B, batch.group_B, valid_B)
        scaled_B = centred_B / (group_std(values_B, batch.group_B, valid_B) + eps)
        silent_B = ~valid_B | is_constant(values_B, batch.group_B, valid_B)
        total_B += torch.where(silent_B, torch.zeros_like(scaled_B), weight * scaled_B)
        judged_B |= valid_B
    return torch.where(judged_B, total_B, torch.full_like(total_B, float("nan")))
