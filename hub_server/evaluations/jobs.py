"""The worker's entry: compute a benchmark's report anew. Harmless to repeat."""

from typing import Any

from hub_server.evaluations import actions
from hub_server.kernel.job import JobKind, RunningJob
from hub_server.kernel.job_names import JobName
from hub_server.kernel.unit_of_work import UnitOfWork


def measure_benchmark(job: RunningJob) -> None:
    """Compute the report of the release ``payload["release_id"]`` from all its results, unless it is there already.

    Of a hundred results that come together the first job sees some, the second all; the others find nothing to do.
    """
    release_id = str(job.payload["release_id"])
    with job.writing() as work:
        if actions.confirm_report(work, release_id):
            return
    with job.reading() as work:
        report = actions.compute_report(work, release_id)
    with job.finishing() as work:
        if report is None:  # whoever sent results is hidden, or their runs are deleted
            actions.forget_report(work, release_id)
        else:
            actions.keep_report(work, release_id, report)


def _keep_older_report(work: UnitOfWork, job_id: str, payload: dict[str, Any], reason: str) -> None:
    """The older report stays; the job's note says why there is no newer one."""


KINDS = {JobName.MEASURE_BENCHMARK: JobKind(run=measure_benchmark, give_up=_keep_older_report)}
