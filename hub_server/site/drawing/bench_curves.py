"""Curves of a benchmark: pass@k, and how fast a subset comes near the whole."""

import math
from collections.abc import Sequence

from markupsafe import Markup

from hub_server.site.drawing.bench_axes import Point, Scale, below, rows, stretched, trace
from hub_server.site.drawing.labels import place_labels
from hub_server.site.drawing.markup import line, percent, svg, tag
from hub_server.site.drawing.numbers import count, per_cent, rate
from hub_server.site.drawing.ticks import round_ticks
from schemas.benchmark import PassCurve, SubsetReport

_SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)
MOST_CURVES = 6


def chosen_curves(curves: Sequence[PassCurve]) -> list[PassCurve]:
    """At most six, spread from the best to the worst at their last point."""
    ordered = sorted(curves, key=lambda curve: -curve.points[-1].rate.value)
    if len(ordered) <= MOST_CURVES:
        return ordered
    return [ordered[round(place * (len(ordered) - 1) / (MOST_CURVES - 1))] for place in range(MOST_CURVES)]


def pass_plot(curves: Sequence[PassCurve]) -> Markup:
    """pass@k of each curve with its interval as a band; numbered in their order; k doubles from mark to mark."""
    most = max(point.k for curve in curves for point in curve.points)
    across, up = Scale(0.0, math.log2(most) or 1.0), Scale(0.0, 1.0)
    bands: list[Markup] = []
    lines: list[Markup] = []
    traced: list[list[Point]] = []
    for place, curve in enumerate(curves):
        xs = [across.at(math.log2(point.k)) for point in curve.points]
        middle = [(x, 100 - up.at(point.rate.value)) for x, point in zip(xs, curve.points, strict=True)]
        high = [(x, 100 - up.at(point.rate.high)) for x, point in zip(xs, curve.points, strict=True)]
        low = [(x, 100 - up.at(point.rate.low)) for x, point in zip(xs, curve.points, strict=True)]
        bands.append(tag("path", class_="bench-band", d=trace([*high, *reversed(low)]) + " Z"))
        lines.append(
            tag("path", class_="plot-line series-main" if place == 0 else "plot-line series-other", d=trace(middle))
        )
        traced.append(middle)
    labels = place_labels([str(place) for place in range(1, len(curves) + 1)], traced, 336)
    words = [
        tag(
            "text",
            one.text,
            class_=f"plot-label end {'series-other' if place else 'series-main'}",
            x=percent(one.x),
            y=percent(one.y),
            dy=one.dy,
        )
        for place, one in enumerate(labels)
    ]
    best = curves[0]
    label = (
        f"pass@k: {best.model} under {best.harness} rises from {rate(best.points[0].rate.value)} with one try to "
        f"{rate(best.points[-1].rate.value)} with {best.points[-1].k}"
    )
    picture = svg(
        *rows(up, _SHARES, [f"{per_cent(share)}" for share in _SHARES]),
        stretched(*bands, *reversed(lines)),
        *words,
        label=label,
        class_="plot tall",
    )
    ks = [2**power for power in range(int(math.log2(most)) + 1)]
    return picture + below([(across.at(math.log2(k)), str(k)) for k in ks], "tries (k)")


def subset_plot(subset: SubsetReport) -> Markup:
    """Worst error of growing subsets (log scale across): for the entries that chose them, and for those left out."""
    most = max(point.size for point in subset.curve)
    across = Scale(0.0, math.log10(most) or 1.0)
    errors = [point.worst_error for point in subset.curve]
    held = [point.held_out_error for point in subset.curve if point.held_out_error is not None]
    ticks = round_ticks(0.0, min(max([*errors, *held]), 0.5))
    up = Scale(0.0, ticks[-1])
    chosen = [(across.at(math.log10(p.size)), 100 - up.at(p.worst_error)) for p in subset.curve]
    left_out = [
        (across.at(math.log10(p.size)), 100 - up.at(p.held_out_error))
        for p in subset.curve
        if p.held_out_error is not None
    ]
    curves = [("entries that chose it", "series-main", chosen), ("entries left out", "held", left_out)]
    kept = [curve for curve in curves if curve[2]]
    placed = place_labels([name for name, _, _ in kept], [points for _, _, points in kept], 208)
    goal = percent(100 - up.at(subset.tolerance))
    label = f"{count(len(subset.tasks))} of {count(subset.task_count)} tasks rebuild every entry's total within "
    label += f"{rate(subset.tolerance)}"
    if held:
        label += f"; entries left out of the choice are off by up to {rate(held[-1])}"
    picture = svg(
        *rows(up, ticks, [per_cent(tick) for tick in ticks]),
        stretched(*[tag("path", class_=f"plot-line {style}", d=trace(points)) for _, style, points in kept]),
        line("plot-ceiling", 0, "100%", goal, goal),
        *[
            tag(
                "text",
                one.text,
                class_=f"plot-label {style} {one.anchor}",
                x=percent(one.x),
                y=percent(one.y),
                dy=one.dy,
            )
            for one, (_, style, _) in zip(placed, kept, strict=True)
        ],
        label=label,
        class_="plot",
    )
    sizes = [size for power in range(5) for size in (10**power, 3 * 10**power) if size <= most]
    return picture + below([(across.at(math.log10(size)), count(size)) for size in sizes], "tasks in the subset")
