"""Which rows are trained on.

A filter of level group drops whole groups, which are sampled again; one of level row masks rows.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

from torch import Tensor

from trainer_bridge.batch import Batch, group_count, group_mean, is_constant
from trainer_bridge.errors import RecipeError
from trainer_bridge.rewards import accepted_rows

# A check of the aggregator that several components share


def refuse_normalised_utility(name: str, recipe: Any) -> None:
    """Raise RecipeError where component ``name`` needs a reward, but the aggregator compares within the group."""
    if getattr(recipe.aggregator, "normalises", False):
        raise RecipeError(
            f"{name} reads the utility as a reward, but aggregator {recipe.aggregator.name} says how a sample compares "
            "with its group: use aggregator 'weighted_sum', or leave it out"
        )


# DAPO's dynamic sampling: groups from which nothing can be learnt are dropped


@dataclass(frozen=True)
class ZeroVariance:
    """Keep a group iff its judged utilities differ, by max == min and never by a standard deviation.

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


# Rejection sampling: only good samples are learnt from


@dataclass(frozen=True)
class Accepted:
    """Keep rows that the environment accepts: every declared score and gate was judged and reached its threshold.

    A ``threshold`` asks instead that the utility, before shaping, is at least so much. With advantage
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
