"""Places the names of curves: next to the curve, covering as little of the drawing as possible."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

# Assumed for placing: a plot this wide, letters this wide, in pixels. Narrower plots only crowd a little.
_WIDTH = 820
_LETTER = 7.6
_LINE = 16
_PLACES = (100.0, 92.0, 80.0, 66.0, 50.0, 34.0, 18.0)


@dataclass(frozen=True)
class PlotLabel:
    """One name: position in per cent of the plot, vertical shift in pixels, ``end`` when it ends at ``x``."""

    text: str
    x: float
    y: float
    dy: int
    anchor: str


@dataclass(frozen=True)
class _Box:
    """What a label covers, in pixels."""

    left: float
    right: float
    top: float
    bottom: float

    def covers(self, x: float, y: float) -> bool:
        return self.left <= x <= self.right and self.top <= y <= self.bottom

    def meets(self, other: "_Box") -> bool:
        return (
            self.left < other.right and other.left < self.right and self.top < other.bottom and other.top < self.bottom
        )


def place_labels(names: Sequence[str], curves: Sequence[Sequence[tuple[float, float]]], height: int) -> list[PlotLabel]:
    """One label a curve. ``curves`` are in per cent of the plot; cheapest of a few places near each line."""
    lines = [[(x / 100 * _WIDTH, y / 100 * height) for x, y in _filled(curve)] for curve in curves]
    taken: list[_Box] = []
    labels = []
    for name, own in zip(names, lines, strict=True):
        best = min(_candidates(name, own), key=lambda option: _cost(option, lines, taken, height))
        box, label = best
        taken.append(box)
        labels.append(PlotLabel(name, label[0] / _WIDTH * 100, label[1] / height * 100, int(label[2]), "end"))
    return labels


def _filled(curve: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """The curve with points at every two per cent, so that long straight pieces are seen."""
    if len(curve) < 2:
        return list(curve)
    dense = []
    for (x0, y0), (x1, y1) in pairwise(curve):
        pieces = max(1, int((x1 - x0) // 2))
        dense += [(x0 + (x1 - x0) * k / pieces, y0 + (y1 - y0) * k / pieces) for k in range(pieces)]
    return [*dense, curve[-1]]


_Option = tuple[_Box, tuple[float, float, float]]


def _candidates(name: str, own: Sequence[tuple[float, float]]) -> list[_Option]:
    """Above and below the line at a few places, as (covered box, anchor point and shift)."""
    width = len(name) * _LETTER
    options: list[_Option] = []
    for percent in _PLACES:
        end = percent / 100 * _WIDTH
        under = [y for x, y in own if end - width <= x <= end] or [min(own, key=lambda point: abs(point[0] - end))[1]]
        if end - width < 0:
            continue
        for edge, shift, top in ((min(under), -7, -7 - 12), (max(under), 17, 5)):
            box = _Box(end - width, end, edge + top, edge + top + _LINE)
            options.append((box, (end, edge, shift)))
    return options or [(_Box(0, width, 0, _LINE), (min(width, _WIDTH), own[-1][1], -7))]


def _cost(option: _Option, lines: Sequence[Sequence[tuple[float, float]]], taken: Sequence[_Box], height: int) -> float:
    """Ink under the label, other labels, leaving the plot, distance from the end of the line."""
    box, (end, _, shift) = option
    ink = sum(box.covers(x, y) for line in lines for x, y in line)
    clash = sum(box.meets(other) for other in taken)
    outside = max(0.0, -4 - box.top) + max(0.0, box.bottom - height + 2)
    return ink * 3 + clash * 60 + outside * 10 + (_WIDTH - end) / 60 + (shift > 0) * 0.5
