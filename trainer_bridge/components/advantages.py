"""Filters, which drop groups or rows, and advantage estimators.

A filter of level group drops whole groups, and others are sampled in their place. A filter of level row masks rows. An
advantage estimator computes one advantage for each row from the rows' utilities (utility_B -> advantages_B).
"""

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import torch
from torch import Tensor

from trainer_bridge.batch import Batch, group_count, group_mean, group_std, group_sum, is_constant
from trainer_bridge.components.contract import NotNegative, Positive, RunFacts
from trainer_bridge.errors import RecipeError
from trainer_bridge.rewards import accepted_rows

# A check that several components share


def refuse_normalised_utility(name: str, recipe: Any) -> None:
    """Raise RecipeError if component ``name`` needs a reward but the aggregator's utility is relative to the group."""
    if getattr(recipe.aggregator, "normalises", False):
        raise RecipeError(
            f"{name} reads the utility as a reward, but aggregator {recipe.aggregator.name} says how a sample compares "
            "with its group: use aggregator 'weighted_sum', or leave it out"
        )


# DAPO's dynamic sampling: drop groups without a learning signal


@dataclass(frozen=True)
class ZeroVariance:
    """Keep a group iff its judged utilities differ, decided by max == min and not by the standard deviation.

    Applied before shaping, so that a length penalty cannot make an all-wrong group look informative. Source: arXiv
    2503.14476, verl-recipe/dapo [A]. Dropped groups are sampled again, up to ``max_generation_batches``.
    """

    name: ClassVar[str] = "zero_variance"
    level: ClassVar[str] = "group"

    def __call__(self, utility_B: Tensor, batch: Batch) -> Tensor:
        valid_B = ~utility_B.isnan()
        varies_B = ~is_constant(utility_B.nan_to_num(0.0), batch.group_B, valid_B)
        return varies_B & (group_count(batch.group_B, valid_B) > 1)


# Groups that are sometimes solved, but not always


@dataclass(frozen=True)
class PassRateBand:
    """Keep a group iff low < mean utility < high. Sources: ARES (.01, .99) [A]; offline bands of .2 to .8 [C]."""

    name: ClassVar[str] = "pass_rate_band"
    level: ClassVar[str] = "group"
    low: float = 0.01
    high: float = 0.99

    def check(self, recipe: Any) -> None:
        if self.low >= self.high:
            raise RecipeError(f"pass_rate_band keeps nothing: low {self.low} is not below high {self.high}")
        refuse_normalised_utility(self.name, recipe)

    def __call__(self, utility_B: Tensor, batch: Batch) -> Tensor:
        mean_B = group_mean(utility_B.nan_to_num(0.0), batch.group_B, ~utility_B.isnan())
        return (mean_B > self.low) & (mean_B < self.high)


# DAPO's overlong filter


@dataclass(frozen=True)
class Overlong:
    """Leave truncated rows out of the loss (TRL: ``mask_truncated_completions``). Source: arXiv 2503.14476 [B]."""

    name: ClassVar[str] = "overlong"
    level: ClassVar[str] = "row"

    def __call__(self, utility_B: Tensor, batch: Batch) -> Tensor:  # noqa: ARG002 -- every filter has this shape
        return ~batch.truncated_B


# Rejection sampling: train on accepted samples only


@dataclass(frozen=True)
class Accepted:
    """Keep accepted rows: every declared score and gate was judged and reached its threshold.

    With a ``threshold``, the utility before shaping must be at least that instead. With advantage
    ``ones`` and surrogate ``gpg`` this is rejection-sampling fine-tuning (RFT, STaR, RAFT): cross-entropy on verified
    samples.
    """

    name: ClassVar[str] = "accepted"
    level: ClassVar[str] = "row"
    threshold: float | None = None

    def check(self, recipe: Any) -> None:
        if self.threshold is not None:
            refuse_normalised_utility(f"{self.name} with a threshold", recipe)

    def __call__(self, utility_B: Tensor, batch: Batch) -> Tensor:
        if self.threshold is not None:
            return utility_B >= self.threshold  # NaN compares false: a row that was not judged is dropped
        return accepted_rows(batch.rewards_BK, batch.space, batch.declared_BK)


# Group-relative advantages: GRPO, Dr. GRPO and LitePPO


