"""The worker's entry: erase the bytes of what was taken down. Harmless to repeat."""

import logging
from typing import Any

from hub_server.catalog.queries import packages as package_queries
from hub_server.kernel.job import JobKind, RunningJob
from hub_server.kernel.job_names import JobName
from hub_server.kernel.unit_of_work import UnitOfWork

_log = logging.getLogger("hub_server.catalog")


def erase_bytes(job: RunningJob) -> None:
    """Delete the wheel of the release ``payload["release_id"]`` from the store and from this machine's cache.

    Only a release that was taken down loses its bytes. No other release can need them, for a wheel holds its package's
    name and version. Other machines of the hub may keep a copy in their cache, which no route serves.
    """
    with job.finishing() as work:
        row = package_queries.find_release_by_id(work.session, str(job.payload["release_id"]))
        if row is None or row.taken_down_reason is None:
            return
        work.services.blobs.delete(row.digest)
        work.services.wheels.forget(row.digest)


def _say_they_are_there(work: UnitOfWork, job_id: str, payload: dict[str, Any], reason: str) -> None:
    """Tell the operator that the bytes are still there, because nobody else waits for this job."""
    del work, job_id
    _log.error("the bytes of release %s could not be erased: %s", payload.get("release_id"), reason)


KINDS = {JobName.ERASE_BYTES: JobKind(run=erase_bytes, give_up=_say_they_are_there)}
