"""What the run page tells: figures, curves, the entropy law, where time goes, and an alarm when verifiers part."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta

from markupsafe import Markup

from hub_server.drawing.curves import FEWEST_POINTS, Curve, Gap, Point, Style, plot, sampled, thinned
from hub_server.drawing.entropy import entropy_plot, fit_entropy
from hub_server.drawing.numbers import THIN, bound, count, figure, plural, rate, seconds, short
from hub_server.drawing.strips import time_bar
from hub_server.runs.hacking import Alarm, find_alarm
from schemas.manifest import RewardDeclaration, RewardRole
from schemas.run import MetricPoint, Run

REWARD_PREFIX, MEAN = "rewards/", "/mean"
HELD_OUT_PREFIX = "held_out/"
TIME_PREFIX = "time/"
_TIME_NAMES = {"reward": "wait for verdicts", "logprob": "log-probs", "optim": "update", "backward": "gradients"}
_WAITING = "reward"  # TRL's name: what the loop waited for rewards that came after the last token
_STEP_TIMES = ("step", "total")
_TABLE_ROWS = 10


@dataclass(frozen=True)
class Chart:
    """A drawing with its title, and the same as a table for readers' tools."""

    title: str
    note: str
    drawing: Markup
    names: list[str]
    rows: list[tuple[float, list[float | None]]]


@dataclass(frozen=True)
class Figure:
    """One number of the run, with where it came from."""

    name: str
    value: str
    note: str


@dataclass(frozen=True)
class AlarmWords:
    """When training and held-out verifier part: since which step, and the evidence."""

    step: float
    words: str


@dataclass(frozen=True)
class TimeSpent:
    """One bar of a step: (what, seconds, class)."""

    note: str
    drawing: Markup
    parts: list[tuple[str, float, str]]


@dataclass(frozen=True)
class Story:
    """All that the run page draws."""

    figures: list[Figure] = field(default_factory=list)
    reward: Chart | None = None
    few: Chart | None = None
    charts: list[Chart] = field(default_factory=list)
    time: TimeSpent | None = None
    alarm: AlarmWords | None = None


def series(points: Sequence[MetricPoint], name: str) -> list[Point]:
    """(step, value) of one metric, where it was measured."""
    found = ((point.step, point.values.get(name)) for point in points)
    return [(float(step), value) for step, value in found if value is not None]


def tell_story(run: Run, points: Sequence[MetricPoint], audited_fpr: float | None) -> Story:
    """Everything to be drawn. ``audited_fpr``: upper end of the pinned verifier's FPR, None where unmeasured."""
    points = sorted(points, key=lambda point: point.step)
    names = reward_names(run, points)
    curves = reward_curves(run, points, names)
    figures = _figures(run, points)
    if not curves:
        return Story(figures=figures)
    if max(len(curve.points) for curve in curves) < FEWEST_POINTS:
        return Story(figures=figures, few=_chart_of(curves, "Mean reward per component", "", Markup("")))
    alarm, gap = _alarm(points, names, audited_fpr)
    return Story(
        figures=figures,
        reward=_reward_chart(run, curves, gap),
        charts=_other_charts(points, names),
        time=_time_spent(points),
        alarm=alarm,
    )


def reward_names(run: Run, points: Sequence[MetricPoint]) -> list[str]:
    """Components in declared order, then others that were logged."""
    logged = {
        key[len(REWARD_PREFIX) : -len(MEAN)]
        for point in points
        for key in point.values
        if key.startswith(REWARD_PREFIX) and key.endswith(MEAN)
    }
    return [name for name in run.rewards if name in logged] + sorted(logged - set(run.rewards))


def reward_curves(run: Run, points: Sequence[MetricPoint], names: Sequence[str]) -> list[Curve]:
    """One curve a component; the first score is the one that matters. Metrics have scales of their own: left out."""
    curves, main = [], ""
    for name in names:
        role = run.rewards.get(name, RewardDeclaration()).role
        if role is RewardRole.METRIC:
            continue
        if role is RewardRole.SCORE and not main:
            main = name
        values = series(points, f"{REWARD_PREFIX}{name}{MEAN}")
        style: Style = "s3" if role is RewardRole.GATE else "s1" if name == main else "s2"
        if values:
            curves.append(Curve(name, values, style))
        held = series(points, f"{HELD_OUT_PREFIX}{name}{MEAN}")
        if held:
            curves.append(Curve(f"{name}, held out", held, "held"))
    if not curves and (values := series(points, "reward")):
        curves.append(Curve("reward", values, "s1"))
    return curves


