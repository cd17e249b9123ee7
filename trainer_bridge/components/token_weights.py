"""Token weights: how much each token counts in the loss (weights_BT, without gradient)."""

import math
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

import torch
from pydantic import Field
from torch import Tensor

from trainer_bridge.batch import Batch, Weights, masked_mean, need, quantile_of
from trainer_bridge.components.contract import NotNegative, Positive, RunFacts
from trainer_bridge.components.losses import Clip
from trainer_bridge.errors import RecipeError

# The covariance by which several token weights choose tokens


def covariance(advantages_BT: Tensor, logprobs_BT: Tensor, mask_BT: Tensor) -> Tensor:
    """(A - mean A)(lp - mean lp) of every token, means over the batch's masked tokens. Source: arXiv 2505.22617 [A]."""
    advantage_mean = masked_mean(advantages_BT, mask_BT)
    logprob_mean = masked_mean(logprobs_BT, mask_BT)
    return (advantages_BT - advantage_mean) * (logprobs_BT - logprob_mean)


# Only the tokens of highest entropy are trained on ("80/20")


@dataclass(frozen=True)
class HighEntropy:
    """Keep tokens with H at or above the batch's (1 - share) quantile (linear interpolation).

    Source: arXiv 2506.01939, TRL ``top_entropy_quantile`` [A]; share 0.2. ``over`` "row" is SIREN's: each row's own
    quantile, strictly above.
    """

    name: ClassVar[str] = "high_entropy"
    needs: ClassVar[frozenset[str]] = frozenset({"entropy"})
    share: Annotated[float, Field(gt=0, lt=1)] = 0.2
    over: Literal["batch", "row"] = "batch"

    def __call__(self, advantages_BT: Tensor, batch: Batch) -> Weights:  # noqa: ARG002 -- every token weight has this shape
        entropy_BT = need(batch.entropy_BT, "entropy")
        if self.over == "row":
            hidden_BT = entropy_BT.masked_fill(~batch.mask_BT, float("nan"))
            cut_B1 = torch.nanquantile(hidden_BT, 1 - self.share, dim=-1, keepdim=True)
            return Weights.scaling(((entropy_BT > cut_B1) & batch.mask_BT).to(entropy_BT))
        if not batch.mask_BT.any():
            return Weights.scaling(torch.zeros_like(entropy_BT))
        cut = quantile_of(entropy_BT[batch.mask_BT], 1 - self.share)
        return Weights.scaling(((entropy_BT >= cut) & batch.mask_BT).to(entropy_BT))


# Clip-Cov: a few random tokens of high covariance are not trained on


@dataclass(frozen=True)
class ClipCov:
    """Zero the loss of n random tokens with low < cov < high, n = max(int(ratio * tokens), 1).

    Tokens that PPO clips already are no candidates. Source: arXiv 2505.22617, verl, entmech [A]; ratio 2e-4, 1, 5, clip
    bounds 1 / 1 in its scripts. The draw is seeded, so a run can be repeated.
    """

    name: ClassVar[str] = "clip_cov"
    needs: ClassVar[frozenset[str]] = frozenset({"current", "old"})
    ratio: Annotated[float, Field(gt=0, lt=1)] = 2e-4
    low: float = 1.0
    high: float = 5.0
    epsilon: Positive = 1.0
    epsilon_high: Positive = 1.0
    seed: int = 0

    def check(self, recipe: Any) -> None:
        chosen = recipe.surrogate
        if chosen.name != "clip" or (chosen.epsilon, chosen.epsilon_high) != (self.epsilon, self.epsilon_high):
            raise RecipeError(
                "clip_cov needs surrogate clip with its own bounds (epsilon, epsilon_high): set both alike"
            )

    def __call__(self, advantages_BT: Tensor, batch: Batch) -> Weights:
        current_BT, old_BT = need(batch.current_logprobs_BT, "current"), need(batch.old_logprobs_BT, "old")
        terms = Clip(self.epsilon, self.epsilon_high)(current_BT, old_BT, advantages_BT, batch.mask_BT)
        cov_BT = covariance(advantages_BT, current_BT, batch.mask_BT)
        free_BT = batch.mask_BT & ~terms.clipped_low_BT & ~terms.clipped_high_BT
        candidates = ((cov_BT > self.low) & (cov_BT < self.high) & free_BT).nonzero()
        count = min(max(int(self.ratio * int(batch.mask_BT.sum())), 1), len(candidates))
        order = torch.randperm(len(candidates), generator=torch.Generator().manual_seed(self.seed))
        chosen = candidates[order[:count].to(candidates.device)]
        keep_BT = torch.ones_like(cov_BT)
        keep_BT[chosen[:, 0], chosen[:, 1]] = 0.0
        return Weights.scaling(keep_BT)


