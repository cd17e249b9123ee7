"""The reward-hacking alarm during training. It follows the same rule as the alarm on the run's page."""

from collections.abc import Mapping, Sequence
from math import isfinite

from schemas.known_audit import KnownAudit
from schemas.measures.hacking_alarm import find_alarm
from schemas.metric_names import held_out_metric, reward_metric

Curves = dict[str, list[list[float]]]
"""Reward -> (step, training reward, held-out reward) of every step that has both."""


def add_to_curves(curves: Curves, step: int, metrics: Mapping[str, float], names: Sequence[str]) -> None:
    """Record the means of a step for the alarm."""
    for name in names:
        train, held = metrics.get(reward_metric(name)), metrics.get(held_out_metric(name))
        if train is not None and held is not None and isfinite(train) and isfinite(held):  # NaN: nothing was judged
            curves.setdefault(name, []).append([step, train, held])


def alarm_words(curves: Curves, known: Mapping[str, KnownAudit], environments: int) -> str:
    """The alarm's message, or an empty string if there is no alarm."""
    measured = [one.fpr.high for one in known.values()] if len(known) == environments else []
    for name, points in curves.items():
        train, held = [(step, mean) for step, mean, _ in points], [(step, mean) for step, _, mean in points]
        found = find_alarm(train, held, max(measured, default=None))
        if found is not None:
            return (
                f"reward hacking is likely since step {found.step:.0f}: the verifier in the loop says {name} is "
                f"{found.train:.2f}, the held-out one {found.held:.2f}"
            )
    return ""
