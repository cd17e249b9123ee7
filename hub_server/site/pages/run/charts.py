"""The curves of a run: rewards, entropy, lengths and other metrics over steps."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from math import inf

from markupsafe import Markup

from hub_server.site.drawing.curves import FEWEST_POINTS, Curve, Gap, Point, Style, plot, sampled, thinned
from hub_server.site.drawing.entropy import entropy_plot
from hub_server.site.drawing.numbers import count, figure, short
from schemas.manifest import RewardDeclaration, RewardRole
from schemas.measures.entropy_law import fit_entropy_law
from schemas.measures.weighted_sum import sum_range
from schemas.metric_names import ENTROPY, MEAN_LENGTH, held_out_metric, reward_metric, rewarded_in
from schemas.run import MetricPoint, Run

MOST_REWARDS = 50
"""Rewards that a page draws, chosen: each step may name others, and a page would take hours for a million of them."""
TABLE_ROWS = 40
"""Steps of the table beside a drawing: what can be read at a point of it."""


WEIGHTED = "reward"
"""The metric that holds the weighted sum of the scores."""


def weighted_range(rewards: Mapping[str, RewardDeclaration]) -> tuple[float, float]:
    """The least (at most 0) and the greatest sum that the scores can have; (0, 1) where none is declared."""
    if all(reward.role is not RewardRole.SCORE for reward in rewards.values()):
        return 0.0, 1.0
    low, high = sum_range(rewards.values())
    return min(0.0, low), max(0.0, high)


@dataclass(frozen=True)
class Chart:
    """A drawing with its title, and the same as a table for readers' tools."""

    title: str
    note: str
    drawing: Markup
    names: list[str]
    rows: list[tuple[float, list[float | None]]]
    is_by_step: bool = True
    """False where the axis below is another one."""

    @property
    def steps(self) -> str:
        """First and last step of the axis, for the script that reads values; empty where the axis is none of steps."""
        return f"{self.rows[0][0]:g} {self.rows[-1][0]:g}" if self.drawing and self.is_by_step and self.rows else ""


def series(points: Sequence[MetricPoint], name: str) -> list[Point]:
    """(step, value) of one metric, where it was measured."""
    found = ((point.step, point.values.get(name)) for point in points)
    return [(float(step), value) for step, value in found if value is not None]


def reward_names(run: Run, points: Sequence[MetricPoint]) -> list[str]:
    """Components in declared order, then others that were logged; at most ``MOST_REWARDS``."""
    logged = logged_rewards([points])
    return ([name for name in run.rewards if name in logged] + sorted(logged - set(run.rewards)))[:MOST_REWARDS]


def logged_rewards(runs: Iterable[Sequence[MetricPoint]]) -> set[str]:
    """The rewards that the points of runs name. ``MOST_REWARDS`` of a run are enough to look no further."""
    found: set[str] = set()
    for points in runs:
        names = (name for point in points for key in point.values if (name := rewarded_in(key)) is not None)
        found |= set(islice(_once(names), MOST_REWARDS))
    return found


def _once(names: Iterable[str]) -> Iterator[str]:
    seen: set[str] = set()
    for name in names:
        if name not in seen:
            seen.add(name)
            yield name


def reward_curves(run: Run, points: Sequence[MetricPoint], names: Sequence[str]) -> list[Curve]:
    """One curve a component; the first score is the one that matters. Metrics have scales of their own: left out."""
    curves, main = [], ""
    for name in names:
        role = run.rewards.get(name, RewardDeclaration()).role
        if role is RewardRole.METRIC:
            continue
        if role is RewardRole.SCORE and not main:
            main = name
        values = series(points, reward_metric(name))
        style: Style = "series-gate" if role is RewardRole.GATE else "series-main" if name == main else "series-other"
        if values:
            curves.append(Curve(name, values, style))
        held = series(points, held_out_metric(name))
        if held:
            curves.append(Curve(f"{name}, held out", held, "held"))
    if not curves and (values := series(points, WEIGHTED)):
        curves.append(Curve("reward", values, "series-main"))
    return curves


