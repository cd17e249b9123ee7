"""How hard each task of an environment is, by the evaluations that were reported to the hub."""

from collections import defaultdict
from collections.abc import Mapping
from typing import NamedTuple

from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.runs import queries
from hub_server.runs.actions.difficulty import list_pass_rates
from schemas.manifest import RewardDeclaration
from schemas.verdict import Verdict

MOST_ATTEMPTS = 5000
"""The newest judged attempts that are read: a page of tasks waits for them."""


class TaskRate(NamedTuple):
    """How often a task was solved. ``models``: how many tried it."""

    successes: int
    attempts: int
    models: int


def list_task_rates(
    work: UnitOfWork, package: str, version: str, declared: Mapping[str, RewardDeclaration]
) -> dict[str, TaskRate]:
    """Task's id -> how often models solved it, in the evaluations that ``list_pass_rates`` shows.

    ``declared``: the vector by which an attempt is accepted. An attempt that was not judged counts for nothing, and
    training counts for nothing: there a task is tried as often as the policy of that moment fails.
    """
    models = {run.id: run.model for run, _ in list_pass_rates(work, package, version)}
    if not models or not declared:
        return {}
    solved, tried, by = defaultdict[str, int](int), defaultdict[str, int](int), defaultdict[str, set[str]](set)
    for run_id, task_id, rewards in queries.newest_attempts(work.session, package, list(models), MOST_ATTEMPTS):
        accepted = Verdict(rewards=rewards).accepts(dict(declared))
        if accepted is not None:
            tried[task_id] += 1
            solved[task_id] += accepted
            by[task_id].add(models[run_id])
    return {task: TaskRate(solved[task], count, len(by[task])) for task, count in tried.items()}