def _alarm(
    points: Sequence[MetricPoint], names: Sequence[str], audited_fpr: float | None
) -> tuple[AlarmWords | None, Gap | None]:
    """The first component whose training verifier left its held-out one behind."""
    for name in names:
        train = series(points, f"{REWARD_PREFIX}{name}{MEAN}")
        held = series(points, f"{HELD_OUT_PREFIX}{name}{MEAN}")
        found = find_alarm(train, held, audited_fpr)
        if found is not None:
            step = count(round(found.step))
            gap = Gap(Curve(name, train), Curve(name, held), found.step, f"alarm, step {step}")
            return AlarmWords(found.step, _alarm_words(name, found, audited_fpr)), gap
    return None, None


def _alarm_words(name: str, alarm: Alarm, audited_fpr: float | None) -> str:
    said = (
        f"The verifier in the loop says {name} is {figure(alarm.train, 2)}; a held-out verifier says "
        f"{figure(alarm.held, 2)}."
    )
    gap = alarm.train - alarm.held
    if audited_fpr is None:
        return f"{said} The verifier in the loop was never measured, so nothing bounds the gap of {figure(gap, 2)}."
    if gap <= audited_fpr:
        return f"{said} The audit has too few cases to bound the gap: the upper FPR is {bound(audited_fpr)}{THIN}%."
    times = figure(gap / audited_fpr, 2) if audited_fpr else "many"
    allowed = f"the audited upper FPR of {bound(audited_fpr)}{THIN}%"
    return f"{said} The gap of {figure(gap, 2)} is {times} times what {allowed} allows."


def _reward_chart(run: Run, curves: Sequence[Curve], gap: Gap | None) -> Chart:
    low = min([0.0, *(reward.range[0] for name, reward in run.rewards.items() if reward.role is not RewardRole.METRIC)])
    high = max([1.0, *(reward.range[1] for reward in run.rewards.values() if reward.role is not RewardRole.METRIC)])
    first = curves[0]
    label = (
        f"Mean reward per component over {count(len(first.points))} steps; {first.label} goes from "
        f"{figure(first.points[0][1], 2)} to {figure(first.points[-1][1], 2)}"
    )
    if gap is not None:
        label += f"; the held-out verifier parts from it at step {count(round(gap.since))}"
    drawing = plot(curves, label, bounds=(low, high), gap=gap, tall=True)
    _, width = thinned(max(curves, key=lambda curve: len(curve.points)).points)
    note = "the vector stays a vector" if width == 1 else f"the mean of every {width} steps"
    return _chart_of(curves, "Mean reward per component", note, drawing)


def _chart_of(curves: Sequence[Curve], title: str, note: str, drawing: Markup) -> Chart:
    return Chart(title, note, drawing, [curve.label for curve in curves], sampled(curves, _TABLE_ROWS))


# Metric, title, note, unit: what is drawn beside the rewards where it was logged.
_SINGLE = (
    ("entropy", "Entropy", "nats a token", "nats"),
    ("completions/mean_length", "Response length", "tokens", "tokens"),
    ("frac_reward_zero_std", "Groups without a difference", "share of groups whose rewards were all equal", ""),
    ("completions/clipped_ratio", "Cut off at the limit", "share of responses", ""),
    ("kl", "Distance from the first policy", "KL, nats a token", "nats"),
    ("grad_norm", "Gradient norm", "", ""),
    ("loss", "Loss", "", ""),
)


def _other_charts(points: Sequence[MetricPoint], names: Sequence[str]) -> list[Chart]:
    charts = []
    law = _entropy_chart(points, names)
    if law is not None:
        charts.append(law)
    for key, title, note, unit in _SINGLE:
        values = series(points, key)
        if len(values) >= FEWEST_POINTS:
            charts.append(_single_chart(values, title, note, unit))
    return charts


def _single_chart(values: list[Point], title: str, note: str, unit: str) -> Chart:
    curve = Curve(f"{short(values[-1][1])} {unit}".strip(), values)
    label = f"{title} over steps, from {short(values[0][1])} to {short(values[-1][1])} {unit}".strip()
    low = 0.0 if min(y for _, y in values) >= 0 else min(y for _, y in values)
    drawing = plot([curve], label, bounds=(low, max(y for _, y in values)))
    return Chart(title, note, drawing, [title], sampled([curve], _TABLE_ROWS))


