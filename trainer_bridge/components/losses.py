"""Surrogates, which compute a loss for every token, and reductions, which weigh the tokens in the sum."""

from dataclasses import dataclass, replace
from math import log
from typing import Any, ClassVar, Literal, Self

import torch
from torch import Tensor

from trainer_bridge.components.contract import NotNegative, Positive, RunFacts
from trainer_bridge.errors import RecipeError

# What surrogates return, and the importance ratio that they share


LOG_RATIO_LIMIT = 20.0  # e^20 = 5e8: finite in every number type, and far outside of every clip range


@dataclass(frozen=True)
class Terms:
    """``loss_BT`` to minimise, and where the ratio was clipped (for ``clip_ratio/*``)."""

    loss_BT: Tensor
    clipped_low_BT: Tensor
    clipped_high_BT: Tensor

    @classmethod
    def unclipped(cls, loss_BT: Tensor) -> "Terms":
        """Terms of a loss that clips nothing."""
        nowhere_BT = torch.zeros_like(loss_BT, dtype=torch.bool)
        return cls(loss_BT, nowhere_BT, nowhere_BT)


def importance_ratio(logprobs_BT: Tensor, old_logprobs_BT: Tensor) -> Tensor:
    """exp(lp - lp_old), the difference clamped to +-20."""
    return (logprobs_BT - old_logprobs_BT).clamp(-LOG_RATIO_LIMIT, LOG_RATIO_LIMIT).exp()


# The clipped surrogate of PPO and GRPO; clip-higher is an upper bound of its own


@dataclass(frozen=True)
class Clip:
    """max(-A rho, -A clip(rho, 1 - epsilon, 1 + epsilon_high)); where A < 0, at most -A delta (dual clip).

    Source: arXiv 1707.06347; clip-higher 2503.14476; verl ``compute_policy_loss_vanilla`` [A]. Defaults .2 / .2, no
    dual clip (0 = off; verl has 3, DAPO's scripts 10).
    """

    name: ClassVar[str] = "clip"
    epsilon: Positive = 0.2
    epsilon_high: Positive = 0.2
    delta: NotNegative = 0.0

    def check(self, recipe: Any) -> None:  # noqa: ARG002 -- every check has this shape
        if 0 < self.delta <= 1 + self.epsilon_high:
            raise RecipeError(f"clip: delta {self.delta} must lie above 1 + epsilon_high, or be 0 (no dual clip)")

    def __call__(self, logprobs_BT: Tensor, old_BT: Tensor, advantages_BT: Tensor, mask_BT: Tensor) -> Terms:
        ratio_BT = importance_ratio(logprobs_BT, old_BT)
        plain_BT = -advantages_BT * ratio_BT
        clipped_BT = -advantages_BT * ratio_BT.clamp(1 - self.epsilon, 1 + self.epsilon_high)
        loss_BT = torch.maximum(plain_BT, clipped_BT)
        if self.delta:
            loss_BT = torch.where(advantages_BT < 0, torch.minimum(loss_BT, -advantages_BT * self.delta), loss_BT)
        bound_BT = (clipped_BT > plain_BT) & mask_BT
        return Terms(loss_BT, bound_BT & (advantages_BT < 0), bound_BT & (advantages_BT > 0))


# GSPO: one ratio a sequence


def _refuse_other_reductions(name: str, recipe: Any) -> None:
    if recipe.reduction.name != "seq_mean_token_mean":
        raise RecipeError(
            f"{name} has one ratio a sequence, and reduction {recipe.reduction.name} would weigh it by the sequence's "
            "length: use reduction 'seq_mean_token_mean' (TRL: loss_type grpo)"
        )


_LOG_LIMIT = 10.0  # as in verl: e^10 = 22,026, far outside of every clip range of a sequence's ratio


