"""The figures of a run, each with where it came from, and where a step's time goes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from markupsafe import Markup

from hub_server.site.drawing.numbers import count, figure, rate, seconds
from hub_server.site.drawing.strips import time_bar
from hub_server.site.pages.run.charts import WEIGHTED, series, weighted_range
from schemas.metric_names import ENTROPY, MEAN_LENGTH, UNJUDGED, rewarded_in
from schemas.run import MetricPoint, Run

TIME_PREFIX = "time/"

_TIME_NAMES = {"reward": "wait for verdicts", "logprob": "log-probs", "optim": "update", "backward": "gradients"}

_WAITING = "reward"  # TRL's name for the time that the loop waited for rewards after the last token

_STEP_TIMES = ("step", "total")


def rails_of(run: Run) -> dict[str, tuple[float, float]]:
    """Where each reward of the run's summary is drawn: its declared range; for the sum, that of the weighted scores."""
    rails = {}
    for name, change in run.summary.items():
        if name in run.rewards:
            rails[name] = run.rewards[name].range
        else:
            low, high = weighted_range(run.rewards) if name == WEIGHTED else (0.0, 1.0)
            rails[name] = (
                min(low, change.before_low, change.after_low),
                max(high, change.before_high, change.after_high),
            )
    return rails


@dataclass(frozen=True)
class Figure:
    """One number of the run, with where it came from."""

    name: str
    value: str
    note: str


@dataclass(frozen=True)
class TimeSpent:
    """One bar of a step: (what, seconds, class)."""

    note: str
    drawing: Markup
    parts: list[tuple[str, float, str]]


def figures_of(run: Run, points: Sequence[MetricPoint]) -> list[Figure]:
    """Three to six figures, each with where it came from."""
    found = []
    reward = series(points, WEIGHTED)
    if reward:
        _, most = weighted_range(run.rewards)
        of = f", of {figure(most)}" if most and run.rewards else ""
        found.append(Figure("Reward, weighted", figure(reward[-1][1]), f"from {figure(reward[0][1])}{of}"))
    for key, name, unit in ((ENTROPY, "Entropy", "nats"), (MEAN_LENGTH, "Response length", "tokens")):
        values = series(points, key)
        if values:
            found.append(Figure(name, figure(values[-1][1]), f"{unit}, from {figure(values[0][1])}"))
    shares = [
        value for point in points for key, value in point.values.items() if _is_unjudged(key) and value is not None
    ]
    if shares:
        found.append(Figure("Not judged", rate(sum(shares) / len(shares)), "of all rewards; left out, never zero"))
    if run.last_step is not None and run.kind != "evaluation":
        found.append(Figure("Steps", count(run.last_step), _took(run.updated_at - run.created_at)))
    return found


def _is_unjudged(key: str) -> bool:
    return rewarded_in(key, UNJUDGED) is not None


def _took(span: timedelta) -> str:
    return f"in {seconds(max(span.total_seconds(), 0.0))}"


def time_spent(points: Sequence[MetricPoint]) -> TimeSpent | None:
    """Mean seconds of each part of a step (metrics ``time/…``). Only the part in which the loop waited is coloured."""
    totals: dict[str, list[float]] = {}
    for point in points:
        for key, value in point.values.items():
            name = key.removeprefix(TIME_PREFIX).removesuffix("_seconds")
            if key.startswith(TIME_PREFIX) and value is not None and name not in _STEP_TIMES:
                totals.setdefault(name, []).append(value)
    parts = _time_parts({name: sum(values) / len(values) for name, values in totals.items()})
    if len(parts) < 2:
        return None
    waited = sum(length for _, length, class_ in parts if class_ == "shade-waiting")
    whole = sum(length for _, length, _ in parts)
    note = f"{seconds(whole)} a step. " + (
        f"{seconds(waited)} of them is waiting for verdicts." if waited else "Nothing waited for verdicts."
    )
    return TimeSpent(note, time_bar(parts), parts)


def _time_parts(means: Mapping[str, float]) -> list[tuple[str, float, str]]:
    shades = iter(("shade-1", "shade-2", "shade-3", "shade-4", "shade-4", "shade-4", "shade-4"))
    longest = sorted(((n, v) for n, v in means.items() if v > 0), key=lambda item: -item[1])[:6]
    return [
        (_TIME_NAMES.get(n, n.replace("_", " ")), v, "shade-waiting" if n == _WAITING else next(shades))
        for n, v in longest
    ]
