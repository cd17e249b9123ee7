"""Several runs side by side: the same charts on the same axes, and differences where an interval can be given."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from markupsafe import Markup

from hub_server.site.drawing.curves import FEWEST_POINTS, Curve, Point, Style, plot, sampled
from hub_server.site.drawing.numbers import figure
from hub_server.site.pages.run.charts import SINGLE, TABLE_ROWS, WEIGHTED, Chart, series
from schemas.measures.corrected import Observed, observed_interval
from schemas.measures.intervals import Interval, interval_of_difference
from schemas.metric_names import held_out_metric, reward_metric, rewarded_in
from schemas.run import MetricPoint, Run, RunOutcome

MOST_RUNS = 4
"""Curves that can still be told apart by their lines."""
STYLES: tuple[Style, ...] = ("run-1", "run-2", "run-3", "run-4")
_LETTERS = "ABCD"


@dataclass(frozen=True)
class ComparedNumber:
    """One number of one run, and what it differs by from the first run's."""

    letter: str
    number: Interval
    difference: Interval | None = None


@dataclass(frozen=True)
class ComparedRow:
    """One number of all runs that have it."""

    name: str
    sides: list[ComparedNumber]
    why_not: str = ""
    """Why no difference stands there; empty where it does."""


@dataclass(frozen=True)
class RunComparison:
    """All that the page draws."""

    letters: list[str] = field(default_factory=list)
    rows: list[ComparedRow] = field(default_factory=list)
    charts: list[Chart] = field(default_factory=list)


def compare_runs(runs: Sequence[Run], points: Sequence[Sequence[MetricPoint]]) -> RunComparison:
    """The charts and the rows of two to ``MOST_RUNS`` runs. ``points``: those of each run, by step."""
    ordered = [sorted(one, key=lambda point: point.step) for one in points]
    letters = list(_LETTERS[: len(runs)])
    return RunComparison(letters, [*_summary_rows(runs), *_outcome_rows(runs)], _charts(letters, ordered))


def _charts(letters: Sequence[str], points: Sequence[Sequence[MetricPoint]]) -> list[Chart]:
    logged = {key for one in points for point in one for key in point.values}
    rewards = sorted(name for key in logged if (name := rewarded_in(key)) is not None)
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


def _summary_rows(runs: Sequence[Run]) -> list[ComparedRow]:
    """The rewards after training on tasks that were held back, with their intervals over tasks."""
    names = dict.fromkeys(name for run in runs for name in run.summary)
    why_not = "" if _share_packages(runs) else "the runs pinned other packages or releases"
    rows = []
    for name in names:
        found = {
            letter: Interval(value=change.after, low=change.after_low, high=change.after_high)
            for letter, run in zip(_LETTERS, runs, strict=False)
            if (change := run.summary.get(name)) is not None
        }
        if len(found) > 1:
            rows.append(_row(f"{name}, after training, tasks held back", found, why_not))
    return rows


def _outcome_rows(runs: Sequence[Run]) -> list[ComparedRow]:
    """Pass rates of evaluations, release by release: other bytes are another environment."""
    found: dict[tuple[str, ...], dict[str, Interval]] = {}
    for letter, run in zip(_LETTERS, runs, strict=False):
        for outcome in run.outcomes:
            if outcome.pass_rate is not None:
                at = (outcome.environment, outcome.version, outcome.digest, outcome.harness)
                found.setdefault(at, {})[letter] = _rate_of(outcome, outcome.pass_rate)
    return [
        _row(f"pass rate on {environment} {version}, {harness}", numbers, "")
        for (environment, version, _, harness), numbers in found.items()
        if len(numbers) > 1
    ]


def _rate_of(outcome: RunOutcome, pass_rate: float) -> Interval:
    return observed_interval(Observed(pass_rate, max(min(outcome.tries, outcome.attempts), 1.0)))


def _row(name: str, found: Mapping[str, Interval], why_not: str) -> ComparedRow:
    first, *others = found.items()
    sides = [ComparedNumber(*first)]
    for letter, number in others:
        sides.append(ComparedNumber(letter, number, None if why_not else interval_of_difference(number, first[1])))
    return ComparedRow(name, sides, why_not)


def _share_packages(runs: Sequence[Run]) -> bool:
    """Whether all pinned the same bytes."""
    return len({frozenset((pin.package, pin.version, pin.digest) for pin in run.packages) for run in runs}) == 1
