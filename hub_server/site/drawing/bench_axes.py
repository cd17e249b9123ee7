"""Axes of a benchmark's drawings: fluid in width, fixed in height, ticks in words below."""

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from hub_server.site.drawing.markup import line, number, percent, svg, tag
from hub_server.site.drawing.numbers import short

Point = tuple[float, float]


@dataclass(frozen=True)
class Scale:
    """A range of values across (or up) a drawing; what lies outside is drawn at its edge."""

    low: float
    high: float

    def at(self, value: float) -> float:
        """Per cent of the way from ``low`` to ``high``."""
        share = (value - self.low) / ((self.high - self.low) or 1.0)
        return 100 * min(max(share, 0.0), 1.0)


def below(marks: Sequence[tuple[float, str]], title: str = "") -> Markup:
    """The axis under a drawing: (per cent, words) marks, and what it measures."""
    texts = [
        tag(
            "text",
            words,
            class_="plot-text" if x < 3 else "plot-text end" if x > 97 else "plot-text middle",
            x=percent(x),
            y=12,
        )
        for x, words in marks
    ]
    named = [tag("text", title, class_="plot-text middle", x="50%", y=28)] if title else []
    return svg(*texts, *named, class_="xax", height=32 if title else 16)


def columns(scale: Scale, values: Sequence[float], height: float) -> list[Markup]:
    """Hairlines up through a drawing at ``values``."""
    return [
        line("plot-grid", percent(scale.at(value)), percent(scale.at(value)), 0, number(height)) for value in values
    ]


def rows(scale: Scale, values: Sequence[float], words: Sequence[str] | None = None) -> list[Markup]:
    """Hairlines across a plot at ``values``, each with its number (or its word) at the left."""
    drawn = []
    for place, value in enumerate(values):
        y = percent(100 - scale.at(value))
        drawn.append(line("plot-base" if y == "100%" else "plot-grid", 0, "100%", y, y))
        drawn.append(
            tag("text", words[place] if words else short(value), class_="plot-text end", x=0, dx=-8, y=y, dy=4)
        )
    return drawn


def stretched(*children: str) -> Markup:
    """An SVG with a view box of 1000 by 1000, stretched to its container; strokes keep their width."""
    return tag("svg", *children, width="100%", height="100%", viewBox="0 0 1000 1000", preserveAspectRatio="none")


def trace(points: Sequence[Point]) -> str:
    """Points in per cent (from left, from top) as a path on a square of 1000."""
    return "M" + " L".join(f"{number(10 * x)} {number(10 * y)}" for x, y in points)


def bracket(
    left: float, right: float, middle: float, value: float, dot: str = "role-score", half: float = 7
) -> list[Markup]:
    """An interval and its mean: bar, two brackets, dot. Places in per cent across, pixels down."""
    top, bottom = number(middle - half), number(middle + half)
    return [
        line("mean-bar", percent(left), percent(right), middle, middle),
        tag("svg", tag("path", class_="interval-bracket", d=f"M4 {top} H0 V{bottom} H4"), x=percent(left)),
        tag("svg", tag("path", class_="interval-bracket", d=f"M-4 {top} H0 V{bottom} H-4"), x=percent(right)),
        tag("circle", class_=dot, cx=percent(value), cy=middle, r=3),
    ]
