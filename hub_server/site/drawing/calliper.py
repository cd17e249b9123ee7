"""The calliper: both rates of a verifier on one axis with zero errors in the middle."""

from collections.abc import Callable
from functools import lru_cache

from markupsafe import Markup

from hub_server.site.drawing.markup import line, number, percent, svg, tag
from hub_server.site.drawing.numbers import count, interval, rate
from hub_server.site.drawing.scale import TICKS, Direction, Side, across, sides, thickness
from schemas.evidence.rates import Measurement

ROW, TIGHT, HEAD = 26, 20, 44
Position = Callable[[float, Direction], float]


def words(side: Side) -> str:
    """One side in words, for screen readers."""
    if not side.is_measured or side.rate.value is None:
        return f"{side.name} not measured"
    ends = interval(side.rate.low, side.rate.high).replace("–", " to ")
    return f"{side.name} {rate(side.rate.value)}, 95 % interval {ends} %, {side.wrong} of {side.cases} cases"


def measured_side(side: Side, position: Position, middle: float, bracket: tuple[float, float, int], dot: int) -> Markup:
    """Bar (interval), bracket (upper end), dot (measured). ``bracket``: top, bottom, length of its arms."""
    top, bottom, arm = bracket
    value = side.rate.value or 0.0
    inner, outer = position(side.rate.low, side.direction), position(side.rate.high, side.direction)
    high = thickness(side.cases)
    reach = arm if side.direction == "left" else -arm
    return Markup("").join(
        (
            tag(
                "rect",
                class_=f"calliper-bar-{side.suffix}",
                x=percent(min(inner, outer)),
                y=middle - high / 2,
                width=percent(abs(outer - inner)),
                height=high,
            ),
            tag(
                "svg",
                tag(
                    "path",
                    class_=f"calliper-bracket-{side.suffix}",
                    d=f"M{reach} {number(top)} H0 V{number(bottom)} H{reach}",
                ),
                x=percent(outer),
            ),
            tag(
                "circle",
                class_=f"calliper-dot-{side.suffix}",
                cx=percent(position(value, side.direction)),
                cy=middle,
                r=dot,
            ),
        )
    )


def open_side(side: Side, position: Position, middle: float, bracket: tuple[float, float, int]) -> Markup:
    """A side that was not measured: a dashed bracket over the whole axis, because the rate may be anything."""
    top, bottom, arm = bracket
    end = percent(position(1.0, side.direction))
    step, reach = (1, arm + 1) if side.direction == "left" else (-1, -arm - 1)
    dashes = f"M{reach} {number(top)} H{step} V{number(bottom)} H{reach}"
    return line("calliper-unmeasured", percent(position(0.0, side.direction)), end, middle, middle) + tag(
        "svg", tag("path", class_="calliper-unmeasured", d=dashes), x=end
    )


def draw_side(side: Side, position: Position, middle: float, bracket: tuple[float, float, int], dot: int = 3) -> Markup:
    """One side, measured or open."""
    if side.is_measured:
        return measured_side(side, position, middle, bracket, dot)
    return open_side(side, position, middle, bracket)


def calliper(measurement: Measurement | None, height: int = ROW) -> Markup:
    """Both rates at ``height`` pixels (``ROW``, ``TIGHT`` or ``HEAD``), as wide as its place."""
    left, right = sides(measurement)
    middle = height / 2
    bracket = (3.0, height - 3.0, 5)
    return svg(
        _scale(height),
        draw_side(left, across, middle, bracket),
        draw_side(right, across, middle, bracket),
        line("calliper-zero", "50%", "50%", 1, height - 1),
        label=f"{words(left)}; {words(right)}",
        height=height,
    )


@lru_cache
def _scale(height: int) -> Markup:
    """What every calliper of a height has: its axis, and the rules and ticks of the shares that are marked."""
    middle = height / 2
    places = [percent(across(share, side)) for share in TICKS for side in ("left", "right")]
    return Markup("").join(
        (
            line("calliper-axis", "0%", "100%", middle, middle),
            *(line("calliper-rule", x, x, -200, 260) for x in places),
            line("calliper-rule zero", "50%", "50%", -200, 260),
            *(line("calliper-tick", x, x, middle - 4, middle + 4) for x in places),
        )
    )


def _figures(side: Side) -> Markup:
    """The numbers beside a calliper: rate, interval, cases; *unknown* where there is none."""
    hidden = tag("span", side.name.capitalize() + " ", class_="visually-hidden")
    side_class = f"rate-figure {side.direction}"
    if not side.is_measured or side.rate.value is None:
        return tag("span", hidden, "unknown", tag("small", "no cases"), class_=f"{side_class} none")
    return tag(
        "span",
        hidden,
        rate(side.rate.value),
        tag("small", interval(side.rate.low, side.rate.high)),
        tag("small", f"{count(side.wrong)} of {count(side.cases)}", class_="case-counts"),
        class_=side_class,
    )


@lru_cache(maxsize=2000)
def gauge(measurement: Measurement | None, height: int = ROW) -> Markup:
    """Number · calliper · number: how a pair of rates is written everywhere.

    Kept, for lists show the same packages again and again: drawing twenty took a seventh of a catalogue page's time.
    """
    left, right = sides(measurement)
    return tag("div", _figures(left), calliper(measurement, height), _figures(right), class_="gauge")


def axis_head() -> Markup:
    """The head of a column of gauges: what each side means, and the axis that all rows share."""
    labels = [
        tag("text", text, class_="calliper-text", x=percent(across(share, side)), y=11)
        for share, text in ((0.01, "1"), (0.10, "10"))
        for side in ("left", "right")
    ]
    ends = [
        tag("text", "100", class_="calliper-text start", x="0%", y=11),
        tag("text", "100", class_="calliper-text end", x="100%", y=11),
    ]
    zero = tag("text", "0", class_="calliper-text", x="50%", y=11)
    head = tag(
        "div", tag("span", "rejects right, FNR\u00a0%"), tag("span", "accepts wrong, FPR\u00a0%"), class_="head2"
    )
    blank = Markup("<span></span>")
    return head + tag("div", blank, svg(*labels, *ends, zero, height=14), blank, class_="gauge")
