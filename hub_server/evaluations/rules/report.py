"""From outcomes and texts to a report: pure, and the same input always gives the same report."""

from collections.abc import Sequence
from datetime import datetime
from itertools import combinations

import numpy as np

from hub_server.evaluations.rules.quality.hardness import hardness, model_pass_at_k
from hub_server.evaluations.rules.quality.harness_sensitivity import harness_sensitivity, task_flips
from hub_server.evaluations.rules.quality.item_response import ItemResponse, fit_2pl
from hub_server.evaluations.rules.quality.outcomes import Floats, Outcomes
from hub_server.evaluations.rules.quality.separability import (
    Discrimination,
    Separability,
    discriminations,
    separability,
    tasks_needed,
)
from hub_server.evaluations.rules.quality.subset import smallest_subset
from hub_server.evaluations.rules.results import Entry, Submission, merge_entries, outcomes_of, results_digest
from hub_server.evaluations.rules.texts import TextReport
from schemas.benchmark import (
    AbilityRow,
    BenchmarkReport,
    HarnessChange,
    HarnessSwap,
    ItemRow,
    LeaderboardRow,
    ModelPair,
    PassCurve,
    PassPoint,
    SubsetPoint,
    SubsetReport,
    TaskFlipRow,
)
from schemas.measures.corrected import Observed, observed_interval

_DRAWS = 1000
_MOST_FLIPS = 60
_FEWEST_FOR_FLAGS = 4  # chosen: a correlation over fewer entries is chance
_TOLERANCE = 0.01


def measure(
    benchmark: str, version: str, submissions: Sequence[Submission], texts: TextReport, now: datetime
) -> BenchmarkReport:
    """Everything that ``submissions`` (at least one) and the tasks' texts say."""
    entries = merge_entries(submissions)
    outcomes = outcomes_of(entries)
    found = hardness(outcomes)
    apart = _separability(outcomes)
    fitted = fit_2pl(outcomes) if len(entries) > 1 else None
    items = _items(outcomes, found.task_rates, fitted)
    return BenchmarkReport(
        benchmark=benchmark,
        version=version,
        computed_at=now,
        results_digest=results_digest(submissions),
        submissions=len(submissions),
        attempts=int(outcomes.attempts.sum()),
        cells=[cell for entry in entries for cell in entry.cells],
        leaderboard=_leaderboard(entries),
        task_count=len(outcomes.tasks),
        pass_rate=found.pass_rate,
        never_solved=found.never_solved,
        always_solved=found.always_solved,
        pass_curves=_pass_curves(entries, outcomes),
        items=items,
        abilities=_abilities(entries, fitted) if fitted else [],
        separability=apart.share if apart else None,
        separability_tasks=apart.task_count if apart else 0,
        signal_to_noise=apart.signal_to_noise if apart else None,
        pairs=_pairs(apart) if apart else [],
        harness_changes=_harness_changes(entries),
        harness_swaps=_harness_swaps(entries),
        diversity=texts.diversity_of(outcomes),
        subset=_subset(outcomes),
        contamination=texts.contamination,
        not_compared=texts.not_compared,
    )


def _leaderboard(entries: Sequence[Entry]) -> list[LeaderboardRow]:
    """Entries by mean pass rate, best first; the interval is that of ``verihub eval``."""
    rows = []
    for entry in entries:
        score = observed_interval(Observed.of(entry.counts))
        attempts = sum(tried for _, tried in entry.counts.values())
        rows.append(
            LeaderboardRow(
                model=entry.model, harness=entry.harness, score=score, task_count=len(entry.counts), attempts=attempts
            )
        )
    return sorted(rows, key=lambda row: (-row.score.value, row.model, row.harness))


def _pass_curves(entries: Sequence[Entry], outcomes: Outcomes) -> list[PassCurve]:
    """pass@k for growing k, as far as at least half of an entry's tasks have that many attempts."""
    most = int(outcomes.attempts.max(initial=0))
    steps = [k for k in (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024) if k <= most]
    by_step = {k: model_pass_at_k(outcomes, k) for k in steps} if most > 1 else {}
    curves = []
    for row, entry in enumerate(entries):
        tried = outcomes.attempts[row]
        enough = [k for k in by_step if 2 * (tried >= k).sum() >= (tried > 0).sum()]
        if len(enough) > 1:
            points = [PassPoint(k=k, rate=by_step[k][entry.name]) for k in enough]
            curves.append(PassCurve(model=entry.model, harness=entry.harness, points=points))
    return curves


def _items(outcomes: Outcomes, rates: dict[str, float], fitted: ItemResponse | None) -> list[ItemRow]:
    """Tasks in order. Below four entries no task is flagged: chance alone points half of them the wrong way."""
    found: dict[str, Discrimination] = {}
    if len(outcomes.models) >= _FEWEST_FOR_FLAGS:
        found = {one.task: one for one in discriminations(outcomes)}
    rows = []
    for task in outcomes.tasks:
        one = found.get(task)
        flag = "" if one is None or not one.is_negative else "certain" if one.is_certain else "negative"
        rows.append(
            ItemRow(
                task=task,
                pass_rate=rates[task],
                difficulty=fitted.difficulty[task] if fitted else None,
                discrimination=fitted.discrimination[task] if fitted else None,
                correlation=one.correlation if one else None,
                flag=flag,
            )
        )
    return rows


