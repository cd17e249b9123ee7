"""The hero plot: one calliper large, with grade bands, words and counts; it explains why a grade is what it is."""

from markupsafe import Markup

from hub_server.site.drawing.calliper import draw_side, words
from hub_server.site.drawing.markup import line, percent, svg, tag
from hub_server.site.drawing.numbers import count, rate
from hub_server.site.drawing.scale import BANDS, Direction, Side, across, sides
from schemas.evidence.rates import Grade, Measurement

HEIGHT = 176
_MIDDLE = 84


def hero_plot(measurement: Measurement | None, grade: Grade) -> Markup:
    """The large calliper. The band that holds the larger bound's grade is marked on its side."""
    left, right = sides(measurement)
    said = f"Grade {grade}" if grade is not Grade.UNMEASURED else "Not graded"
    bracket = (58.0, 110.0, 9)
    return svg(
        *_bands(grade, left if left.rate.high >= right.rate.high else right),
        *_axis_text(),
        line("calliper-leader", "0%", "100%", _MIDDLE, _MIDDLE),
        draw_side(left, across, _MIDDLE, bracket, dot=6),
        draw_side(right, across, _MIDDLE, bracket, dot=6),
        line("calliper-zero", "50%", "50%", 38, 128),
        *_caption(left),
        *_caption(right),
        label=f"{words(left)}; {words(right)}. {said}",
        class_="big",
        height=HEIGHT,
    )


def _bands(grade: Grade, wider: Side) -> list[Markup]:
    """Grade bands mirrored on both sides of zero."""
    drawn = []
    inner = 0.0
    for index, (letter, outer) in enumerate(BANDS):
        for side in ("left", "right"):
            near, far = across(inner, side), across(outer, side)
            reached = " reached" if letter == grade and side == wider.direction and wider.is_measured else ""
            drawn.append(
                tag(
                    "rect",
                    class_="calliper-band" if index % 2 else "calliper-band odd",
                    x=percent(min(near, far)),
                    y=44,
                    width=percent(abs(far - near)),
                    height=80,
                )
            )
            drawn.append(
                tag("text", str(letter), class_=f"calliper-grade{reached}", x=percent((near + far) / 2), y=143)
            )
        inner = outer
    return drawn


def _axis_text() -> list[Markup]:
    """The limits of the bands, in per cent."""
    both: tuple[Direction, Direction] = ("left", "right")
    marks = [
        tag("text", f"{limit * 100:.0f}", class_="calliper-text", x=percent(across(limit, side)), y=164)
        for _, limit in BANDS[:-1]
        for side in both
    ]
    return [
        *marks,
        tag("text", "0\u202f%", class_="calliper-text", x="50%", y=164),
        tag("text", "100", class_="calliper-text start", x="0%", y=164),
        tag("text", "100", class_="calliper-text end", x="100%", y=164),
    ]


def _caption(side: Side) -> tuple[Markup, Markup]:
    """What a side means and its count, above the bands."""
    start = side.direction == "left"
    x, end = ("0%", "") if start else ("100%", " end")
    wide = tag("tspan", " answers", class_="wide")
    name = "Rejects right" if start else "Accepts wrong"
    if side.is_measured and side.rate.value is not None:
        counted = f"{count(side.wrong)} of {count(side.cases)}: {rate(side.rate.value)}"
    else:
        counted = "no cases"
    return (
        tag("text", name, wide, class_=f"calliper-label {side.suffix}{end}", x=x, y=14),
        tag("text", counted, class_="calliper-text start" if start else "calliper-text end", x=x, y=32),
    )
