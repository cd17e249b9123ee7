"""Several runs side by side: the same charts on the same axes, and differences where an interval can be given."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from markupsafe import Markup

from hub_server.runs.rules.comparison import LETTERS, compared_rows
from hub_server.site.drawing.curves import FEWEST_POINTS, Curve, Point, Style, plot, sampled
from hub_server.site.drawing.numbers import figure
from hub_server.site.pages.run.charts import MOST_REWARDS, SINGLE, TABLE_ROWS, WEIGHTED, Chart, logged_rewards, series
from schemas.metric_names import held_out_metric, reward_metric
from schemas.run import MetricPoint, Run
from schemas.run_comparison import ComparedRow

STYLES: tuple[Style, ...] = ("run-1", "run-2", "run-3", "run-4")


@dataclass(frozen=True)
class RunComparison:
    """All that the page draws."""

    letters: list[str] = field(default_factory=list)
    rows: list[ComparedRow] = field(default_factory=list)
    charts: list[Chart] = field(default_factory=list)


def compare_runs(runs: Sequence[Run], points: Sequence[Sequence[MetricPoint]]) -> RunComparison:
    """The charts and the rows of two to ``MOST_RUNS`` runs. ``points``: those of each run, by step."""
    ordered = [sorted(one, key=lambda point: point.step) for one in points]
    letters = list(LETTERS[: len(runs)])
    return RunComparison(letters, compared_rows(runs), _charts(letters, ordered))


def _charts(letters: Sequence[str], points: Sequence[Sequence[MetricPoint]]) -> list[Chart]:
    rewards = sorted(logged_rewards(points))[:MOST_REWARDS]
    wanted = [(WEIGHTED, "Reward, weighted", "the sum of the scores")]
    for name in rewards:
        wanted.append((reward_metric(name), f"Reward {name}", "mean over a step's samples"))
        wanted.append((held_out_metric(name), f"Reward {name}, held out", "by a verifier that is not trained on"))
    wanted += [(key, title, note) for key, title, note, _ in SINGLE]
    charts = []
    for key, title, note in wanted:
        chart = _chart(title, note, letters, [series(one, key) for one in points])
        if chart is not None:
            charts.append(chart)
    return charts


def _chart(title: str, note: str, letters: Sequence[str], values: Sequence[list[Point]]) -> Chart | None:
    """One metric of all runs that logged it, on one pair of axes; None where fewer than two did."""
    curves = [
        Curve(letter, found, STYLES[place])
        for place, (letter, found) in enumerate(zip(letters, values, strict=True))
        if found
    ]
    if len(curves) < 2:
        return None
    ends = ", ".join(f"{curve.label} ends at {figure(curve.points[-1][1])}" for curve in curves)
    drawing = Markup("")
    if max(len(curve.points) for curve in curves) >= FEWEST_POINTS:
        drawing = plot(curves, f"{title} over steps: {ends}", bounds=(0.0, 0.0), tall=True)
    return Chart(title, note, drawing, [curve.label for curve in curves], sampled(curves, TABLE_ROWS))
