"""Reward against entropy, with the law R = b - a e^H and its ceiling b - a."""

from collections.abc import Sequence

from markupsafe import Markup

from hub_server.site.drawing.curves import Frame, thinned
from hub_server.site.drawing.markup import line, number, percent, svg, tag
from hub_server.site.drawing.numbers import figure, short
from hub_server.site.drawing.ticks import round_ticks
from schemas.measures.entropy_law import EntropyLaw

Point = tuple[float, float]


def entropy_plot(points: Sequence[Point], fit: EntropyLaw, label: str, most_reward: float) -> Markup:
    """Dots over falling entropy (time goes right), the fit, a dotted line at the ceiling, one big dot for now.

    The fit is drawn up to ``most_reward``, the end of the reward's range. A fit whose ceiling lies above that range is
    drawn without a ceiling.
    """
    shown, _ = thinned(points)
    top = min(fit.ceiling, most_reward)
    marks_y = round_ticks(0.0, max(top, *(y for _, y in shown)))
    most = round_ticks(0.0, max(x for x, _ in shown))[-1]
    frame = Frame(0.0, most, marks_y[0], marks_y[-1])
    drawn = svg(
        *(part for value in marks_y for part in _rule(frame, value)),
        _curve(frame, fit, most, most_reward),
        *_ceiling(frame, top, is_reached=fit.ceiling <= most_reward),
        *(_dot(frame, point) for point in shown[:-1]),
        *_newest(frame, shown[-1]),
        label=label,
        class_="plot",
    )
    return drawn + svg(
        tag("text", f"{short(most)} nats", class_="plot-text", x=0, y=12),
        tag("text", short(most / 2), class_="plot-text middle", x="50%", y=12),
        tag("text", "0", class_="plot-text end", x="100%", y=12),
        class_="xax",
        height=16,
    )


def _across(frame: Frame, entropy: float) -> float:
    return 100 - frame.x(entropy)


def _curve(frame: Frame, fit: EntropyLaw, most: float, most_reward: float) -> Markup:
    law = [(most * k / 40, fit.at(most * k / 40)) for k in range(40, -1, -1)]
    inside = [(_across(frame, h), frame.y(r)) for h, r in law if frame.low <= r <= most_reward]
    if len(inside) < 2:  # the law lies outside of what is drawn
        return Markup()
    path = "M" + " L".join(f"{number(10 * x)} {number(10 * y)}" for x, y in inside)
    return tag(
        "svg",
        tag("path", class_="plot-line series-other", d=path),
        width="100%",
        height="100%",
        viewBox="0 0 1000 1000",
        preserveAspectRatio="none",
    )


def _ceiling(frame: Frame, top: float, *, is_reached: bool) -> tuple[Markup, Markup]:
    height = percent(frame.y(top))
    said = (
        f"ceiling {figure(top, 2)}, when entropy is spent" if is_reached else f"{figure(top, 2)} is the most there is"
    )
    below = 16 if frame.y(top) < 12 else -7
    return (
        line("plot-ceiling", 0, "100%", height, height),
        tag("text", said, class_="plot-label", x=0, y=height, dy=below),
    )


def _dot(frame: Frame, point: Point, **more: str | float) -> Markup:
    entropy, reward = point
    drawn = {"class_": "plot-dot", "r": 2.5, **more}
    return tag("circle", cx=percent(_across(frame, entropy)), cy=percent(frame.y(reward)), **drawn)


def _newest(frame: Frame, point: Point) -> tuple[Markup, Markup]:
    entropy, reward = point
    words = tag(
        "text",
        f"now {figure(reward, 2)}",
        class_="plot-label series-main end",
        x=percent(min(_across(frame, entropy), 99)),
        y=percent(frame.y(reward)),
        dy=26,
    )
    return _dot(frame, point, class_="plot-dot now", r=5), words


def _rule(frame: Frame, value: float) -> tuple[Markup, Markup]:
    y = percent(frame.y(value))
    return (
        line("plot-base" if y == "100%" else "plot-grid", 0, "100%", y, y),
        tag("text", short(value), class_="plot-text end", x=0, dx=-8, y=y, dy=4),
    )
