"""Which lines two texts have in common: patience diff, in time n log n.

Lines that stand exactly once in both texts are matched first, in the longest order that both keep; what lies between
two of them is matched in the same way. Where no such line is left, lines count as replaced. The usual algorithms find
a few more common lines among repeated ones, but need quadratic or cubic time for a text that was made for it.
"""

from bisect import bisect_left
from collections.abc import Sequence

_MOST_DEPTH = 12
"""Parts within parts that are looked at; each depth reads every line at most once."""
Run = tuple[int, int, int]
"""(first line before, first line after, how many)."""


def matching_runs(old: Sequence[str], new: Sequence[str]) -> list[Run]:
    """Runs of equal lines, in order."""
    pairs: list[tuple[int, int]] = []
    _match(old, new, (0, len(old), 0, len(new)), _MOST_DEPTH, pairs)
    runs: list[Run] = []
    for i, j in pairs:
        if runs and runs[-1][0] + runs[-1][2] == i and runs[-1][1] + runs[-1][2] == j:
            runs[-1] = (runs[-1][0], runs[-1][1], runs[-1][2] + 1)
        else:
            runs.append((i, j, 1))
    return runs


def _match(
    old: Sequence[str],
    new: Sequence[str],
    part: tuple[int, int, int, int],
    depth: int,
    pairs: list[tuple[int, int]],
) -> None:
    """Append the pairs of equal lines in ``part`` (from, to before; from, to after)."""
    i, old_end, j, new_end = part
    while i < old_end and j < new_end and old[i] == new[j]:
        pairs.append((i, j))
        i, j = i + 1, j + 1
    tail = 0
    while i < old_end - tail and j < new_end - tail and old[old_end - tail - 1] == new[new_end - tail - 1]:
        tail += 1
    inner_old, inner_new = old_end - tail, new_end - tail
    if depth and i < inner_old and j < inner_new:
        anchors = _anchors(old, new, (i, inner_old, j, inner_new))
        if anchors:
            for at_old, at_new in [*anchors, (inner_old, inner_new)]:
                _match(old, new, (i, at_old, j, at_new), depth - 1, pairs)
                if (at_old, at_new) != (inner_old, inner_new):
                    pairs.append((at_old, at_new))
                i, j = at_old + 1, at_new + 1
    pairs += [(inner_old + k, inner_new + k) for k in range(tail)]


def _anchors(old: Sequence[str], new: Sequence[str], part: tuple[int, int, int, int]) -> list[tuple[int, int]]:
    """Lines that stand exactly once on either side, in the longest order that both sides keep."""
    places_old, places_new = _once(old, part[0], part[1]), _once(new, part[2], part[3])
    common = [(at, places_new[line]) for line, at in places_old.items() if line in places_new]
    return _longest_rising(common)


def _once(lines: Sequence[str], start: int, end: int) -> dict[str, int]:
    """Line -> where it stands, for lines that stand once between ``start`` and ``end``, in order."""
    places: dict[str, int] = {}
    again: set[str] = set()
    for at in range(start, end):
        if lines[at] in places:
            again.add(lines[at])
        places[lines[at]] = at
    return {line: at for line, at in places.items() if line not in again}


def _longest_rising(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest subsequence whose second numbers rise (patience sorting); the first ones rise already."""
    tops: list[int] = []
    ends: list[int] = []  # index of the pair that ends the best sequence of each length
    before: list[int] = []
    for index, (_, at) in enumerate(pairs):
        length = bisect_left(tops, at)
        before.append(ends[length - 1] if length else -1)
        tops[length : length + 1] = [at]
        ends[length : length + 1] = [index]
    found = []
    at = ends[-1] if ends else -1
    while at >= 0:
        found.append(pairs[at])
        at = before[at]
    return found[::-1]
