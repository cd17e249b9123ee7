"""What is logged each step, under TRL's names: rewards, completions, groups. Times in seconds, lengths in tokens."""

import torch
from torch import Tensor

from trainer_bridge.batch import Batch
from trainer_bridge.components.groups import group_count, group_std, is_constant
from trainer_bridge.rewards import weighted_sum


def reward_metrics(batch: Batch) -> dict[str, float]:
    """Over all samples of the step, dropped groups included: what the policy earns, not what it learns from.

    ``reward`` is the declared weighted sum; ``frac_reward_zero_std`` the share of groups whose sums are all equal;
    ``rewards/{name}/unjudged`` the share of samples that could not be judged.
    """
    total_B = weighted_sum(batch.rewards_BK, batch.space)
    values = {
        "reward": _mean(total_B),
        "reward_std": _group_spread(total_B, batch.group_B),
        "frac_reward_zero_std": _constant_share(total_B, batch.group_B),
    }
    for column, name in enumerate(batch.space.names):
        reward_B = batch.rewards_BK[:, column]
        values[f"rewards/{name}/mean"] = _mean(reward_B)
        values[f"rewards/{name}/std"] = _std(reward_B)
        values[f"rewards/{name}/frac_zero_std"] = _constant_share(reward_B, batch.group_B)
        values[f"rewards/{name}/unjudged"] = float(reward_B.isnan().double().mean())
    return values


def completion_metrics(batch: Batch) -> dict[str, float]:
    """``completions/*``: lengths, and the share cut off at the limit."""
    length_B = batch.length_B.double()
    ended_B = length_B[~batch.truncated_B]
    values = {
        "completions/mean_length": float(length_B.mean()),
        "completions/min_length": float(length_B.min()),
        "completions/max_length": float(length_B.max()),
        "completions/clipped_ratio": float(batch.truncated_B.double().mean()),
        "num_completions": float(len(length_B)),
    }
    if len(ended_B):
        values["completions/mean_terminated_length"] = float(ended_B.mean())
        values["completions/min_terminated_length"] = float(ended_B.min())
        values["completions/max_terminated_length"] = float(ended_B.max())
    return values


def advantage_metrics(advantages_B: Tensor) -> dict[str, float]:
    """``advantages/*`` over the rows that are learnt from."""
    return {"advantages/min": float(advantages_B.min()), "advantages/max": float(advantages_B.max())}


def _mean(values_B: Tensor) -> float:
    judged = values_B[~values_B.isnan()]
    return float(judged.mean()) if len(judged) else float("nan")


def _std(values_B: Tensor) -> float:
    judged = values_B[~values_B.isnan()]
    return float(judged.std()) if len(judged) > 1 else 0.0


def _group_spread(values_B: Tensor, group_B: Tensor) -> float:
    """Mean over groups of the standard deviation within the group, as TRL has it."""
    valid_B = ~values_B.isnan()
    several_B = group_count(group_B, valid_B) > 1
    spread_B = group_std(values_B.nan_to_num(0.0), group_B, valid_B)
    return float(spread_B[several_B].mean()) if several_B.any() else 0.0


def _constant_share(values_B: Tensor, group_B: Tensor) -> float:
    valid_B = ~values_B.isnan()
    constant_B = is_constant(values_B.nan_to_num(0.0), group_B, valid_B)
    groups = group_B.unique()
    return float(torch.stack([constant_B[group_B == group][0] for group in groups]).double().mean())