# KL-Cov: the tokens of highest covariance get a penalty for leaving the old policy


@dataclass(frozen=True)
class KlCov:
    """Add beta |lp - lp_old| on the top max(1, int(ratio * tokens)) covariances; use surrogate ``unclipped_ratio``.

    Source: arXiv 2505.22617, verl [A]; beta 1, ratio 2e-4 as a FRACTION (the official k_percent is a percentage: .2 for
    7B is 2e-3 here). On the first update of a batch the gradient of the penalty is 0.
    """

    name: ClassVar[str] = "kl_cov"
    needs: ClassVar[frozenset[str]] = frozenset({"current"})
    ratio: Annotated[float, Field(gt=0, lt=1)] = 2e-4
    beta: Positive = 1.0

    def check(self, recipe: Any) -> None:
        if recipe.surrogate.name != "unclipped_ratio":
            raise RecipeError("kl_cov replaces clipping: use surrogate 'unclipped_ratio'")

    def check_run(self, facts: RunFacts) -> None:
        if facts.updates < 2:
            raise RecipeError(
                "kl_cov does nothing in the first update of a batch: set num_iterations or steps_per_generation to 2 "
                "or more"
            )

    def __call__(self, advantages_BT: Tensor, batch: Batch) -> Weights:
        cov_BT = covariance(advantages_BT, need(batch.current_logprobs_BT, "current"), batch.mask_BT)
        cov_BT = cov_BT.masked_fill(~batch.mask_BT, float("-inf"))
        count = max(1, int(self.ratio * int(batch.mask_BT.sum())))
        chosen = cov_BT.flatten().topk(min(count, cov_BT.numel())).indices
        drift_BT = torch.zeros_like(cov_BT)
        drift_BT.view(-1)[chosen] = self.beta
        return Weights(torch.ones_like(cov_BT), drift_BT * batch.mask_BT)


# STEER: tokens that would change the entropy most get less weight


@dataclass(frozen=True)
class Steer:
    """Omega = |A / p_old * p (1 - p)(ln p + H)|, mapped to a weight between ``high`` and ``low``.

    ``mapping`` "linear": high at the least Omega, low at the largest (all equal: the middle); "exponential":
    clip(exp(-k Omega), low, 1), k = -ln(low) / max(Omega_max, .02). Source: arXiv 2510.10150, STEER [A]; exponential
    with low .8, linear .8 to 1.2; with clip .2/.28, dual clip 10, token_mean.
    """

    name: ClassVar[str] = "steer"
    needs: ClassVar[frozenset[str]] = frozenset({"current", "old", "entropy"})
    mapping: Literal["exponential", "linear"] = "exponential"
    low: Annotated[float, Field(gt=0, le=1)] = 0.8
    high: Annotated[float, Field(ge=1)] = 1.2

    def __call__(self, advantages_BT: Tensor, batch: Batch) -> Weights:
        change_BT = self.entropy_change(advantages_BT, batch)
        if not batch.mask_BT.any():
            return Weights.scaling(torch.zeros_like(change_BT))
        least, most = change_BT[batch.mask_BT].min(), change_BT[batch.mask_BT].max()
        if self.mapping == "exponential":
            rate = -math.log(self.low) / max(float(most), 0.02)
            weight_BT = torch.exp(-rate * change_BT).clamp(self.low, 1.0)
        elif most == least:
            weight_BT = torch.full_like(change_BT, (self.low + self.high) / 2)
        else:
            weight_BT = self.high - (change_BT - least) / (most - least) * (self.high - self.low)
        return Weights.scaling(weight_BT)

    def entropy_change(self, advantages_BT: Tensor, batch: Batch) -> Tensor:
        """Omega_BT."""
        limits = (1e-8, 1 - 1e-8)
        p_BT = need(batch.current_logprobs_BT, "current").exp().clamp(*limits)
        old_p_BT = need(batch.old_logprobs_BT, "old").exp().clamp(*limits)
        f_BT = p_BT * (1 - p_BT) * (p_BT.log() + need(batch.entropy_BT, "entropy"))
        return (advantages_BT / old_p_BT * f_BT).abs()


