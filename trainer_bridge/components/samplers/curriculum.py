"""Tasks that are sometimes solved come first."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True)
class Curriculum:
    """Order by |pass rate - target|, unseen tasks at a pass rate of ``unseen``, ties and a ``noise`` share at random.

    A low but not zero pass rate teaches most: target .3. A task measured at 0 or 1 still returns, last in its epoch.
    Own choice, in the spirit of difficulty sampling [D].
    """

    name: ClassVar[str] = "curriculum"
    target: float = 0.3
    unseen: float = 0.5
    noise: float = 0.1

    def order(self, keys: Sequence[str], pass_rates: Mapping[str, float], seed: str) -> list[int]:
        """Indices of ``keys`` in the order to draw them in this epoch."""
        draw = random.Random(seed)  # noqa: S311 -- no secret

        def distance(index: int) -> float:
            return abs(pass_rates.get(keys[index], self.unseen) - self.target) + self.noise * draw.random()

        return sorted(range(len(keys)), key=distance)