@dataclass(frozen=True)
class Group:
    """A = (u - mean_g) / (s + eps), exactly 0 in a group whose utilities are all equal.

    ``scale``: "group" divides by std_g (GRPO, arXiv 2402.03300), "batch" by the std of all rows (LitePPO,
    2508.08221), "none" by nothing (Dr. GRPO, 2503.20783). std unbiased. eps 1e-4 as in TRL; verl has 1e-6 [A].
    Rows with NaN utility get 0 and stay out of mean and std; a group with one judged row gets 0, as in TRL (verl keeps
    the raw reward, which pushes up the one row that happened to be judged).
    """

    name: ClassVar[str] = "group"
    normalises: ClassVar[bool] = True
    scale: Literal["group", "batch", "none"] = "group"
    eps: NotNegative = 1e-4

    def __call__(self, utility_B: Tensor, batch: Batch) -> Tensor:
        valid_B = ~utility_B.isnan()
        value_B = utility_B.nan_to_num(0.0)
        centred_B = value_B - group_mean(value_B, batch.group_B, valid_B)
        silent_B = ~valid_B | is_constant(value_B, batch.group_B, valid_B)
        return torch.where(
            silent_B, torch.zeros_like(centred_B), centred_B / self._scale(value_B, batch.group_B, valid_B)
        )

    def _scale(self, value_B: Tensor, group_B: Tensor, valid_B: Tensor) -> Tensor:
        if self.scale == "none":
            return torch.ones_like(value_B)
        if self.scale == "batch":
            spread = value_B[valid_B].std() if valid_B.sum() > 1 else value_B.new_ones(())  # one row
            return spread.expand_as(value_B) + self.eps
        return group_std(value_B, group_B, valid_B) + self.eps


# RLOO: each row against the mean of the others


@dataclass(frozen=True)
class Rloo:
    """A_i = u_i - mean of the group's other rows = n / (n - 1) (u_i - mean_g).

    Source: arXiv 2402.14740, verl and TRL [A]. A group of one: 0 (verl's vectorised form; its plain form keeps u).
    """

    name: ClassVar[str] = "rloo"
    normalises: ClassVar[bool] = True

    def __call__(self, utility_B: Tensor, batch: Batch) -> Tensor:
        valid_B = ~utility_B.isnan()
        value_B = utility_B.nan_to_num(0.0)
        count_B = group_count(batch.group_B, valid_B)
        scaled_B = (value_B - group_mean(value_B, batch.group_B, valid_B)) * count_B / (count_B - 1).clamp(min=1)
        silent_B = ~valid_B | is_constant(value_B, batch.group_B, valid_B)
        return torch.where(silent_B, torch.zeros_like(scaled_B), scaled_B)


# OPO: the length-weighted optimal baseline


@dataclass(frozen=True)
class Opo:
    """b_g = sum_i T_i u_i / sum_i T_i; A_i = u_i - b_g, no std. For exactly on-policy training: one update for each
    batch, no KL.

    Source: arXiv 2505.23585, lmops/opo [A]. A group with one judged row: 0, as in the official code (verl keeps u).
    """

    name: ClassVar[str] = "opo"
    normalises: ClassVar[bool] = True

    def check_run(self, facts: RunFacts) -> None:
        if facts.updates > 1:
            raise RecipeError("opo is exactly on-policy: set num_iterations and steps_per_generation to 1")

    def __call__(self, utility_B: Tensor, batch: Batch) -> Tensor:
        valid_B = ~utility_B.isnan()
        value_B = utility_B.nan_to_num(0.0)
        length_B = batch.length_B.to(value_B)
        total_B = group_sum(length_B, batch.group_B, valid_B).clamp(min=1)
        advantage_B = value_B - group_sum(length_B * value_B, batch.group_B, valid_B) / total_B
        silent_B = ~valid_B | is_constant(value_B, batch.group_B, valid_B)
        return torch.where(silent_B, torch.zeros_like(advantage_B), advantage_B)


# REINFORCE++ and its baseline form: whitened over all tokens of the batch


_EPS = 1e-8  # as in verl


@dataclass(frozen=True)
class Whitened:
    """x = u - mean_g (``baseline``) or u; A = (x - m) / sqrt(v + 1e-8), m and unbiased v over all tokens.

    Long rows weigh more, so A is zero-mean over tokens and not over rows. Source: arXiv 2501.03262, verl [A].
    If all x are equal, A is 0. With ``baseline`` a row that was judged alone in its group stays out and gets 0.
    """

    name: ClassVar[str] = "whitened"
    normalises: ClassVar[bool] = True
    baseline: bool = True

    def __call__(self, utility_B: Tensor, batch: Batch) -> Tensor:
        valid_B = ~utility_B.isnan()
        value_B = utility_B.nan_to_num(0.0)
        if self.baseline:
            valid_B &= group_count(batch.group_B, valid_B) > 1
            centred_B = value_B - group_mean(value_B, batch.group_B, valid_B)
            constant_B = is_constant(value_B, batch.group_B, valid_B)
            value_B = torch.where(constant_B, torch.zeros_like(centred_B), centred_B)
        return token_whitened(value_B, batch, valid_B)


def token_whitened(value_B: Tensor, batch: Batch, valid_B: Tensor) -> Tensor:
    """Whiten row values over the batch's tokens (each row counts as often as it has tokens)."""
    tokens_B = torch.where(valid_B, batch.length_B, torch.zeros_like(batch.length_B)).to(value_B)
    count = tokens_B.sum()
    used = value_B[tokens_B > 0]
    if len(used) == 0 or used.max() == used.min():
        return torch.zeros_like(value_B)
    mean = (tokens_B * value_B).sum() / count
    variance = (tokens_B * (value_B - mean) ** 2).sum() / (count - 1)
    return torch.where(valid_B, (value_B - mean) / (variance + _EPS).sqrt(), torch.zeros_like(value_B))