def _entropy_chart(points: Sequence[MetricPoint], names: Sequence[str]) -> Chart | None:
    """R against H with the law, for the held-out reward where there is one."""
    held = next((n for n in names if series(points, f"{HELD_OUT_PREFIX}{n}{MEAN}")), None)
    if held is not None:
        rewards, what = dict(series(points, f"{HELD_OUT_PREFIX}{held}{MEAN}")), "Held-out reward"
    elif names:
        rewards, what = dict(series(points, f"{REWARD_PREFIX}{names[0]}{MEAN}")), f"Reward {names[0]}"
    else:
        rewards, what = dict(series(points, "reward")), "Reward"
    pairs = [(entropy, rewards[step]) for step, entropy in series(points, "entropy") if step in rewards]
    fit = fit_entropy(pairs)
    if fit is None or fit.a <= 0 or fit.explained < 0.3:  # a law that explains so little is not one
        return None
    label = f"{what} against entropy with the fit R = b minus a times e to the H; ceiling {figure(fit.ceiling, 2)}"
    note = f"fit R = {figure(fit.b, 3)} − {figure(fit.a, 3)} e^H, R² {figure(fit.explained, 2)}"
    stride = max(1, len(pairs) // _TABLE_ROWS)
    rows: list[tuple[float, list[float | None]]] = [(h, [r]) for h, r in pairs[::stride]]
    return Chart(f"{what} against entropy", note, entropy_plot(pairs, fit, label), ["Reward"], rows)


def _figures(run: Run, points: Sequence[MetricPoint]) -> list[Figure]:
    """Three to six figures, each with where it came from."""
    found = []
    reward = series(points, "reward")
    if reward:
        most = sum(r.weight * r.range[1] for r in run.rewards.values() if r.role is RewardRole.SCORE)
        of = f", of {figure(most)}" if most else ""
        found.append(Figure("Reward, weighted", figure(reward[-1][1]), f"from {figure(reward[0][1])}{of}"))
    for key, name, unit in (("entropy", "Entropy", "nats"), ("completions/mean_length", "Response length", "tokens")):
        values = series(points, key)
        if values:
            found.append(Figure(name, figure(values[-1][1]), f"{unit}, from {figure(values[0][1])}"))
    shares = [
        value for point in points for key, value in point.values.items() if _is_unjudged(key) and value is not None
    ]
    if shares:
        found.append(Figure("Not judged", rate(sum(shares) / len(shares)), "of all rewards, masked and never zero"))
    if run.last_step is not None and run.kind != "evaluation":
        found.append(Figure("Steps", count(run.last_step), _took(run.updated_at - run.created_at)))
    return found


def _is_unjudged(key: str) -> bool:
    return key.startswith(REWARD_PREFIX) and key.endswith("/unjudged")


def _took(span: timedelta) -> str:
    return f"in {seconds(max(span.total_seconds(), 0.0))}"


def _time_spent(points: Sequence[MetricPoint]) -> TimeSpent | None:
    """Mean seconds of each part of a step, ``time/…``; what was waited for is the only coloured part."""
    totals: dict[str, list[float]] = {}
    for point in points:
        for key, value in point.values.items():
            name = key.removeprefix(TIME_PREFIX).removesuffix("_seconds")
            if key.startswith(TIME_PREFIX) and value is not None and name not in _STEP_TIMES:
                totals.setdefault(name, []).append(value)
    parts = _time_parts({name: sum(values) / len(values) for name, values in totals.items()})
    if len(parts) < 2:
        return None
    waited = sum(length for _, length, class_ in parts if class_ == "t-w")
    whole = sum(length for _, length, _ in parts)
    note = f"{seconds(whole)} a step. " + (
        f"{seconds(waited)} of them is waiting for verdicts." if waited else "Nothing waited for verdicts."
    )
    return TimeSpent(note, time_bar(parts), parts)


def _time_parts(means: Mapping[str, float]) -> list[tuple[str, float, str]]:
    shades = iter(("t-a", "t-b", "t-e", "t-d", "t-d", "t-d", "t-d"))
    longest = sorted(((n, v) for n, v in means.items() if v > 0), key=lambda item: -item[1])[:6]
    return [(_TIME_NAMES.get(n, n.replace("_", " ")), v, "t-w" if n == _WAITING else next(shades)) for n, v in longest]


def run_lead(run: Run) -> str:
    """The sentence under the run's name."""
    said = [part for part in (run.model, run.recipe) if part]
    if run.kind == "evaluation":
        if run.outcomes:
            said.append(plural(sum(outcome.attempts for outcome in run.outcomes), "judged attempt"))
    elif run.last_step is not None:
        said.append(plural(run.last_step, "step"))
    words = ", ".join(said)
    return f"{words}." if words else "A run that says nothing of its model yet."
