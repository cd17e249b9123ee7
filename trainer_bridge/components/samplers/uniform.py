"""Every task equally often."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True)
class Uniform:
    """A fresh permutation of the tasks every epoch, from seed and epoch alone."""

    name: ClassVar[str] = "uniform"

    def order(self, keys: Sequence[str], pass_rates: Mapping[str, float], seed: str) -> list[int]:  # noqa: ARG002 -- every sampler has this shape
        """Indices of ``keys`` in the order to draw them in this epoch."""
        indices = list(range(len(keys)))
        random.Random(seed).shuffle(indices)  # noqa: S311 -- no secret
        return indices
