"""Rewards in strict order of importance."""

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from trainer_bridge.batch import Batch
from trainer_bridge.errors import RecipeError


@dataclass(frozen=True)
class Lexicographic:
    """u ranks rows of the batch by the first reward, ties by the second, and so on; u in [0, 1].

    ``order`` names the rewards, most important first (default: by falling declared weight). Values closer than
    ``tolerance`` count as equal. u is the share of distinct vectors that a row's vector beats, so equal vectors get
    equal utility. A row with an unjudged ordered reward is NaN. Source: own, in the spirit of lexicographic RL [D].
    """

    name: ClassVar[str] = "lexicographic"
    order: tuple[str, ...] = ()
    tolerance: float = 1e-6

    def __call__(self, batch: Batch) -> Tensor:
        columns = [batch.space.names.index(name) for name in self._ordered(batch)]
        ordered_BK = (batch.rewards_BK[:, columns] / self.tolerance).round()
        judged_B = ~ordered_BK.isnan().any(-1)
        utility_B = torch.full((len(judged_B),), float("nan"), dtype=torch.float64, device=judged_B.device)
        distinct, place = torch.unique(ordered_BK[judged_B], dim=0, return_inverse=True)
        utility_B[judged_B] = place.double() / max(len(distinct) - 1, 1)
        return utility_B

    def _ordered(self, batch: Batch) -> tuple[str, ...]:
        unknown = [name for name in self.order if name not in batch.space.names]
        if unknown:
            raise RecipeError(
                f"lexicographic.order names {unknown[0]!r}; the rewards are {', '.join(batch.space.names)}"
            )
        if self.order:
            return self.order
        weights = dict(zip(batch.space.names, batch.space.weights_K().tolist(), strict=True))
        return tuple(sorted((name for name in weights if weights[name]), key=lambda name: -weights[name]))