@dataclass(frozen=True)
class Gspo:
    """s_i = exp(mean_t (lp - lp_old)); max(-A s, -A clip(s)), where each token's gradient goes through its own lp.

    Source: arXiv 2507.18071, verl, TRL [A]. epsilon 3e-4, epsilon_high 4e-4; reduce by seq_mean_token_mean. With
    seq_mean_token_sum over 1 each sequence counts by its length: this is LUSPO, arXiv 2602.05261, TRL [A].
    """

    name: ClassVar[str] = "gspo"
    by_sequence: ClassVar[bool] = True  # one ratio a row
    epsilon: Positive = 3e-4
    epsilon_high: Positive = 4e-4

    def check(self, recipe: Any) -> None:
        if getattr(recipe.reduction, "horizon", None) != 1:
            _refuse_other_reductions(self.name, recipe)

    def __call__(self, logprobs_BT: Tensor, old_BT: Tensor, advantages_BT: Tensor, mask_BT: Tensor) -> Terms:
        length_B = mask_BT.sum(-1).clamp(min=1)
        mean_B = ((logprobs_BT - old_BT) * mask_BT).sum(-1) / length_B
        log_ratio_BT = mean_B.detach()[:, None] + logprobs_BT - logprobs_BT.detach()
        ratio_BT = log_ratio_BT.clamp(max=_LOG_LIMIT).exp()
        plain_BT = -advantages_BT * ratio_BT
        clipped_BT = -advantages_BT * ratio_BT.clamp(1 - self.epsilon, 1 + self.epsilon_high)
        bound_BT = (clipped_BT > plain_BT) & mask_BT
        loss_BT = torch.maximum(plain_BT, clipped_BT)
        return Terms(loss_BT, bound_BT & (advantages_BT < 0), bound_BT & (advantages_BT > 0))


# RLOO: the ratio of whole sequences


@dataclass(frozen=True)
class SequenceClip:
    """max(-A rho_i, -A clip(rho_i, 1 - epsilon, 1 + epsilon_high)), rho_i = exp(sum_t (lp - lp_old)), the sum clamped
    to +-20.

    A sequence is one action, so its ratio is that of its whole probability, whatever its length. Source: arXiv
    2402.14740, TRL's RLOO trainer [A]. Defaults .2 / .2; reduce by seq_mean_token_mean, so that each row counts once.
    """

    name: ClassVar[str] = "sequence_clip"
    by_sequence: ClassVar[bool] = True  # one ratio a row
    epsilon: Positive = 0.2
    epsilon_high: Positive = 0.2

    def check(self, recipe: Any) -> None:
        _refuse_other_reductions(self.name, recipe)

    def __call__(self, logprobs_BT: Tensor, old_BT: Tensor, advantages_BT: Tensor, mask_BT: Tensor) -> Terms:
        moved_B1 = ((logprobs_BT - old_BT) * mask_BT).sum(-1, keepdim=True)
        ratio_B1 = moved_B1.clamp(-LOG_RATIO_LIMIT, LOG_RATIO_LIMIT).exp()
        plain_BT = -advantages_BT * ratio_B1
        clipped_BT = -advantages_BT * ratio_B1.clamp(1 - self.epsilon, 1 + self.epsilon_high)
        bound_BT = (clipped_BT > plain_BT) & mask_BT
        loss_BT = torch.maximum(plain_BT, clipped_BT)
        return Terms(loss_BT, bound_BT & (advantages_BT < 0), bound_BT & (advantages_BT > 0))


# GMPO: the geometric mean of clipped ratios


@dataclass(frozen=True)
class Gmpo:
    """Clamp lp - lp_old to [-epsilon, epsilon_high] on the pessimistic side; ratio_i = exp(its mean); -A_i ratio_i.

    Source: arXiv 2507.20673, verl [A]; .4 / .4 in log space; reduce with seq_mean_token_mean.
    """

    name: ClassVar[str] = "gmpo"
    epsilon: Positive = 0.4
    epsilon_high: Positive = 0.4

    def check(self, recipe: Any) -> None:
        _refuse_other_reductions(self.name, recipe)

    def __call__(self, logprobs_BT: Tensor, old_BT: Tensor, advantages_BT: Tensor, mask_BT: Tensor) -> Terms:
        difference_BT = logprobs_BT - old_BT
        sign_BT = advantages_BT.sign()
        clamped_BT = difference_BT.clamp(-self.epsilon, self.epsilon_high)
        pessimistic_BT = torch.where(
            sign_BT == 0, difference_BT, sign_BT * torch.minimum(sign_BT * difference_BT, sign_BT * clamped_BT)
        )
        length_B = mask_BT.sum(-1).clamp(min=1)
        ratio_B = ((pessimistic_BT * mask_BT).sum(-1) / length_B).exp()
        bound_BT = (pessimistic_BT != difference_BT) & mask_BT
        loss_BT = -advantages_BT * ratio_B[:, None]
        return Terms(loss_BT, bound_BT & (advantages_BT < 0), bound_BT & (advantages_BT > 0))


# CISPO: clip the weight, never the gradient


