"""A learning curve's plot: one panel a metric, one thin line a seed, a thick one for the mean of a variant's seeds."""

from collections.abc import Mapping, Sequence
from typing import Any
from xml.sax.saxutils import escape

COLOURS = ("#1f6feb", "#c2410c", "#15803d", "#7c3aed")
WIDTH, HEIGHT, LEFT, TOP, GAP = 260, 150, 46, 34, 60
Line = Sequence[float | None]


def plot(report: Mapping[str, Any]) -> str:
    """The SVG of a report of ``scripts/curves``: a function of its numbers alone."""
    names = list(report["runs"][0]["series"])
    variants = list(dict.fromkeys(run["variant"] for run in report["runs"]))
    total = LEFT + len(names) * WIDTH + (len(names) - 1) * GAP + 14
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {total} {TOP + HEIGHT + 58}" font-size="11">',
        "<style>text { font-family: sans-serif }</style>",
        '<rect width="100%" height="100%" fill="white"/>',
    ]
    for number, name in enumerate(names):
        parts += panel(report["runs"], name, variants, LEFT + number * (WIDTH + GAP))
    for place, variant in enumerate(variants if len(variants) > 1 else ()):
        x, y = LEFT + place * 150, TOP + HEIGHT + 46
        parts.append(
            f'<line x1="{x}" y1="{y - 4}" x2="{x + 18}" y2="{y - 4}" stroke="{COLOURS[place]}" stroke-width="2.5"/>'
        )
        parts.append(f'<text x="{x + 24}" y="{y}">{escape(variant)}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"


def panel(runs: Sequence[Mapping[str, Any]], name: str, variants: Sequence[str], left: float) -> list[str]:
    """One metric: its axes and lines."""
    values = [value for run in runs for value in run["series"][name] if value is not None] or [0.0]
    low, high = min(0.0, *values), max(values)
    high = high if high > low else low + 1.0
    last = max(run["steps"][-1] for run in runs)

    def points(steps: Sequence[int], line: Line) -> str:
        return " ".join(
            f"{left + WIDTH * (step - 1) / max(last - 1, 1):.1f},{TOP + HEIGHT * (high - value) / (high - low):.1f}"
            for step, value in zip(steps, line, strict=True)
            if value is not None
        )

    bottom = TOP + HEIGHT
    parts = [
        f'<text x="{left}" y="{TOP - 12}" font-weight="bold">{escape(name)}</text>',
        f'<path d="M{left},{TOP} V{bottom} H{left + WIDTH}" fill="none" stroke="#888"/>',
        f'<text x="{left - 5}" y="{TOP + 4}" text-anchor="end">{high:.3g}</text>',
        f'<text x="{left - 5}" y="{bottom}" text-anchor="end">{low:.3g}</text>',
        f'<text x="{left}" y="{bottom + 15}">step 1</text>',
        f'<text x="{left + WIDTH}" y="{bottom + 15}" text-anchor="end">{last}</text>',
    ]
    for variant, colour in zip(variants, COLOURS, strict=False):
        own = [run for run in runs if run["variant"] == variant]
        for run in own:
            path = points(run["steps"], run["series"][name])
            parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-opacity="0.35"/>')
        steps, line = mean(own, name)
        parts.append(f'<polyline points="{points(steps, line)}" fill="none" stroke="{colour}" stroke-width="2.5"/>')
    return parts


def mean(runs: Sequence[Mapping[str, Any]], name: str) -> tuple[list[int], list[float]]:
    """The mean over the runs at each step that every one of them has a value for."""
    found = [
        {step: value for step, value in zip(run["steps"], run["series"][name], strict=True) if value is not None}
        for run in runs
    ]
    shared = sorted(set.intersection(*(set(one) for one in found)))
    return shared, [sum(one[step] for one in found) / len(found) for step in shared]
