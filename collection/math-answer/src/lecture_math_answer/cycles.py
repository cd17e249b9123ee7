"""Permutations in cycle notation: ``(3 4 2)(5 1)`` is ``(1 5)(2 3 4)``, and no product of points."""

import re

_CYCLES = re.compile(r"(?:\(\s*\d{1,2}(?:\s+\d{1,2})+\s*\)\s*)+")
_CYCLE = re.compile(r"\(([^()]*)\)")


def same_cycles(gold: str, response: str) -> bool | None:
    """The verdict where both are products of disjoint cycles, with spaces between their numbers; else None.

    A single pair with a space in it may be a number in two groups or a point, so it takes two cycles or three numbers.
    """
    one, two = _moved(gold), _moved(response)
    if one is None or two is None:
        return None
    return one == two


def _moved(text: str) -> dict[int, int] | None:
    """Number -> the number that it goes to; None where the text is no product of disjoint cycles."""
    text = text.strip().strip("$").strip()
    if not _CYCLES.fullmatch(text):
        return None
    cycles = [[int(number) for number in cycle[1].split()] for cycle in _CYCLE.finditer(text)]
    numbers = [number for cycle in cycles for number in cycle]
    if len(set(numbers)) != len(numbers) or len(numbers) < 3:
        return None
    return {number: cycle[(at + 1) % len(cycle)] for cycle in cycles for at, number in enumerate(cycle)}
