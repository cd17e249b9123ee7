"""DAPO's dynamic sampling: groups from which nothing can be learnt are dropped."""

from dataclasses import dataclass
from typing import ClassVar

from torch import Tensor

from trainer_bridge.batch import Batch
from trainer_bridge.components.groups import group_count, is_constant


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
