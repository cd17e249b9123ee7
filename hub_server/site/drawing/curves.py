"""Curves over the steps of a run: the reward that matters, the others, gates, and the held-out verifier."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from markupsafe import Markup

from hub_server.site.drawing.labels import PlotLabel, place_labels
from hub_server.site.drawing.markup import line, number, percent, svg, tag
from hub_server.site.drawing.numbers import count, short
from hub_server.site.drawing.ticks import round_ticks

Point = tuple[float, float]
Style = Literal["series-main", "series-other", "series-gate", "held", "plain", "run-1", "run-2", "run-3", "run-4"]
"""The style of a curve: the first score, another reward, a gate, the held-out verifier, a single curve, or one of
several runs.
"""
_FRONT_LAST = ("series-gate", "series-other", "held", "plain", "series-main", "run-4", "run-3", "run-2", "run-1")

_MOST_POINTS = 240
FEWEST_POINTS = 6  # fewer points are shown as a table instead


@dataclass(frozen=True)
class Curve:
    """One line. ``points`` are (step, value), by step; steps without a value are left out."""

    label: str
    points: Sequence[Point]
    style: Style = "plain"


@dataclass(frozen=True)
class Gap:
    """The place where two curves move apart: the area between them is filled from ``since`` on, and a line marks the
    step.
    """

    upper: Curve
    lower: Curve
    since: float
    says: str


@dataclass(frozen=True)
class Frame:
    """The ranges of a plot: steps across, values up. ``marks``: the values with a hairline, from low to high."""

    start: float
    end: float
    low: float
    high: float
    marks: Sequence[float] = ()

    def x(self, step: float) -> float:
        """Per cent from the left."""
        return 100 * (step - self.start) / ((self.end - self.start) or 1)

    def y(self, value: float) -> float:
        """Per cent from the top."""
        return 100 * (self.high - value) / ((self.high - self.low) or 1)


def thinned(points: Sequence[Point]) -> tuple[list[Point], int]:
    """At most 240 points, each the mean of ``width`` neighbours, and that width (1: nothing was averaged)."""
    width = -(-len(points) // _MOST_POINTS) if points else 1
    if width <= 1:
        return list(points), 1
    groups = [points[at : at + width] for at in range(0, len(points), width)]
    means = [(sum(x for x, _ in g) / len(g), sum(y for _, y in g) / len(g)) for g in groups]
    return means, width


def frame_of(curves: Sequence[Curve], bounds: tuple[float, float] | None = None) -> Frame:
    """Ranges that hold every curve, ``bounds`` included where the scale has natural ends (0 to 1)."""
    steps = [x for curve in curves for x, _ in curve.points]
    values = [y for curve in curves for _, y in curve.points]
    low, high = (min(values), max(values)) if bounds is None else (min(*values, bounds[0]), max(*values, bounds[1]))
    marks = round_ticks(low, high)
    return Frame(min(steps), max(steps), marks[0], marks[-1], marks)


def plot(curves: Sequence[Curve], label: str, *, bounds: tuple[float, float] | None = None, gap: Gap | None = None,
         tall: bool = False) -> Markup:  # fmt: skip
    """Curves on hairlines with their names at the lines, and the axis of steps below. ``label`` says the finding."""
    curves = [Curve(curve.label, thinned(curve.points)[0], curve.style) for curve in curves if curve.points]
    frame = frame_of(curves, bounds)
    behind_first = sorted(curves, key=lambda curve: _FRONT_LAST.index(curve.style))
    lines = [_path(curve, frame) for curve in behind_first]
    filled = [_gap_area(gap, frame)] if gap else []
    inner = tag(
        "svg", *filled, *lines, width="100%", height="100%", viewBox="0 0 1000 1000", preserveAspectRatio="none"
    )
    drawn = svg(
        *_grid(frame),
        inner,
        *(_gap_mark(gap, frame) if gap else []),
        *_names(curves, frame, tall),
        label=label,
        class_="plot tall" if tall else "plot",
    )
    return drawn + step_axis(frame.start, frame.end)


def _path(curve: Curve, frame: Frame) -> Markup:
    class_ = "plot-line" if curve.style == "plain" else f"plot-line {curve.style}"
    return tag("path", class_=class_, d=_trace(curve.points, frame))


def _trace(points: Sequence[Point], frame: Frame) -> str:
    """Points as an SVG path on a square of 1000."""
    steps = [f"{number(10 * frame.x(x))} {number(10 * frame.y(y))}" for x, y in points]
    return "M" + " L".join(steps)


def _gap_area(gap: Gap, frame: Frame) -> Markup:
    """Copper between the two curves, from the step of the alarm on."""
    upper = [point for point in thinned(gap.upper.points)[0] if point[0] >= gap.since]
    lower = [point for point in thinned(gap.lower.points)[0] if point[0] >= gap.since]
    return tag("path", class_="plot-gap", d=_trace([*upper, *reversed(lower)], frame) + " Z")


def _gap_mark(gap: Gap, frame: Frame) -> list[Markup]:
    at = frame.x(gap.since)
    class_, shift = (
        ("plot-label held end", -6) if at > 40 else ("plot-label held", 6)
    )  # the words stand on the side with room
    words = tag("text", gap.says, class_=class_, x=percent(at), dx=shift, y="94%")
    return [line("plot-mark", percent(at), percent(at), 0, "100%"), words]


def _grid(frame: Frame) -> list[Markup]:
    drawn = []
    for value in frame.marks:  # round ticks of the wider range may be others, and lie outside of it
        y = percent(frame.y(value))
        drawn.append(line("plot-base" if y == "100%" else "plot-grid", 0, "100%", y, y))
        drawn.append(tag("text", short(value), class_="plot-text end", x=0, dx=-8, y=y, dy=4))
    return drawn


def _names(curves: Sequence[Curve], frame: Frame, tall: bool) -> list[Markup]:
    """Each curve's name beside it, where it covers least."""
    traced = [[(frame.x(x), frame.y(y)) for x, y in curve.points] for curve in curves]
    height = 336 if tall else 208
    placed = place_labels([curve.label for curve in curves], traced, height)
    return [_name(curve.style, label) for curve, label in zip(curves, placed, strict=True)]


def _name(style: str, label: PlotLabel) -> Markup:
    class_ = " ".join(part for part in ("plot-label", "" if style == "plain" else style, label.anchor) if part)
    return tag("text", label.text, class_=class_, x=percent(label.x), y=percent(label.y), dy=label.dy)


def step_axis(start: float, end: float) -> Markup:
    """Four or five round steps under a plot."""
    marks = [mark for mark in round_ticks(start, end) if start <= mark <= end and float(mark).is_integer()]
    frame = Frame(start, end, 0, 1)
    texts = []
    for mark in marks:
        at = frame.x(mark)
        anchor = "" if at < 3 else " end" if at > 97 else " middle"
        texts.append(tag("text", count(int(mark)), class_=f"plot-text{anchor}", x=percent(at), y=12))
    return svg(*texts, class_="xax", height=16)


def sampled(curves: Sequence[Curve], rows: int = 10) -> list[tuple[float, list[float | None]]]:
    """About ``rows`` steps with every curve's value there, for the table beside a plot."""
    steps = sorted({x for curve in curves for x, _ in curve.points})
    if not steps:
        return []
    stride = max(1, (len(steps) - 1) // max(1, rows - 1))
    chosen = sorted({*steps[::stride], steps[-1]})
    values = [dict(curve.points) for curve in curves]
    return [(step, [value.get(step) for value in values]) for step in chosen]
