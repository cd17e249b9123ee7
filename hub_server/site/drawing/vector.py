"""The reward vector: rails for a declaration or a verdict, and a small bracketed one for rows."""

from collections.abc import Mapping

from markupsafe import Markup

from hub_server.site.drawing.markup import line, number, percent, svg, tag
from hub_server.site.drawing.numbers import figure
from schemas.manifest import RewardDeclaration, RewardRole

_UNDECLARED = RewardDeclaration()
_RAIL = {"y": 4, "height": 10}


def share_of_range(declared: RewardDeclaration, value: float) -> float:
    """Where ``value`` lies within the declared range, clamped to 0..1."""
    low, high = declared.range
    return min(max((value - low) / (high - low), 0.0), 1.0)


def role_mark(role: RewardRole) -> Markup:
    """The shape for a role: a square for a score, an arch for a gate, a circle for a metric."""
    shapes = {
        RewardRole.SCORE: tag("rect", class_="role-score", x=1, y=1, width=10, height=10),
        RewardRole.GATE: tag("path", class_="role-gate", d="M2 12 V6 A4 4 0 0 1 10 6 V12"),
        RewardRole.METRIC: tag("circle", class_="role-metric", cx=6, cy=6, r=4.5),
    }
    return svg(shapes[role], viewBox="0 0 12 12")


def _threshold(declared: RewardDeclaration) -> list[Markup]:
    if declared.role is RewardRole.METRIC:
        return []
    # A stroke on the edge of the drawing would be cut in half.
    at = percent(min(max(100 * share_of_range(declared, declared.threshold), 0.3), 99.7))
    return [line("reward-threshold", at, at, 0, 18)]


def declaration_rail(declared: RewardDeclaration) -> Markup:
    """An empty rail with the threshold of acceptance as a tick."""
    return svg(tag("rect", class_="reward-rail", x=0, width="100%", **_RAIL), *_threshold(declared), height=18)


def verdict_rail(declared: RewardDeclaration, value: float | None) -> Markup:
    """A filled rail; hatched, without fill and threshold, where the component was not judged."""
    if value is None:
        return svg(tag("rect", class_="reward-null", x=0, width="100%", **_RAIL), height=18)
    width = max(100 * share_of_range(declared, value), 0.6)
    return svg(
        tag("rect", class_="reward-rail", x=0, width="100%", **_RAIL),
        tag("rect", class_=f"reward-fill {declared.role}", x=0, width=percent(width), **_RAIL),
        *_threshold(declared),
        height=18,
    )


def in_words(rewards: Mapping[str, float | None]) -> str:
    """A vector in words: ``correct 1, simplest_form not judged``."""
    return ", ".join(f"{name} {figure(value)}" for name, value in rewards.items())


def small_vector(declared: Mapping[str, RewardDeclaration], rewards: Mapping[str, float | None]) -> Markup:
    """A verdict of at most eight components inside a row, in declared order."""
    names = [name for name in declared if name in rewards] + [name for name in rewards if name not in declared]
    width = 12 * len(names) + 12
    bracket = f"M5 1.25 H1.25 V18.75 H5 M{width - 5} 1.25 H{width - 1.25} V18.75 H{width - 5}"
    cells = [_cell(declared.get(name, _UNDECLARED), rewards[name], 6.5 + 12 * at) for at, name in enumerate(names)]
    label = "Reward vector: " + in_words({name: rewards[name] for name in names})
    return svg(
        tag("path", class_="interval-bracket", d=bracket),
        *cells,
        label=label,
        class_="vmini",
        width=width,
        height=20,
        viewBox=f"0 0 {width} 20",
    )


def _cell(declared: RewardDeclaration, value: float | None, x: float) -> Markup:
    """One component, 10 by 12 pixels at ``x``."""
    if value is None:
        return tag("rect", class_="reward-null", x=x + 1, y=4.5, width=8, height=11)
    if declared.role is RewardRole.GATE:
        return _gate_cell(value >= declared.threshold, x)
    ground = tag("rect", class_="reward-cell", x=x, y=4, width=10, height=12)
    high = 12 * share_of_range(declared, value)
    if high < 0.5:
        return ground + line("hatch-line", x, x + 10, 15.5, 15.5)
    return ground + tag("rect", class_=f"reward-fill {declared.role}", x=x, y=16 - high, width=10, height=high)


def _gate_cell(is_open: bool, x: float) -> Markup:
    """An arch: full where the gate is open, an outline where it is closed and zeroes the sum."""
    outer = f"M{number(x)} 16 V8.5 A4.75 4.75 0 0 1 {number(x + 10)} 8.5 V16 Z"
    inner = f"M{number(x + 1)} 16 V8.5 A4 4 0 0 1 {number(x + 9)} 8.5 V16"
    ground = tag("path", class_="reward-cell", d=outer)
    return ground + (
        tag("path", class_="reward-fill gate", d=outer) if is_open else tag("path", class_="role-gate", d=inner)
    )
