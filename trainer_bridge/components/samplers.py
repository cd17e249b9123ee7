"""Samplers decide the order of the tasks, from the tasks' keys and their pass rates."""

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from trainer_bridge.components.contract import Positive, Share

# Every task equally often


@dataclass(frozen=True)
class Uniform:
    """A fresh permutation of the tasks every epoch, from seed and epoch alone."""

    name: ClassVar[str] = "uniform"
    plans_anew: ClassVar[bool] = False

    def order(self, keys: Sequence[str], pass_rates: Mapping[str, float], seed: str) -> list[int]:  # noqa: ARG002 -- every sampler has this shape
        """Indices of ``keys`` in the order to draw them in this epoch."""
        indices = list(range(len(keys)))
        random.Random(seed).shuffle(indices)  # noqa: S311 -- no secret
        return indices


# Tasks that are sometimes solved are drawn more often


@dataclass(frozen=True)
class Curriculum:
    """Draw tasks with weight exp(-(rate - target)^2 / (2 width^2)) + floor, computed again for each step.

    ``rate`` is a task's latest pass rate, or ``unseen`` if it was not tried. The default target is .3, since a low but
    non-zero pass rate gives the most signal. Tasks with rate 0 or 1 are drawn rarely. With a generator, tasks are drawn
    from the first block. Our own choice, in the spirit of difficulty sampling [D].
    """

    name: ClassVar[str] = "curriculum"
    plans_anew: ClassVar[bool] = True
    target: Share = 0.3
    unseen: Share = 0.5
    width: Positive = 0.15
    floor: Positive = 0.02

    def order(self, keys: Sequence[str], pass_rates: Mapping[str, float], seed: str) -> list[int]:
        """Indices of ``keys``, drawn by weight without replacement (Efraimidis and Spirakis 2006)."""
        draw = random.Random(seed)  # noqa: S311 -- no secret

        def place(index: int) -> float:
            away = pass_rates.get(keys[index], self.unseen) - self.target
            weight = math.exp(-(away**2) / (2 * self.width**2)) + self.floor
            return math.log(1.0 - draw.random()) / weight

        return sorted(range(len(keys)), key=place, reverse=True)
