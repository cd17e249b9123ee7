"""Reductions turn per-token losses into one number: each returns weights_BT, and the loss is their weighted sum."""

from dataclasses import dataclass, replace
from typing import ClassVar, Self

from torch import Tensor

from trainer_bridge.components.contract import Positive, RunFacts

# Counts over the whole batch: with them the loss does not depend on how the batch is cut into micro-batches


@dataclass(frozen=True)
class Counts:
    """``tokens``: all trained-on tokens; ``rows``: rows that have any. Over the whole batch of one update."""

    tokens: int
    rows: int

    @classmethod
    def of(cls, mask_BT: Tensor) -> Self:
        """Count a batch's mask."""
        return cls(int(mask_BT.sum()), int(mask_BT.any(-1).sum()))


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
    """mean over non-empty rows of sum_t L m, divided by ``horizon``.

    ``horizon`` is a constant, by default the run's ``max_completion_length`` (Dr. GRPO, arXiv 2503.20783, and TRL);
    verl's default, the padded width of the batch, varies. 1 leaves the sum. Source: verl ``agg_loss`` [A].
    """

    name: ClassVar[str] = "seq_mean_token_sum"
    horizon: Positive | None = None

    def for_run(self, facts: RunFacts) -> "SeqMeanTokenSum":
        return self if self.horizon else replace(self, horizon=float(facts.max_completion_length))

    def __call__(self, mask_BT: Tensor, counts: Counts) -> Tensor:
        if self.horizon is None:
            raise RuntimeError("seq_mean_token_sum was not given the run's length")
        return mask_BT.double() / (max(counts.rows, 1) * self.horizon)


# The original GRPO's reduction: mean within a row, mean over rows


@dataclass(frozen=True)
class SeqMeanTokenMean:
    """mean over non-empty rows of sum_t L m / T_i. Favours short right and long wrong answers (Dr. GRPO's critique).

    Source: arXiv 2402.03300, verl ``agg_loss`` [A].
    """

    name: ClassVar[str] = "seq_mean_token_mean"

    def __call__(self, mask_BT: Tensor, counts: Counts) -> Tensor:
        length_B1 = mask_BT.sum(-1, keepdim=True).clamp(min=1)
        return mask_BT.double() / (length_B1 * max(counts.rows, 1))
