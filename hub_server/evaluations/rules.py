"""From outcomes to a report: pure, and the same outcomes always give the same report."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from hub_server.evaluations.quality.diversity import near_duplicates, text_similarity, vendi_score
from hub_server.evaluations.quality.hardness import hardness
from hub_server.evaluations.quality.harness_sensitivity import harness_sensitivity
from hub_server.evaluations.quality.outcomes import Estimate, Outcomes, resamples
from hub_server.evaluations.quality.outcomes import interval as estimate_of
from hub_server.evaluations.quality.separability import discriminations, separability
from schemas.benchmark import HarnessChange, Interval, LeaderboardRow, ModelPair

MAX_TEXTS = 400
_DRAWS = 1000
Counts = Mapping[str, tuple[int, int]]
"""Task -> (successes, attempts)."""


@dataclass(frozen=True)
class Entry:
    """One line of the leaderboard: everything that a model did under a harness, over all environments."""

    model: str
    harness: str
    counts: Counts

    @property
    def name(self) -> str:
        """How the entry is called in pairs."""
        return f"{self.model} · {self.harness}"


def merge_entries(rows: Sequence[tuple[str, str, str, Counts]]) -> list[Entry]:
    """(model, harness, environment, counts) rows, whoever sent them -> entries; counts of the same task add up."""
    merged: dict[tuple[str, str], dict[str, tuple[int, int]]] = {}
    for model, harness, environment, counts in rows:
        place = merged.setdefault((model, harness), {})
        for task, (successes, attempts) in counts.items():
            key = f"{environment}#{task}"
            before = place.get(key, (0, 0))
            place[key] = (before[0] + successes, before[1] + attempts)
    return [Entry(model, harness, counts) for (model, harness), counts in sorted(merged.items())]


def outcomes_of(entries: Sequence[Entry]) -> Outcomes:
    """Entries as a matrix, every task that anybody attempted."""
    tasks = tuple(sorted({task for entry in entries for task in entry.counts}))
    counts = np.array([[entry.counts.get(task, (0, 0)) for task in tasks] for entry in entries], dtype=np.int64)
    counts = counts.reshape(len(entries), len(tasks), 2)
    return Outcomes(tuple(entry.name for entry in entries), tasks, counts[:, :, 0], counts[:, :, 1])


def leaderboard(entries: Sequence[Entry]) -> list[LeaderboardRow]:
    """Entries by mean pass rate, best first; the interval is a bootstrap over tasks."""
    rows = []
    for entry in entries:
        rates = np.array([successes / attempts for successes, attempts in entry.counts.values()])
        means = rates[resamples(len(rates), _DRAWS, 0)].mean(axis=1)
        score = _interval(estimate_of(rates.mean(), means))
        rows.append(LeaderboardRow(model=entry.model, harness=entry.harness, score=score, task_count=len(rates)))
    return sorted(rows, key=lambda row: (-row.score.value, row.model, row.harness))


def hardness_of(outcomes: Outcomes) -> tuple[Interval, float, float, dict[str, float]]:
    """(pass rate, share never solved, share always solved, rate by task)."""
    found = hardness(outcomes, draws=_DRAWS)
    return _interval(found.pass_rate), found.never_solved, found.always_solved, found.task_rates


def separability_of(outcomes: Outcomes) -> tuple[float | None, int, list[ModelPair]]:
    """(share of pairs told apart, tasks it rests on, pairs); nothing to say of fewer than two entries or tasks."""
    if len(outcomes.models) < 2 or len(outcomes.complete().tasks) < 2:
        return None, 0, []
    found = separability(outcomes)
    pairs = [
        ModelPair(
            first=pair.first,
            second=pair.second,
            difference=_interval(pair.difference),
            is_separated=pair.is_separated,
        )
        for pair in found.pairs
    ]
    return found.share, found.task_count, pairs


def suspicious_tasks(outcomes: Outcomes) -> list[str]:
    """Tasks that better entries fail more, worst first. Meaningless below four entries, so empty there."""
    if len(outcomes.models) < 4:
        return []
    found = [one for one in discriminations(outcomes) if one.is_negative]
    return [one.task for one in sorted(found, key=lambda one: (one.correlation or 0.0, one.task))]


def harness_changes(entries: Sequence[Entry]) -> list[HarnessChange]:
    """Each model under each pair of its harnesses, on the tasks attempted under both."""
    by_model: dict[str, list[Entry]] = {}
    for entry in entries:
        by_model.setdefault(entry.model, []).append(entry)
    changes = []
    for model, same in sorted(by_model.items()):
        for first, second in combinations(same, 2):
            tasks = tuple(sorted(first.counts.keys() & second.counts.keys()))
            if tasks:
                changes.append(_harness_change(model, first, second, tasks))
    return changes


def _harness_change(model: str, first: Entry, second: Entry, tasks: tuple[str, ...]) -> HarnessChange:
    one = np.array([first.counts[task] for task in tasks], dtype=np.int64)
    other = np.array([second.counts[task] for task in tasks], dtype=np.int64)
    found = harness_sensitivity(tasks, one[:, 0], one[:, 1], other[:, 0], other[:, 1])
    return HarnessChange(
        model=model,
        first=first.harness,
        second=second.harness,
        difference=_interval(found.difference),
        p_value=found.p_value,
        task_count=len(tasks),
    )


def diversity_of(texts: Mapping[str, str]) -> tuple[float | None, int, int]:
    """(effective number of different tasks, tasks looked at, nearly equal pairs) of tasks' texts by id."""
    chosen = dict(sorted(texts.items())[:MAX_TEXTS])
    if not chosen:
        return None, 0, 0
    return vendi_score(text_similarity(list(chosen.values()))), len(chosen), len(near_duplicates(chosen))


def _interval(estimate: Estimate) -> Interval:
    return Interval(value=estimate.value, low=estimate.low, high=estimate.high)