def reward_chart(run: Run, curves: Sequence[Curve], gap: Gap | None) -> Chart:
    """The mean reward by step, on an axis that holds the declared ranges; ``gap``: to a held-out verifier."""
    low = min([0.0, *(reward.range[0] for name, reward in run.rewards.items() if reward.role is not RewardRole.METRIC)])
    high = max([1.0, *(reward.range[1] for reward in run.rewards.values() if reward.role is not RewardRole.METRIC)])
    first = curves[0]
    label = (
        f"Mean reward per component over {count(len(first.points))} steps; {first.label} goes from "
        f"{figure(first.points[0][1], 2)} to {figure(first.points[-1][1], 2)}"
    )
    if gap is not None:
        label += f"; the held-out verifier differs from it from step {count(round(gap.since))}"
    drawing = plot(curves, label, bounds=(low, high), gap=gap, tall=True)
    _, width = thinned(max(curves, key=lambda curve: len(curve.points)).points)
    note = "the vector stays a vector" if width == 1 else f"the mean of every {width} steps"
    note += f"; {MOST_REWARDS} components at most" if len(curves) >= MOST_REWARDS else ""
    return chart_of(curves, "Mean reward per component", note, drawing)


def chart_of(curves: Sequence[Curve], title: str, note: str, drawing: Markup) -> Chart:
    """A chart with the table of its curves, at ``TABLE_ROWS`` steps at most."""
    return Chart(title, note, drawing, [curve.label for curve in curves], sampled(curves, TABLE_ROWS))


# Metric, title, note, unit: what is drawn beside the rewards where it was logged.
SINGLE = (
    (ENTROPY, "Entropy", "nats a token", "nats"),
    (MEAN_LENGTH, "Response length", "tokens", "tokens"),
    ("frac_reward_zero_std", "Groups without a difference", "share of groups whose rewards were all equal", ""),
    ("completions/clipped_ratio", "Cut off at the limit", "share of responses", ""),
    ("kl", "Distance from the first policy", "KL, nats a token", "nats"),
    ("grad_norm", "Gradient norm", "", ""),
    ("loss", "Loss", "", ""),
)


def other_charts(run: Run, points: Sequence[MetricPoint], names: Sequence[str]) -> list[Chart]:
    """The charts of a run's other metrics, those of ``names`` that were logged."""
    charts = []
    law = _entropy_chart(run, points, names)
    if law is not None:
        charts.append(law)
    for key, title, note, unit in SINGLE:
        values = series(points, key)
        if len(values) >= FEWEST_POINTS:
            charts.append(_single_chart(values, title, note, unit))
    return charts


def _single_chart(values: list[Point], title: str, note: str, unit: str) -> Chart:
    curve = Curve(f"{short(values[-1][1])} {unit}".strip(), values)
    label = f"{title} over steps, from {short(values[0][1])} to {short(values[-1][1])} {unit}".strip()
    low = 0.0 if min(y for _, y in values) >= 0 else min(y for _, y in values)
    drawing = plot([curve], label, bounds=(low, max(y for _, y in values)))
    return Chart(title, note, drawing, [title], sampled([curve], TABLE_ROWS))


def _entropy_chart(run: Run, points: Sequence[MetricPoint], names: Sequence[str]) -> Chart | None:
    """R against H with the law, for the held-out reward where there is one."""
    held = next((n for n in names if series(points, held_out_metric(n))), None)
    if held is not None:
        rewards, what = dict(series(points, held_out_metric(held))), "Held-out reward"
    elif names:
        rewards, what = dict(series(points, reward_metric(names[0]))), f"Reward {names[0]}"
    else:
        rewards, what = dict(series(points, WEIGHTED)), "Reward"
    name = held or next(iter(names), "")
    most = run.rewards[name].range[1] if name in run.rewards else weighted_range(run.rewards)[1]
    if not run.rewards:  # nobody said where it ends
        most = inf
    pairs = [(entropy, rewards[step]) for step, entropy in series(points, ENTROPY) if step in rewards]
    fit = fit_entropy_law(pairs)
    if fit is None or fit.a <= 0 or fit.explained < 0.3:  # too small an R² for a fit to be shown
        return None
    label = f"{what} against entropy with the fit R = b minus a times e to the H; "
    label += f"ceiling {figure(fit.ceiling, 2)}" if fit.ceiling <= most else f"it promises more than {figure(most)}"
    note = f"fit R = {figure(fit.b, 3)} − {figure(fit.a, 3)} e^H, R² {figure(fit.explained, 2)}"
    stride = max(1, len(pairs) // TABLE_ROWS)
    rows: list[tuple[float, list[float | None]]] = [(h, [r]) for h, r in pairs[::stride]]
    return Chart(
        f"{what} against entropy", note, entropy_plot(pairs, fit, label, most), ["Reward"], rows, is_by_step=False
    )
