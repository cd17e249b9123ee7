"""Delete a run: it is gone with its metrics and rollouts, and their bytes no longer count."""

from hub_server.accounts import actions as accounts
from hub_server.kernel.job_names import JobName
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.ownership import queries
from hub_server.runs import actions as runs


def delete_run(work: UnitOfWork, run_id: str) -> None:
    """Delete a run of the caller's for good. Raises ``RunNotFoundError``, ``NotAllowedError``."""
    accounts.require_proof(work)
    row = runs.own_run(work, run_id)
    runs.note_difficulty(work, row)  # what it said of environments counts no more
    for release_id in queries.erase_run(work.session, row.id):
        work.queue(JobName.MEASURE_BENCHMARK, {"release_id": release_id})
