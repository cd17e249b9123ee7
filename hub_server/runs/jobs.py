"""The worker's entry: say anew how hard an environment is for models, once for all evaluations that just ended."""

from typing import Any

from hub_server.kernel.job import JobKind, RunningJob
from hub_server.kernel.job_names import JobName
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.runs import actions


def _measure_difficulty(job: RunningJob) -> None:
    with job.finishing() as work:
        actions.measure_difficulty(work, str(job.payload["package"]))


def _give_up(work: UnitOfWork, job_id: str, payload: dict[str, Any], reason: str) -> None:
    """What was said before stays; the next evaluation says it anew."""
    del work, job_id, payload, reason


KINDS = {JobName.MEASURE_DIFFICULTY: JobKind(run=_measure_difficulty, give_up=_give_up)}
