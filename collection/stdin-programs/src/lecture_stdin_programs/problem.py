"""What a family draws: a problem with its own numbers and rules."""

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from string import Template

WORDS = "ash bay cob dun elm fig gum hop ivy jay kit log".split()


@dataclass(frozen=True)
class Problem:
    """One problem. ``source`` defines ``solve(data)``, which gives the output for an input; no response sees it.

    ``draw`` makes an input, ``judged_by`` is how outputs are compared (``info.program`` of the task).
    """

    words: str
    source: str
    draw: Callable[[Random], str]
    judged_by: dict = field(default_factory=lambda: {"compare": "tokens"})


def filled(source: str, **numbers: object) -> str:
    """``source`` with ``$NAME`` replaced."""
    return Template(source.strip("\n") + "\n").substitute({name: str(value) for name, value in numbers.items()})


def in_line(numbers: list) -> str:
    return " ".join(map(str, numbers)) + "\n"
