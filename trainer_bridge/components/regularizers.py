"""Terms added to every token's loss: KL, entropy and their relatives."""

import math
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import torch
from torch import Tensor

from trainer_bridge.batch import Batch, State, need
from trainer_bridge.components.contract import Count, NotNegative, RunFacts
from trainer_bridge.errors import RecipeError

# KL to the frozen reference policy


_INPUT_LIMIT = 20.0


def kl_estimate(logprobs_BT: Tensor, reference_BT: Tensor, estimator: str = "k3") -> Tensor:
    """k1 = -q, abs = |q|, k2 = q^2 / 2, k3 = exp(q) - q - 1, with q = lp_ref - lp clamped to +-20.

    "k1+" and "k3+" have the value of k1 and k3 but k2's gradient, which is that of the KL. Source: verl ``kl_penalty``
    [A]. verl also clips k3 at 10, which removes the gradient of the tokens that are furthest from the reference; TRL
    and the paper do not clip, and neither does this.
    """
    if estimator.endswith("+"):
        value_BT = kl_estimate(logprobs_BT, reference_BT, estimator[:-1]).detach()
        straight_BT = kl_estimate(logprobs_BT, reference_BT, "k2")
        return value_BT + straight_BT - straight_BT.detach()
    q_BT = (reference_BT - logprobs_BT).clamp(-_INPUT_LIMIT, _INPUT_LIMIT)
    if estimator == "k1":
        return -q_BT
    if estimator == "abs":
        return q_BT.abs()
    if estimator == "k2":
        return q_BT**2 / 2
    if estimator == "k3":
        return q_BT.exp() - q_BT - 1
    raise ValueError(f"estimator {estimator!r} is none of k1, abs, k2, k3, k1+, k3+")


@dataclass(frozen=True)
class Kl:
    """beta * KL(policy || reference). Controller ``adaptive_kl`` multiplies beta (``state.coefficients["kl"]``).

    ``unbiased`` multiplies by the ratio to the old policy (DeepSeek-V3.2, TRL's default): that of each token, or at
    ``level`` "sequence" the geometric mean over the row, as TRL does under GSPO. Source: verl, TRL [A].
    """

    name: ClassVar[str] = "kl"
    needs: ClassVar[frozenset[str]] = frozenset({"reference"})
    beta: NotNegative = 0.001
    estimator: Literal["k1", "abs", "k2", "k3", "k1+", "k3+"] = "k3"
    unbiased: bool = False
    level: Literal["token", "sequence"] = "token"

    def estimate(self, logprobs_BT: Tensor, batch: Batch) -> Tensor:
        """kl_BT, which is also what metric ``kl`` is the mean of."""
        term_BT = kl_estimate(logprobs_BT, need(batch.reference_logprobs_BT, "reference"), self.estimator)
        if self.unbiased:
            old_BT = logprobs_BT.detach() if batch.old_logprobs_BT is None else batch.old_logprobs_BT
            log_ratio_BT = (logprobs_BT - old_BT) * batch.mask_BT
            if self.level == "sequence":
                log_ratio_BT = log_ratio_BT.sum(-1, keepdim=True) / batch.mask_BT.sum(-1, keepdim=True).clamp(min=1)
            term_BT = term_BT * log_ratio_BT.exp()
        return term_BT

    def __call__(self, logprobs_BT: Tensor, entropy_BT: Tensor, batch: Batch, state: State) -> Tensor:  # noqa: ARG002 -- every regularizer has this shape
        return self.beta * state.coefficients.get("kl", 1.0) * self.estimate(logprobs_BT, batch)


# An entropy bonus


@dataclass(frozen=True)
class Entropy:
    """-alpha H, H exact over the vocabulary. Controller ``magic`` overrides alpha (``state.coefficients``).

    The term is reduced like the loss; with ``mean`` "tokens" it is the mean over all tokens, as in TRL.
    """

    name: ClassVar[str] = "entropy"
    coefficient: NotNegative = 0.001
    mean: Literal["as_loss", "tokens"] = "as_loss"

    def __call__(self, logprobs_BT: Tensor, entropy_BT: Tensor, batch: Batch, state: State) -> Tensor:  # noqa: ARG002 -- every regularizer has this shape
        return -state.coefficients.get("entropy", self.coefficient) * entropy_BT


# EPO: an entropy bonus that also keeps each token's entropy near the mean of past steps


@dataclass(frozen=True)
class Epo:
    """-lam [H - beta_k alpha P], P = max(0, low Hbar - H) + max(0, H - high Hbar), beta_k = 1 + exp(-gamma k / k_mid).

    Hbar, the mean of past steps' mean entropies, is ``state.memory["entropy_history_mean"]`` (controller
    ``entropy_history``); without it P = 0. Source: arXiv 2509.22576, the paper's form [B]; lam .001, alpha 1, .8 / 1.2.
    In the official code the penalty has no gradient, which leaves a plain bonus (``variant`` "official_code").
    """

    name: ClassVar[str] = "epo"
    coefficient: NotNegative = 0.001
    alpha: NotNegative = 1.0
    low: NotNegative = 0.8
    high: NotNegative = 1.2
    gamma: NotNegative = 1.0
    total_steps: Count | None = None
    variant: Literal["paper", "official_code"] = "paper"

    def check(self, recipe: Any) -> None:
        if not any(part.name == "entropy_history" for part in recipe.controllers):
            raise RecipeError('epo needs the mean of past entropies: controllers = ["entropy_history"]')

    def for_run(self, facts: RunFacts) -> "Epo":
        return self if self.total_steps else replace(self, total_steps=max(facts.steps, 1))

    def __call__(self, logprobs_BT: Tensor, entropy_BT: Tensor, batch: Batch, state: State) -> Tensor:  # noqa: ARG002 -- every regularizer has this shape
        history = state.memory.get("entropy_history_mean")
        if history is None:
            return -self.coefficient * entropy_BT
        penalty_BT = self.penalty(entropy_BT, float(history))
        if self.variant == "official_code":
            penalty_BT = penalty_BT.detach()
        return -self.coefficient * (entropy_BT - self.schedule(state.step) * self.alpha * penalty_BT)

    def penalty(self, entropy_BT: Tensor, history: float) -> Tensor:
        """The penalty P of each token."""
        return torch.relu(self.low * history - entropy_BT) + torch.relu(entropy_BT - self.high * history)

    def schedule(self, step: int) -> float:
        """beta_k."""
        if self.total_steps is None:
            raise RuntimeError("epo was not given the run's steps")
        return 1 + math.exp(-self.gamma * step / max(self.total_steps // 2, 1))
