"""KL to the frozen reference policy."""

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from trainer_bridge.batch import Batch, State, need

_INPUT_LIMIT, _OUTPUT_LIMIT = 20.0, 10.0


def kl_estimate(logprobs_BT: Tensor, reference_BT: Tensor, estimator: str = "k3") -> Tensor:
    """k1 = -q, abs = |q|, k2 = q^2 / 2, k3 = exp(q) - q - 1, with q = lp_ref - lp clamped to +-20, k3 to +-10.

    "k1+" and "k3+" have that value and k2's gradient, which is the KL's. Source: verl ``kl_penalty`` [A].
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
        return (q_BT.exp() - q_BT - 1).clamp(-_OUTPUT_LIMIT, _OUTPUT_LIMIT)
    raise ValueError(f"estimator {estimator!r} is none of k1, abs, k2, k3, k1+, k3+")


@dataclass(frozen=True)
class Kl:
    """beta * KL(policy || reference). ``state.coefficients["kl"]`` (controller ``adaptive_kl``) overrides beta.

    ``unbiased`` multiplies by the ratio to the old policy (DeepSeek-V3.2, TRL's default). Source: verl, TRL [A].
    """

    name: ClassVar[str] = "kl"
    needs: ClassVar[frozenset[str]] = frozenset({"reference"})
    beta: float = 0.001
    estimator: str = "k3"
    unbiased: bool = False

    def __post_init__(self) -> None:
        kl_estimate(torch.zeros(1), torch.zeros(1), self.estimator)

    def __call__(self, logprobs_BT: Tensor, entropy_BT: Tensor, batch: Batch, state: State) -> Tensor:  # noqa: ARG002 -- every regularizer has this shape
        term_BT = kl_estimate(logprobs_BT, need(batch.reference_logprobs_BT, "reference"), self.estimator)
        if self.unbiased:
            old_BT = logprobs_BT.detach() if batch.old_logprobs_BT is None else batch.old_logprobs_BT
            term_BT = term_BT * (logprobs_BT - old_BT).exp()
        return state.coefficients.get("kl", self.beta) * term_BT
