"""Statistics over each group's judged rows. Every row gets the value of its group."""

import torch
from torch import Tensor


def group_sum(values_B: Tensor, group_B: Tensor, valid_B: Tensor) -> Tensor:
    """Sum over the valid rows of each row's group."""
    size = int(group_B.max()) + 1 if len(group_B) else 0
    totals = torch.zeros(size, dtype=values_B.dtype, device=values_B.device)
    totals.index_add_(0, group_B, torch.where(valid_B, values_B, torch.zeros_like(values_B)))
    return totals[group_B]


def group_count(group_B: Tensor, valid_B: Tensor) -> Tensor:
    """Valid rows of each row's group (float64)."""
    return group_sum(torch.ones(len(group_B), dtype=torch.float64, device=group_B.device), group_B, valid_B)


def group_mean(values_B: Tensor, group_B: Tensor, valid_B: Tensor) -> Tensor:
    """Mean over the valid rows of each row's group."""
    return group_sum(values_B, group_B, valid_B) / group_count(group_B, valid_B).clamp(min=1)


def group_std(values_B: Tensor, group_B: Tensor, valid_B: Tensor) -> Tensor:
    """Unbiased standard deviation over the valid rows of each row's group; 1 for a group of one, as verl has it."""
    count_B = group_count(group_B, valid_B)
    centred_B = values_B - group_mean(values_B, group_B, valid_B)
    variance_B = group_sum(centred_B**2, group_B, valid_B) / (count_B - 1).clamp(min=1)
    return torch.where(count_B > 1, variance_B.sqrt(), torch.ones_like(variance_B))


def is_constant(values_B: Tensor, group_B: Tensor, valid_B: Tensor) -> Tensor:
    """Whether a row's group holds one value only, decided by max == min.

    A standard deviation of equal floats need not come out as 0, and then divides rounding noise by itself.
    """
    size = int(group_B.max()) + 1 if len(group_B) else 0
    extremes = []
    for sign in (1.0, -1.0):
        marked_B = torch.where(valid_B, sign * values_B, torch.full_like(values_B, -torch.inf))
        highest = torch.full((size,), -torch.inf, dtype=values_B.dtype, device=values_B.device)
        extremes.append(highest.scatter_reduce(0, group_B, marked_B, "amax")[group_B])
    highest_B, lowest_B = extremes[0], -extremes[1]
    return highest_B <= lowest_B