# A correction for samples whose sampler differs slightly from the trained policy (TIS, MIS)


@dataclass(frozen=True)
class TruncatedImportance:
    """w = exp(lp_old - lp_sampler), cut to between ``floor`` and ``cap`` (TIS), or 0 outside (``mode`` "mask": MIS).

    ``level``: each "token", or the row's whole "sequence" by the mean difference, or by the "sequence_sum", which is
    TRL's: the ratio of the whole answers, whose variance grows with length. Source: TRL [A]; cap 2.
    """

    name: ClassVar[str] = "truncated_importance"
    needs: ClassVar[frozenset[str]] = frozenset({"old"})
    cap: Positive = 2.0
    mode: Literal["truncate", "mask"] = "truncate"
    level: Literal["token", "sequence", "sequence_sum"] = "token"
    floor: NotNegative = 0.0

    def check(self, recipe: Any) -> None:  # noqa: ARG002 -- every check has this shape
        if self.floor > self.cap:
            raise RecipeError(f"truncated_importance: floor {self.floor} lies above cap {self.cap}")

    def __call__(self, advantages_BT: Tensor, batch: Batch) -> Weights:
        difference_BT = (need(batch.old_logprobs_BT, "old") - batch.sampler_logprobs_BT) * batch.mask_BT
        if self.level != "token":
            sum_B1 = difference_BT.sum(-1, keepdim=True)
            per_B1 = 1 if self.level == "sequence_sum" else batch.length_B.clamp(min=1)[:, None]
            difference_BT = (sum_B1 / per_B1).expand_as(difference_BT)
        weight_BT = difference_BT.exp().to(advantages_BT)
        if self.mode == "mask":
            outside_BT = (weight_BT > self.cap) | (weight_BT < self.floor)
            return Weights.scaling(weight_BT.masked_fill(outside_BT, 0.0))
        return Weights.scaling(weight_BT.clamp(self.floor, self.cap))


# DeepSeek-V3.2's off-policy sequence mask


@dataclass(frozen=True)
class OffPolicyMask:
    """Drop a row with A < 0 whose mean (lp_sampler - lp) exceeds ``threshold``.

    Such a row was sampled by a policy that differs too much from the present one: since the weights were updated, or
    since the engine computes otherwise than the learner.

    Source: DeepSeek-V3.2, TRL ``off_policy_mask_threshold`` [A]; 0.5.
    """

    name: ClassVar[str] = "off_policy_mask"
    needs: ClassVar[frozenset[str]] = frozenset({"current"})
    threshold: Positive = 0.5

    def __call__(self, advantages_BT: Tensor, batch: Batch) -> Weights:
        drift_BT = batch.sampler_logprobs_BT - need(batch.current_logprobs_BT, "current")
        mean_B = (drift_BT * batch.mask_BT).sum(-1) / batch.length_B.clamp(min=1)
        dropped_BT = (advantages_BT < 0) & (mean_B > self.threshold)[:, None]
        return Weights.scaling(torch.where(dropped_BT, torch.zeros_like(drift_BT), torch.ones_like(drift_BT)))