@dataclass(frozen=True)
class Cispo:
    """-sg(min(rho, epsilon_high)) A lp: no token loses its gradient, and there is no lower bound.

    ``epsilon_high`` is the bound itself, as in TRL (ScaleRL's 5); MiniMax and verl write the bound as 1 + epsilon_high.
    Source: arXiv 2506.13585, TRL [A].
    """

    name: ClassVar[str] = "cispo"
    epsilon_high: Positive = 5.0

    def __call__(self, logprobs_BT: Tensor, old_BT: Tensor, advantages_BT: Tensor, mask_BT: Tensor) -> Terms:
        ratio_BT = importance_ratio(logprobs_BT, old_BT).detach()
        weight_BT = ratio_BT.clamp(max=self.epsilon_high)
        high_BT = (ratio_BT > weight_BT) & (advantages_BT > 0) & mask_BT  # the ones that TRL counts
        return Terms(-weight_BT * advantages_BT * logprobs_BT, torch.zeros_like(high_BT), high_BT)


# SAPO: a smooth gate in place of the clip


@dataclass(frozen=True)
class Sapo:
    """-A sigmoid(tau (rho - 1)) 4 / tau, tau by the sign of A. Source: verl, TRL [A]; tau+ 1.0, tau- 1.05."""

    name: ClassVar[str] = "sapo"
    temperature_pos: Positive = 1.0
    temperature_neg: Positive = 1.05

    def __call__(self, logprobs_BT: Tensor, old_BT: Tensor, advantages_BT: Tensor, mask_BT: Tensor) -> Terms:  # noqa: ARG002 -- every surrogate has this shape
        ratio_BT = importance_ratio(logprobs_BT, old_BT)
        tau_BT = torch.full_like(ratio_BT, self.temperature_neg).masked_fill(advantages_BT > 0, self.temperature_pos)
        return Terms.unclipped(-advantages_BT * torch.sigmoid(tau_BT * (ratio_BT - 1)) * 4 / tau_BT)


# VESPO: a smooth weight of the whole sequence


_LEAST_RATIO = 1e-8  # chosen: keeps a logarithm finite


@dataclass(frozen=True)
class Vespo:
    """-sg(phi(w)) A lp, where phi(w) = w^k e^(lambda (1 - w)) and w = exp(sum_t (lp - lp_old)) of the whole sequence.

    phi is 1 on policy, falls with the power k where the sequence became less likely, and with e^-lambda where it became
    more likely. k and lambda by the sign of A. Source: arXiv 2602.10693, TRL [A]; 2 and 3 where A >= 0, else 3 and 2.
    """

    name: ClassVar[str] = "vespo"
    k_pos: Positive = 2.0
    lambda_pos: Positive = 3.0
    k_neg: Positive = 3.0
    lambda_neg: Positive = 2.0

    def check(self, recipe: Any) -> None:
        if any(one.name == "truncated_importance" for one in recipe.token_weights):
            raise RecipeError(
                "vespo with token weights truncated_importance: in VESPO the sampler's ratio belongs into the weight "
                "of the sequence, which has no counterpart here"
            )

    def __call__(self, logprobs_BT: Tensor, old_BT: Tensor, advantages_BT: Tensor, mask_BT: Tensor) -> Terms:
        moved_BT = (logprobs_BT - old_BT).detach().clamp(-LOG_RATIO_LIMIT, LOG_RATIO_LIMIT)
        log_w_B1 = (moved_BT * mask_BT).sum(-1, keepdim=True).clamp(log(_LEAST_RATIO), LOG_RATIO_LIMIT)
        is_praised_BT = advantages_BT >= 0
        k_BT = torch.full_like(moved_BT, self.k_neg).masked_fill(is_praised_BT, self.k_pos)
        lambda_BT = torch.full_like(moved_BT, self.lambda_neg).masked_fill(is_praised_BT, self.lambda_pos)
        phi_BT = (k_BT * log_w_B1 + lambda_BT * (1 - log_w_B1.exp())).exp()
        return Terms.unclipped(-phi_BT * advantages_BT * logprobs_BT)


# DRO: a quadratic pull to the old policy


@dataclass(frozen=True)
class Dro:
    """-(lp A - beta / 2 (lp - lp_old)^2). Source: verl [A]; beta 0.1 is ours."""

    name: ClassVar[str] = "dro"
    pulls: ClassVar[bool] = True  # has a gradient even if the advantage is 0
    beta: NotNegative = 0.1

    def __call__(self, logprobs_BT: Tensor, old_BT: Tensor, advantages_BT: Tensor, mask_BT: Tensor) -> Terms:  # noqa: ARG002 -- every surrogate has this shape
        pull_BT = self.beta / 2 * (logprobs_BT - old_BT) ** 2
        return Terms.unclipped(-(logprobs_BT * advantages_BT - pull_BT))


