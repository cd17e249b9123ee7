"""Judges the rollouts of a run again by another verifier, and compares the verdicts, paired by task."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean

from hub_client.audits.stored_runs import StoredRun, environments_of, find_tasks
from hub_client.client import Hub
from hub_client.environments import Verifier
from schemas.manifest import RewardDeclaration
from schemas.measures.intervals import paired_interval
from schemas.rescore import Rescore, RescoredRollout, RescoredSteps, Shift
from schemas.run import RolloutRow
from schemas.verdict import ScoreRequest, Verdict
from schemas.verdict_pairs import pair_key

TRAINING, PARTS = "train", 3
_LARGEST = 1e100
"""No reward is meant to be as large. A hub or a verifier may say any number, and 1e200 has no square."""


@dataclass(frozen=True)
class Pair:
    """One rollout with both verdicts. ``before`` and ``after``: accepted as a whole, None where not judged."""

    rollout: RolloutRow
    task: tuple[str, str]
    """Package and id of its task."""
    before: bool | None
    after: bool | None
    rewards_after: dict[str, float | None]
    reason: str = ""
    """Why ``after`` is None."""


def rescore_run(hub: Hub, run: StoredRun, verifier: Verifier, folders: Sequence[str] = ()) -> Rescore:
    """Judge every rollout of ``run`` with ``verifier``, wherever packages run.

    ``folders``: projects of environments that the run pinned and no hub has.

    Raises what loading the run's releases raises, for example :class:`NotFoundError` or :class:`IntegrityError`.
    """
    environments = environments_of(hub, run, folders)
    wanted: dict[str, set[str]] = defaultdict(set)
    for rollout in run.rollouts:
        wanted[run.package_of(rollout)].add(rollout.task_id)
    asked: list[tuple[RolloutRow, str, ScoreRequest]] = []
    of_sessions = 0
    tasks = {
        package: find_tasks(environment, wanted[package], run.seed)
        for package, environment in environments.items()
        if environment.manifest.session is None
    }
    for index, rollout in enumerate(run.rollouts):
        package = run.package_of(rollout)
        if package in environments and package not in tasks:
            of_sessions += 1
        elif rollout.task_id in tasks.get(package, {}):
            task = tasks[package][rollout.task_id]
            asked.append((rollout, package, ScoreRequest(id=str(index), task=task, response=rollout.response)))
    declared = {package: environment.rewards for package, environment in environments.items()}
    verdicts = verifier.score_requests(request for _, _, request in asked)
    pairs = [
        Pair(
            rollout,
            (package, rollout.task_id),
            _accepted_before(rollout, declared[package]),
            verdict.accepts(verifier.rewards),
            verdict.rewards,
            _reason(verdict),
        )
        for (rollout, package, _), verdict in zip(asked, verdicts, strict=True)
    ]
    return _report(run, verifier, pairs).model_copy(
        update={"of_sessions": of_sessions, "without_task": len(run.rollouts) - len(asked) - of_sessions}
    )


def _reason(verdict: Verdict) -> str:
    if verdict.error is None:
        return ""
    lines = verdict.error.message.strip().splitlines()
    return f"{verdict.error.kind.value}: {lines[-1][:200] if lines else 'no message'}"


def _accepted_before(rollout: RolloutRow, declared: dict[str, RewardDeclaration]) -> bool | None:
    return None if rollout.error else Verdict(rewards=rollout.rewards).accepts(declared)


def _report(run: StoredRun, verifier: Verifier, pairs: Sequence[Pair]) -> Rescore:
    counts = Counter(pair_key(pair.before, pair.after) for pair in pairs)
    return Rescore(
        run=run.name,
        verifier=verifier.package.reference,
        digest=verifier.package.digest,
        rollouts=len(run.rollouts),
        judged=sum(pair.before is not None and pair.after is not None for pair in pairs),
        not_judged=sum(pair.after is None for pair in pairs),
        reasons=dict(Counter(pair.reason for pair in pairs if pair.after is None).most_common(5)),
        counts=dict(sorted(counts.items())),
        accepted=shift_of_accepted(pairs),
        rewards=shifts_of_rewards(pairs),
        steps=list(shifts_of_steps(pairs)),
        changed=[_changed(pair) for pair in pairs if pair.before != pair.after],
    )


def shift_of_accepted(pairs: Sequence[Pair]) -> Shift | None:
    """How the share of accepted rollouts changes. None where nothing was judged by both."""
    return _shift(
        [
            (pair.task, float(pair.before), float(pair.after))
            for pair in pairs
            if pair.before is not None and pair.after is not None
        ]
    )


def shifts_of_rewards(pairs: Sequence[Pair]) -> dict[str, Shift]:
    """The same for every reward that both gave, by name; without values too large for a mean of their squares."""
    values: dict[str, list[tuple[tuple[str, str], float, float]]] = defaultdict(list)
    for pair in pairs:
        for name, before in pair.rollout.rewards.items():
            after = pair.rewards_after.get(name)
            if before is not None and after is not None and max(abs(before), abs(after)) <= _LARGEST:
                values[name].append((pair.task, before, after))
    found = {name: _shift(rows) for name, rows in values.items()}
    return {name: shift for name, shift in found.items() if shift is not None}


def shifts_of_steps(pairs: Sequence[Pair]) -> Iterator[RescoredSteps]:
    """The share of accepted rollouts by phase; training's steps in three parts, so that a drift is seen."""
    phases: dict[str, list[Pair]] = defaultdict(list)
    for pair in pairs:
        phases[pair.rollout.phase].append(pair)
    for phase, members in phases.items():
        for part in _parts(members) if phase == TRAINING else [members]:
            shift = shift_of_accepted(part)
            if shift is not None:
                steps = [pair.rollout.step for pair in part]
                yield RescoredSteps(phase=phase, first=min(steps), last=max(steps), accepted=shift)


def _parts(pairs: Sequence[Pair]) -> list[list[Pair]]:
    steps = sorted({pair.rollout.step for pair in pairs})
    size = -(-len(steps) // PARTS)
    part_of = {step: place // size for place, step in enumerate(steps)}
    parts: dict[int, list[Pair]] = defaultdict(list)
    for pair in pairs:
        parts[part_of[pair.rollout.step]].append(pair)
    return [parts[part] for part in sorted(parts)]


def _shift(rows: Sequence[tuple[tuple[str, str], float, float]]) -> Shift | None:
    if not rows:
        return None
    by_task: dict[tuple[str, str], list[tuple[float, float]]] = defaultdict(list)
    for task, before, after in rows:
        by_task[task].append((before, after))
    means = [tuple(map(fmean, zip(*pairs, strict=True))) for pairs in by_task.values()]
    return Shift(
        before=fmean(before for before, _ in means),
        after=fmean(after for _, after in means),
        change=paired_interval([after - before for before, after in means]),
        rollouts=len(rows),
        tasks=len(means),
    )


def _changed(pair: Pair) -> RescoredRollout:
    row = pair.rollout
    return RescoredRollout(
        rollout=row.id,
        step=row.step,
        phase=row.phase,
        package=pair.task[0],
        task_id=row.task_id,
        before=pair.before,
        after=pair.after,
        rewards_before=row.rewards,
        rewards_after=pair.rewards_after,
        response=row.response,
    )
