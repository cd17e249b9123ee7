"""Small one-line drawings: latency, where a step's time goes, scores with intervals, a benchmark's tasks."""

import math
from collections.abc import Callable, Sequence

from markupsafe import Markup

from hub_server.site.drawing.markup import line, percent, svg, tag
from hub_server.site.drawing.numbers import count, figure, milliseconds, seconds, short
from schemas.evidence.audit import Latency


def latency_strip(latency: Latency, limit_ms: float) -> Markup:
    """p50, p95 and p99 on a log axis from 1 ms (or less) that ends at the declared limit."""
    points = [(name, getattr(latency, name)) for name in ("p50", "p95", "p99")]
    measured = [(name, value) for name, value in points if value is not None]
    first = math.floor(math.log10(max(min([value for _, value in measured] + [1.0]), 0.01)))
    last = math.log10(max([limit_ms] + [value for _, value in measured]))

    def at(value: float) -> float:
        return 100 * (math.log10(max(value, 10.0**first)) - first) / ((last - first) or 1)

    decades = [10.0**power for power in range(first, math.ceil(last)) if at(10.0**power) < 90]
    ticks = [
        part
        for value in decades
        for part in (
            line("plot-base", percent(at(value)), percent(at(value)), 30, 35),
            tag(
                "text",
                short(value),
                class_="plot-text middle" if at(value) > 2 else "plot-text",
                x=percent(at(value)),
                y=50,
            ),
        )
    ]
    words = ", ".join(f"{name} {milliseconds(value)}" for name, value in measured)
    return svg(
        line("plot-base", 0, "100%", 30, 30),
        *ticks,
        line("plot-base", "100%", "100%", 16, 35),
        tag("text", f"limit {milliseconds(limit_ms)}", class_="plot-text end", x="100%", y=50),
        *_quantiles(measured, at),
        label=f"Latency: {words}, limit {milliseconds(limit_ms)}",
        class_="plot",
        height=58,
    )


def _quantiles(measured: Sequence[tuple[str, float]], at: Callable[[float], float]) -> list[Markup]:
    """The bar from half of p50 to p95 and a flag for each quantile; flags that would touch move to a second row."""
    drawn: list[Markup] = []
    by_name = dict(measured)
    if "p50" in by_name and "p95" in by_name:
        start, end = at(by_name["p50"]), at(by_name["p95"])
        drawn.append(
            tag("rect", class_="shade-2", x=percent(start), y=26, width=percent(max(end - start, 0.4)), height=8)
        )
    before = -100.0
    for name, value in measured:
        x = at(value)
        text_x = max(x, before + 14)
        anchor = "start" if text_x < 6 else "end" if text_x > 94 else "middle"
        drawn.append(line("plot-base", percent(x), percent(x), 18, 42 if name == "p50" else 30))
        drawn.append(
            tag(
                "text",
                f"{name} {short(value)}",
                class_="plot-label",
                x=percent(min(text_x, 100)),
                y=12,
                text_anchor=anchor,
            )
        )
        before = text_x
    return drawn


def time_bar(parts: Sequence[tuple[str, float, str]]) -> Markup:
    """One bar of a step: (what, seconds, class). Time in which the GPU waited has the class ``shade-waiting``."""
    total = sum(length for _, length, _ in parts) or 1.0
    drawn, x = [], 0.0
    for _, length, class_ in parts:
        width = 100 * length / total
        drawn.append(tag("rect", class_=class_, x=percent(x), y=0, width=percent(max(width - 0.25, 0.1)), height=28))
        x += width
    words = ", ".join(f"{what} {seconds(length)}" for what, length, _ in parts)
    return svg(*drawn, label=words, class_="plot", height=28)


def key_square(class_: str) -> Markup:
    """The square beside a word in a key."""
    return svg(tag("rect", class_=class_, width=12, height=12), viewBox="0 0 12 12")


def score_bracket(scores: Sequence[tuple[str, float, float, float]], low: float = 0.0, high: float = 1.0) -> Markup:
    """Scores as bracketed intervals on one rail: (name, lower end, mean, upper end), each within low..high."""
    span = (high - low) or 1.0

    def at(value: float) -> float:
        return 100 * (min(max(value, low), high) - low) / span

    drawn = [line("calliper-axis", "0%", "100%", 13, 13)]
    for index, (_, lower, mean, upper) in enumerate(scores):
        left, right = at(lower), at(upper)
        dot = "role-score" if index == len(scores) - 1 else "share-none"
        drawn += [
            line("mean-bar", percent(left), percent(right), 13, 13),
            tag("svg", tag("path", class_="interval-bracket", d="M4 5 H0 V21 H4"), x=percent(left)),
            tag("svg", tag("path", class_="interval-bracket", d="M-4 5 H0 V21 H-4"), x=percent(right)),
            tag("circle", class_=dot, cx=percent(at(mean)), cy=13, r=3),
        ]
    words = "; ".join(f"{name} {figure(mean)}, 95 % interval {figure(a)} to {figure(b)}" for name, a, mean, b in scores)
    return svg(*drawn, label=words, class_="strip", height=26)


def hardness_strip(pass_rates: Sequence[float]) -> Markup:
    """Tasks by falling pass rate: grey where every model passes, short bars where none does, green between."""
    rates = sorted(pass_rates, reverse=True)
    width = 100 / max(1, len(rates))
    bars = []
    for index, share in enumerate(rates):
        class_ = "share-all" if share >= 1 else "share-none" if share <= 0 else "share-some"
        high = max(34 * share, 2.0)
        bars.append(
            tag("rect", class_=class_, x=percent(index * width), y=34 - high, width=percent(width * 0.72), height=high)
        )
    every, none = sum(share >= 1 for share in rates), sum(share <= 0 for share in rates)
    label = f"Tasks by pass rate: {every} of {len(rates)} solved by every model, {none} by none"
    return svg(*bars, label=label, class_="strip", height=34)


def diversity_strip(effective: float, total: int) -> Markup:
    """How many different tasks a set counts as, as a share of the rail."""
    share = min(effective / total, 1.0) if total else 0.0
    return svg(
        tag("rect", class_="reward-rail", x=0, y=24, width="100%", height=10),
        tag("rect", class_="reward-fill score", x=0, y=24, width=percent(100 * share), height=10),
        label=f"Counts as {count(round(effective))} different tasks of {count(total)}",
        class_="strip",
        height=34,
    )