# Pass@k GRPO: only the best row of a group has an advantage


@dataclass(frozen=True)
class PassAtK:
    """The best row gets its difference to the second best, optionally divided by std_g + eps; all others get 0.

    Source: arXiv 2503.19595, verl ``grpo_passk`` [A]. Ties for the best give 0. eps 1e-6 (verl).
    """

    name: ClassVar[str] = "pass_at_k"
    normalises: ClassVar[bool] = True
    scale: bool = False
    eps: NotNegative = 1e-6

    def __call__(self, utility_B: Tensor, batch: Batch) -> Tensor:
        valid_B = ~utility_B.isnan()
        advantage_B = torch.zeros_like(utility_B)
        for group in batch.group_B[valid_B].unique().tolist():
            rows = ((batch.group_B == group) & valid_B).nonzero()[:, 0]
            if len(rows) > 1:
                values, places = utility_B[rows].topk(2)
                advantage_B[rows[places[0]]] = values[0] - values[1]
        if self.scale:
            advantage_B = advantage_B / (group_std(utility_B.nan_to_num(0.0), batch.group_B, valid_B) + self.eps)
        return advantage_B


# HAPO's token-level group average


@dataclass(frozen=True)
class TokenGroup:
    """A = (u - m) / (s + 1e-6), m and biased s over all tokens of the group; a group with any |A| >= 5 uses GRPO.

    Source: arXiv 2509.16591, HAPO's code [A]. Its code also counts padded positions, which lets padding trigger the
    fallback; here padding never counts.
    """

    name: ClassVar[str] = "token_group"
    normalises: ClassVar[bool] = True
    limit: Positive = 5.0
    eps: NotNegative = 1e-6

    def __call__(self, utility_B: Tensor, batch: Batch) -> Tensor:
        valid_B = ~utility_B.isnan()
        value_B = utility_B.nan_to_num(0.0)
        tokens_B = batch.length_B.to(value_B)
        total_B = group_sum(tokens_B, batch.group_B, valid_B).clamp(min=1)
        mean_B = group_sum(tokens_B * value_B, batch.group_B, valid_B) / total_B
        variance_B = group_sum(tokens_B * (value_B - mean_B) ** 2, batch.group_B, valid_B) / total_B
        scaled_B = (value_B - mean_B) / (variance_B.sqrt() + self.eps)
        too_large_B = group_sum((scaled_B.abs() >= self.limit).to(value_B), batch.group_B, valid_B) > 0
        scaled_B = torch.where(too_large_B, Group(eps=self.eps)(utility_B, batch), scaled_B)
        silent_B = ~valid_B | is_constant(value_B, batch.group_B, valid_B)
        return torch.where(silent_B, torch.zeros_like(scaled_B), scaled_B)


# GDPO's second half: whitening over the batch, by sample or by token


@dataclass(frozen=True)
class BatchNorm:
    """A = (u - mean) / (std + eps) over the batch.

    ``over``: "sample" (the paper, and GDPO's TRL fork) or "token" (its verl fork and verl: rows weigh by length, so
    a group of equal answers need not get 0). Source: arXiv 2601.05242 [A]; eps 1e-4. All equal: exactly 0. A row
    that was judged alone in its group stays out and gets 0.
    """

    name: ClassVar[str] = "batch_norm"
    over: Literal["sample", "token"] = "sample"
    eps: NotNegative = 1e-4

    def __call__(self, utility_B: Tensor, batch: Batch) -> Tensor:
        valid_B = ~utility_B.isnan()
        valid_B &= group_count(batch.group_B, valid_B) > 1
        value_B = utility_B.nan_to_num(0.0)
        if self.over == "token":
            return token_whitened(value_B, batch, valid_B)
        judged = value_B[valid_B]
        if len(judged) < 2 or judged.max() == judged.min():
            return torch.zeros_like(value_B)
        return torch.where(valid_B, (value_B - judged.mean()) / (judged.std() + self.eps), torch.zeros_like(value_B))


# The utility is used as the advantage (MO-GRPO)


@dataclass(frozen=True)
class Identity:
    """A = u; NaN (not judged) becomes 0."""

    name: ClassVar[str] = "identity"

    def __call__(self, utility_B: Tensor, batch: Batch) -> Tensor:  # noqa: ARG002 -- every estimator has this shape
        return utility_B.nan_to_num(0.0)


# Every kept row has the same advantage: cross-entropy as a policy gradient


@dataclass(frozen=True)
class Ones:
    """A = 1 for judged rows, else 0. With surrogate ``gpg`` and reduction ``token_mean`` the loss is cross-entropy."""

    name: ClassVar[str] = "ones"

    def __call__(self, utility_B: Tensor, batch: Batch) -> Tensor:  # noqa: ARG002 -- every estimator has this shape
        return torch.where(utility_B.isnan(), torch.zeros_like(utility_B), torch.ones_like(utility_B))
