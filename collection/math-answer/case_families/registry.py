"""Families of generated cases: one function a class of notation, seeded, with labels that arithmetic makes certain."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from random import Random


@dataclass(frozen=True)
class Row:
    """A gold answer, responses that mean it and responses that do not."""

    gold: str
    right: list[str]
    wrong: list[str]


@dataclass(frozen=True)
class CaseFamily:
    """``wraps``: responses are formulas, so that they may stand in a box or a sentence too."""

    name: str
    make: Callable[[Random], Row]
    wraps: bool

    @property
    def is_held_out(self) -> bool:
        """A coin thrown by the name alone: half of the families were not looked at while the checker was mended."""
        return hashlib.sha256(self.name.encode()).digest()[0] % 2 == 1

    @property
    def half(self) -> str:
        """The tag of its cases."""
        if self.make.__module__.endswith("unseen"):
            return "last-round"
        return "held-out" if self.is_held_out else "developed-on"


FAMILIES: dict[str, CaseFamily] = {}


def family(name: str, *, wraps: bool = True) -> Callable[[Callable[[Random], Row]], Callable[[Random], Row]]:
    """Registers a maker of rows."""

    def register(make: Callable[[Random], Row]) -> Callable[[Random], Row]:
        FAMILIES[name] = CaseFamily(name, make, wraps)
        return make

    return register


def fill(template: str, **values: object) -> str:
    """``template`` with every ``@name`` replaced, so that LaTeX keeps its braces single."""
    for name in sorted(values, key=len, reverse=True):
        template = template.replace(f"@{name}", str(values[name]))
    return template


def fill_all(templates: list[str], **values: object) -> list[str]:
    """Each template filled."""
    return [fill(template, **values) for template in templates]


_WRAPPINGS = ("{}", "{}", "{}", "$\\boxed{{{}}}$", "So the answer is ${}$.", "Hence we get \\[{}\\]", "#### {}")


def wrapped(response: str, random: Random) -> str:
    """A formula as it may stand in a response: bare, boxed, in a sentence, on a last line."""
    if "$" in response or "\n" in response or "\\boxed" in response:
        return response
    return random.choice(_WRAPPINGS).format(response)
