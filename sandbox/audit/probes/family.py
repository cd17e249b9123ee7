"""What a probe family is: a name, what must happen, the rule that makes it certain, and how its cases are made."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random
from typing import Any, Literal

from sandbox.audit.probes.material import Material


@dataclass(frozen=True)
class Draft:
    """One generated case before it gets its id. Unsaid fields are absent from the call."""

    task: dict[str, Any]
    response: str | None = None
    files: dict[str, str] | None = None
    messages: list[dict[str, Any]] | None = None
    note: str = ""


@dataclass(frozen=True)
class Family:
    """``make`` yields nothing where the label would not be certain for this package."""

    name: str
    expects: Literal["correct", "incorrect"]
    rule: str
    make: Callable[[Material, Random], Iterator[Draft]]

    @property
    def group(self) -> str:
        """``leak`` of ``leak_digit``: a manifest may select a whole group."""
        return self.name.split("_")[0]
