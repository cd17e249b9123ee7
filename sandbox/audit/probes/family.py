"""A probe family: its name, the required verdict, the rule that makes it certain, and how its cases are made."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random
from typing import Literal

from sandbox.audit.probes.draft import Draft
from sandbox.audit.probes.material import Material

__all__ = ["Draft", "Family"]

CASES = 12
"""Cases of a family, if it says nothing else."""


@dataclass(frozen=True)
class Family:
    """``make`` yields nothing when the label would not be certain for this package."""

    name: str
    expects: Literal["correct", "incorrect"]
    rule: str
    make: Callable[[Material, Random], Iterator[Draft]]
    most: int = CASES
    """Most cases that one audit makes of it."""

    @property
    def group(self) -> str:
        """``leak`` of ``leak_digit``: a manifest may select a whole group."""
        return self.name.split("_")[0]