# GPG: the plain policy gradient


@dataclass(frozen=True)
class Gpg:
    """-A lp: REINFORCE. Source: verl [A]."""

    name: ClassVar[str] = "gpg"

    def __call__(self, logprobs_BT: Tensor, old_BT: Tensor, advantages_BT: Tensor, mask_BT: Tensor) -> Terms:  # noqa: ARG002 -- every surrogate has this shape
        return Terms.unclipped(-advantages_BT * logprobs_BT)


# The unclipped importance-weighted surrogate, which KL-Cov builds on


@dataclass(frozen=True)
class UnclippedRatio:
    """-A rho. Source: verl ``compute_policy_loss_kl_cov`` without its penalty [A]."""

    name: ClassVar[str] = "unclipped_ratio"

    def __call__(self, logprobs_BT: Tensor, old_BT: Tensor, advantages_BT: Tensor, mask_BT: Tensor) -> Terms:  # noqa: ARG002 -- every surrogate has this shape
        return Terms.unclipped(-advantages_BT * importance_ratio(logprobs_BT, old_BT))


# Reductions: each returns weights_BT, and the loss of the batch is the weighted sum of the per-token losses.
# Counts over the whole batch: with them the loss does not depend on how the batch is cut into micro-batches


@dataclass(frozen=True)
class Counts:
    """Counts over the whole batch of one update.

    ``tokens``: tokens that are trained on; ``trained``: rows with such tokens; ``all``: all rows.
    """

    tokens: int
    trained: int
    all: int

    @classmethod
    def of(cls, mask_BT: Tensor) -> Self:
        """Count a batch's mask."""
        return cls(int(mask_BT.sum()), int(mask_BT.any(-1).sum()), len(mask_BT))

    def rows(self, which: str) -> int:
        """What a mean over rows divides by; at least 1."""
        return max(self.all if which == "all" else self.trained, 1)


# DAPO's mean over all tokens of the batch


@dataclass(frozen=True)
class TokenMean:
    """sum(L m) / sum(m), the sum over the whole batch. Source: arXiv 2503.14476, verl ``agg_loss`` [A]."""

    name: ClassVar[str] = "token_mean"

    def __call__(self, mask_BT: Tensor, counts: Counts) -> Tensor:
        return mask_BT.double() / max(counts.tokens, 1)


# The plain sum over tokens


@dataclass(frozen=True)
class TokenSum:
    """sum(L m). Source: verl ``agg_loss`` [A]."""

    name: ClassVar[str] = "token_sum"

    def __call__(self, mask_BT: Tensor, counts: Counts) -> Tensor:  # noqa: ARG002 -- every reduction has this shape
        return mask_BT.double()


# Dr. GRPO's reduction: sum within a row, mean over rows, over a constant


@dataclass(frozen=True)
class SeqMeanTokenSum:
    """mean over non-empty rows (or over ``all``, as TRL) of sum_t L m, divided by ``horizon``.

    ``horizon`` is a constant, by default the run's ``max_completion_length`` (Dr. GRPO, arXiv 2503.20783, and TRL);
    verl's default, the padded width of the batch, varies. 1 leaves the sum. Source: verl ``agg_loss`` [A].
    """

    name: ClassVar[str] = "seq_mean_token_sum"
    horizon: Positive | None = None
    rows: Literal["trained", "all"] = "trained"

    def for_run(self, facts: RunFacts) -> "SeqMeanTokenSum":
        return self if self.horizon else replace(self, horizon=float(facts.max_completion_length))

    def __call__(self, mask_BT: Tensor, counts: Counts) -> Tensor:
        if self.horizon is None:
            raise RuntimeError("seq_mean_token_sum was not given the run's length")
        return mask_BT.double() / (counts.rows(self.rows) * self.horizon)


# The original GRPO's reduction: mean within a row, mean over rows


@dataclass(frozen=True)
class SeqMeanTokenMean:
    """mean over non-empty rows (or over ``all``, as TRL) of sum_t L m / T_i.

    It favours short right answers and long wrong ones, as Dr. GRPO points out.

    Source: arXiv 2402.03300, verl ``agg_loss`` [A].
    """

    name: ClassVar[str] = "seq_mean_token_mean"
    rows: Literal["trained", "all"] = "trained"

    def __call__(self, mask_BT: Tensor, counts: Counts) -> Tensor:
        length_B1 = mask_BT.sum(-1, keepdim=True).clamp(min=1)
        return mask_BT.double() / (length_B1 * counts.rows(self.rows))
