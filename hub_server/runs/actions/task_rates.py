"""How hard each task of an environment is, by the evaluations that were reported to the hub."""

from collections import defaultdict
from collections.abc import Mapping
from typing import NamedTuple

from hub_server.execution import actions as execution
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.runs import queries
from hub_server.runs.models import TaskRateRow
from schemas.verdict import Verdict

MOST_ATTEMPTS = 20_000
"""The newest judged attempts that count."""


class TaskRate(NamedTuple):
    """How often a task was solved. ``models``: how many tried it."""

    successes: int
    attempts: int
    models: int


def record_task_rates(work: UnitOfWork, package: str, version: str, models: Mapping[str, str]) -> None:
    """Write how often each task was solved in some runs. ``models``: run -> the model that it evaluated.

    An attempt that was not judged counts for nothing. The caller holds the package's lock.
    """
    declared = execution.declared_rewards(work, package, version)
    solved, tried, by = defaultdict[str, int](int), defaultdict[str, int](int), defaultdict[str, set[str]](set)
    for run_id, task_id, rewards in queries.newest_attempts(work.session, package, list(models), MOST_ATTEMPTS):
        accepted = Verdict(rewards=rewards).accepts(declared) if declared else None
        if accepted is not None:
            tried[task_id] += 1
            solved[task_id] += accepted
            by[task_id].add(models[run_id])
    major = version.partition(".")[0]
    rows = [
        TaskRateRow(
            package_id=package, task_id=task, major=major, successes=solved[task], attempts=count, models=len(by[task])
        )
        for task, count in sorted(tried.items())
    ]
    queries.replace_task_rates(work.session, package, rows)


def list_task_rates(work: UnitOfWork, package: str, version: str) -> dict[str, TaskRate]:
    """Task's id -> how often models solved it, in evaluations of ``version``'s major version that everybody sees.

    Training counts for nothing: there a task is tried as often as the policy of that moment fails.
    """
    rows = queries.task_rates_of(work.session, package, version.partition(".")[0])
    return {task: TaskRate(*found) for task, *found in rows}
