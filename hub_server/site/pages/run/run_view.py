"""The view model of the run page: figures, charts, time, and an alarm when verifiers move apart."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from markupsafe import Markup

from hub_server.site.drawing.curves import FEWEST_POINTS, Curve, Gap
from hub_server.site.drawing.numbers import THIN, bound, count, figure, plural
from hub_server.site.pages.run.charts import (
    Chart,
    chart_of,
    other_charts,
    reward_chart,
    reward_curves,
    reward_names,
    series,
)
from hub_server.site.pages.run.figures import Figure, TimeSpent, figures_of, time_spent
from schemas.measures.hacking_alarm import MOST_EXCUSED, Alarm, find_alarm
from schemas.metric_names import held_out_metric, reward_metric
from schemas.run import MetricPoint, Run


@dataclass(frozen=True)
class AlarmView:
    """When training and held-out verifier part: since which step, and the evidence."""

    step: float
    words: str


@dataclass(frozen=True)
class RunView:
    """All that the run page draws."""

    figures: list[Figure] = field(default_factory=list)
    reward: Chart | None = None
    few: Chart | None = None
    charts: list[Chart] = field(default_factory=list)
    time: TimeSpent | None = None
    alarm: AlarmView | None = None


def view_of_run(run: Run, points: Sequence[MetricPoint], audited_fpr: float | None) -> RunView:
    """Everything to be drawn. ``audited_fpr``: upper end of the pinned verifier's FPR, None where unmeasured."""
    points = sorted(points, key=lambda point: point.step)
    names = reward_names(run, points)
    curves = reward_curves(run, points, names)
    figures = figures_of(run, points)
    if not curves:
        return RunView(figures=figures)
    if max(len(curve.points) for curve in curves) < FEWEST_POINTS:
        return RunView(figures=figures, few=chart_of(curves, "Mean reward per component", "", Markup("")))
    alarm, gap = _alarm(points, names, audited_fpr)
    return RunView(
        figures=figures,
        reward=reward_chart(run, curves, gap),
        charts=other_charts(run, points, names),
        time=time_spent(points),
        alarm=alarm,
    )


def _alarm(
    points: Sequence[MetricPoint], names: Sequence[str], audited_fpr: float | None
) -> tuple[AlarmView | None, Gap | None]:
    """The first component whose training verifier left its held-out one behind."""
    for name in names:
        train = series(points, reward_metric(name))
        held = series(points, held_out_metric(name))
        found = find_alarm(train, held, audited_fpr)
        if found is not None:
            step = count(round(found.step))
            gap = Gap(Curve(name, train), Curve(name, held), found.step, f"alarm, step {step}")
            return AlarmView(found.step, _alarm_words(name, found, audited_fpr)), gap
    return None, None


def _alarm_words(name: str, alarm: Alarm, audited_fpr: float | None) -> str:
    said = (
        f"The verifier in the loop says {name} is {figure(alarm.train, 2)}; a held-out verifier says "
        f"{figure(alarm.held, 2)}."
    )
    gap = alarm.train - alarm.held
    if audited_fpr is None:
        return f"{said} The verifier in the loop was never measured, so nothing bounds the gap of {figure(gap, 2)}."
    if gap <= min(audited_fpr, MOST_EXCUSED):
        return f"{said} The audit has too few cases to bound the gap: the upper FPR is {bound(audited_fpr)}{THIN}%."
    counted = min(audited_fpr, MOST_EXCUSED)
    times = figure(gap / counted, 2) if counted else "many"
    allowed = f"the audited upper FPR of {bound(audited_fpr)}{THIN}%"
    if counted < audited_fpr:
        allowed += f", of which {bound(counted)}{THIN}% counts,"
    return f"{said} The gap of {figure(gap, 2)} is {times} times what {allowed} allows."


def run_lead(run: Run) -> str:
    """The sentence under the run's name."""
    said = [f"{what} {name}" for what, name in (("model", run.model), ("recipe", run.recipe)) if name]
    if run.kind == "evaluation":
        if run.outcomes:
            said.append(plural(sum(outcome.attempts for outcome in run.outcomes), "judged attempt"))
    elif run.last_step is not None:
        said.append(plural(run.last_step, "step"))
    words = ", ".join(said)
    return f"{words[0].upper()}{words[1:]}." if words else "A run that says nothing of its model yet."