def _abilities(entries: Sequence[Entry], fitted: ItemResponse) -> list[AbilityRow]:
    rows = [
        AbilityRow(model=entry.model, harness=entry.harness, ability=fitted.ability[entry.name]) for entry in entries
    ]
    return sorted(rows, key=lambda row: (-row.ability.value, row.model, row.harness))


def _separability(outcomes: Outcomes) -> Separability | None:
    """None for fewer than two entries or two shared tasks."""
    if len(outcomes.models) < 2 or len(outcomes.complete().tasks) < 2:
        return None
    return separability(outcomes)


def _pairs(found: Separability) -> list[ModelPair]:
    return [
        ModelPair(
            first=pair.first,
            second=pair.second,
            difference=pair.difference,
            is_separated=pair.is_separated,
            tasks_needed=None if pair.is_separated else tasks_needed(pair.difference, found.task_count),
        )
        for pair in found.pairs
    ]


def _harness_changes(entries: Sequence[Entry]) -> list[HarnessChange]:
    """Each model under each pair of its harnesses, on the tasks attempted under both."""
    by_model: dict[str, list[Entry]] = {}
    for entry in entries:
        by_model.setdefault(entry.model, []).append(entry)
    changes = []
    order = _harness_order(entries)
    for model, same in sorted(by_model.items()):
        for first, second in combinations(sorted(same, key=lambda entry: order.index(entry.harness)), 2):
            tasks = tuple(sorted(first.counts.keys() & second.counts.keys()))
            if tasks:
                changes.append(_harness_change(model, first, second, tasks))
    return changes


def _harness_order(entries: Sequence[Entry]) -> list[str]:
    """Harnesses by the mean of their entries' pass rates, lowest first: "second minus first" then reads as a gain."""
    means: dict[str, list[float]] = {}
    for entry in entries:
        rates = [successes / attempts for successes, attempts in entry.counts.values()]
        means.setdefault(entry.harness, []).append(sum(rates) / len(rates))
    return sorted(means, key=lambda name: (sum(means[name]) / len(means[name]), name))


def _harness_change(model: str, first: Entry, second: Entry, tasks: tuple[str, ...]) -> HarnessChange:
    one = np.array([first.counts[task] for task in tasks], dtype=np.int64)
    other = np.array([second.counts[task] for task in tasks], dtype=np.int64)
    found = harness_sensitivity(tasks, one[:, 0], one[:, 1], other[:, 0], other[:, 1], draws=_DRAWS)
    return HarnessChange(
        model=model,
        first=first.harness,
        second=second.harness,
        difference=found.difference,
        p_value=found.p_value,
        task_count=len(tasks),
        gained=found.gained,
        lost=found.lost,
        mcnemar=found.mcnemar,
    )


def _harness_swaps(entries: Sequence[Entry]) -> list[HarnessSwap]:
    """Each pair of harnesses, over the models that ran both: which tasks change."""
    by_place = {(entry.model, entry.harness): entry for entry in entries}
    harnesses = _harness_order(entries)
    tasks = tuple(sorted({task for entry in entries for task in entry.counts}))
    swaps = []
    for first, second in combinations(harnesses, 2):
        models = sorted({m for m, h in by_place if h == first} & {m for m, h in by_place if h == second})
        if models:
            rows = [_difference(by_place[model, first], by_place[model, second], tasks) for model in models]
            flips = task_flips(tasks, rows)
            swaps.append(
                HarnessSwap(
                    first=first,
                    second=second,
                    models=len(models),
                    changed=len(flips),
                    certain=sum(flip.is_certain for flip in flips),
                    flips=[TaskFlipRow(**vars(flip)) for flip in flips[:_MOST_FLIPS]],
                )
            )
    return swaps


def _difference(first: Entry, second: Entry, tasks: tuple[str, ...]) -> Floats:
    """[tasks] second minus first in pass rate; NaN where one of them did not try."""
    return _rates(second, tasks) - _rates(first, tasks)


def _rates(entry: Entry, tasks: tuple[str, ...]) -> Floats:
    pairs = [entry.counts.get(task) for task in tasks]
    return np.array([pair[0] / pair[1] if pair else np.nan for pair in pairs])


def _subset(outcomes: Outcomes) -> SubsetReport | None:
    """None for fewer than two entries or ten shared tasks."""
    complete = outcomes.complete()
    if len(complete.models) < 2 or len(complete.tasks) < 10:
        return None
    found = smallest_subset(complete, _TOLERANCE)
    return SubsetReport(
        tolerance=_TOLERANCE,
        tasks=list(found.tasks),
        worst_error=found.worst_error,
        task_count=len(complete.tasks),
        sizes=found.sizes,
        curve=[SubsetPoint(size=size, worst_error=e, held_out_error=h) for size, e, h in found.curve],
    )
