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
    has_ceiling = fit.ceiling <= most_reward
    top = min(fit.ceiling, most_reward)
    marks_y = round_ticks(0.0, max(top, *(y for _, y in shown)))
    most = round_ticks(0.0, max(x for x, _ in shown))[-1]
    frame = Frame(0.0, most, marks_y[0], marks_y[-1])

    def across(entropy: float) -> float:
        return 100 - frame.x(entropy)

    curve = [(most * k / 40, fit.at(most * k / 40)) for k in range(40, -1, -1)]
    inside = [(across(h), frame.y(r)) for h, r in curve if frame.low <= r <= most_reward]
    path = "M" + " L".join(f"{number(10 * x)} {number(10 * y)}" for x, y in inside)
    dots = [
        tag("circle", class_="plot-dot", cx=percent(across(h)), cy=percent(frame.y(r)), r=2.5) for h, r in shown[:-1]
    ]
    now_h, now_r = shown[-1]
    grid = [part for value in marks_y for part in _rule(frame, value)]
    ceiling = percent(frame.y(top))
    drawn = svg(
        *grid,
        tag(
            "svg",
            tag("path", class_="plot-line series-other", d=path),
            width="100%",
            height="100%",
            viewBox="0 0 1000 1000",
            preserveAspectRatio="none",
        ),
        line("plot-ceiling", 0, "100%", ceiling, ceiling),
        *dots,
        tag("circle", class_="plot-dot now", cx=percent(across(now_h)), cy=percent(frame.y(now_r)), r=5),
        tag(
            "text",
            f"ceiling {figure(top, 2)}, when entropy is spent"
            if has_ceiling
            else f"{figure(top, 2)} is the most there is",
            class_="plot-label",
            x=0,
            y=ceiling,
            dy=16 if frame.y(top) < 12 else -7,
        ),
        tag(
            "text",
            f"now {figure(now_r, 2)}",
            class_="plot-label series-main end",
            x=percent(min(across(now_h), 99)),
            y=percent(frame.y(now_r)),
            dy=26,
        ),
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


def _rule(frame: Frame, value: float) -> tuple[Markup, Markup]:
    y = percent(frame.y(value))
    return (
        line("plot-base" if y == "100%" else "plot-grid", 0, "100%", y, y),
        tag("text", short(value), class_="plot-text end", x=0, dx=-8, y=y, dy=4),
    )
