"""Reward against entropy, with the law R = b - a e^H and its ceiling b - a."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from hub_server.drawing.curves import Frame, thinned
from hub_server.drawing.markup import line, number, percent, svg, tag
from hub_server.drawing.numbers import figure, short
from hub_server.drawing.ticks import round_ticks

Point = tuple[float, float]


@dataclass(frozen=True)
class EntropyFit:
    """R = ``b`` - ``a`` e^H, least squares over the points of one run (Cui et al. 2025, arXiv 2505.22617)."""

    a: float
    b: float
    explained: float
    """Share of the variance of R that the fit explains, 0 to 1."""

    @property
    def ceiling(self) -> float:
        """What R would be when entropy is spent (H = 0)."""
        return self.b - self.a

    def at(self, entropy: float) -> float:
        """R at ``entropy`` nats."""
        return self.b - self.a * math.exp(entropy)


def fit_entropy(points: Sequence[Point]) -> EntropyFit | None:
    """Fit (entropy in nats, reward) pairs; None with fewer than six, or where either does not vary."""
    if len(points) < 6:
        return None
    xs = [math.exp(entropy) for entropy, _ in points]
    ys = [reward for _, reward in points]
    mean_x, mean_y = sum(xs) / len(xs), sum(ys) / len(ys)
    spread_x = sum((x - mean_x) ** 2 for x in xs)
    spread_y = sum((y - mean_y) ** 2 for y in ys)
    if spread_x < 1e-12 or spread_y < 1e-12:
        return None
    shared = sum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys, strict=True))
    slope = shared / spread_x
    return EntropyFit(a=-slope, b=mean_y - slope * mean_x, explained=shared**2 / (spread_x * spread_y))


def entropy_plot(points: Sequence[Point], fit: EntropyFit, label: str) -> Markup:
    """Dots over falling entropy (time goes right), the fit, a dotted line at the ceiling, one big dot for now."""
    shown, _ = thinned(points)
    marks_y = round_ticks(0.0, max(fit.ceiling, *(y for _, y in shown)))
    most = round_ticks(0.0, max(x for x, _ in shown))[-1]
    frame = Frame(0.0, most, marks_y[0], marks_y[-1])

    def across(entropy: float) -> float:
        return 100 - frame.x(entropy)

    curve = [(most * k / 40, fit.at(most * k / 40)) for k in range(40, -1, -1)]
    inside = [(across(h), frame.y(r)) for h, r in curve if r >= frame.low]
    path = "M" + " L".join(f"{number(10 * x)} {number(10 * y)}" for x, y in inside)
    dots = [tag("circle", class_="p-dot", cx=percent(across(h)), cy=percent(frame.y(r)), r=2.5) for h, r in shown[:-1]]
    now_h, now_r = shown[-1]
    grid = [part for value in marks_y for part in _rule(frame, value)]
    ceiling = percent(frame.y(fit.ceiling))
    drawn = svg(
        *grid,
        tag(
            "svg",
            tag("path", class_="p-line s2", d=path),
            width="100%",
            height="100%",
            viewBox="0 0 1000 1000",
            preserveAspectRatio="none",
        ),
        line("p-ceil", 0, "100%", ceiling, ceiling),
        *dots,
        tag("circle", class_="p-dot now", cx=percent(across(now_h)), cy=percent(frame.y(now_r)), r=5),
        tag(
            "text",
            f"ceiling {figure(fit.ceiling, 2)}, when entropy is spent",
            class_="p-lab",
            x=0,
            y=ceiling,
            dy=16 if frame.y(fit.ceiling) < 12 else -7,
        ),
        tag(
            "text",
            f"now {figure(now_r, 2)}",
            class_="p-lab s1 e",
            x=percent(min(across(now_h), 99)),
            y=percent(frame.y(now_r)),
            dy=26,
        ),
        label=label,
        class_="plot",
    )
    return drawn + svg(
        tag("text", f"{short(most)} nats", class_="p-text", x=0, y=12),
        tag("text", short(most / 2), class_="p-text m", x="50%", y=12),
        tag("text", "0", class_="p-text e", x="100%", y=12),
        class_="xax",
        height=16,
    )


def _rule(frame: Frame, value: float) -> tuple[Markup, Markup]:
    y = percent(frame.y(value))
    return (
        line("p-base" if y == "100%" else "p-grid", 0, "100%", y, y),
        tag("text", short(value), class_="p-text e", x=0, dx=-8, y=y, dy=4),
    )
