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


# Tasks that are sometimes solved come more often


@dataclass(frozen=True)
class Curriculum:
    """Draw tasks with weight exp(-(rate - target)^2 / (2 width^2)) + floor, anew for every draw of a step's tasks.

    ``rate`` is a task's pass rate when it was last tried, ``unseen`` before. The default target is .3, because a low
    but non-zero pass rate teaches most. A task with rate 0 or 1 is still drawn, but rarely. On a generator it draws
    from the first block of tasks. Own choice, in the spirit of difficulty sampling [D].
    """

    name: ClassVar[str] = "curriculum"
    plans_anew: ClassVar[bool] = True
    target: Share = 0.3
    unseen: Share = 0.5
    width: Positive = 0.15
    floor: Positive = 0.02

    def order(self, keys: Sequence[str], pass_rates: Mapping[str, float], seed: str) -> list[int]:
        """Indices of ``keys``, drawn by weight without putting back (Efraimidis and Spirakis 2006)."""
        draw = random.Random(seed)  # noqa: S311 -- no secret

        def place(index: int) -> float:
            away = pass_rates.get(keys[index], self.unseen) - self.target
            weight = math.exp(-(away**2) / (2 * self.width**2)) + self.floor
            return math.log(1.0 - draw.random()) / weight

        return sorted(range(len(keys)), key=place, reverse=True)
