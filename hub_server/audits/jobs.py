"""The worker's entries: measure a release, replay a counter-example. Both may run twice and count once."""

import time
from typing import Any

from hub_server.audits import actions
from hub_server.errors import SandboxUnavailableError
from hub_server.job import JobKind, RunningJob
from hub_server.work import Work

_SHOW_EVERY_SECONDS = 0.5


def audit_release(job: RunningJob) -> None:
    """Measure the release ``payload["release_id"]``. The audit's id is the job's."""
    audit_id, release_id = job.claim.id, str(job.payload["release_id"])
    reason = job.parts.executor.unavailable_reason()
    if reason is not None:
        with job.writing() as work:
            actions.record_waiting(work, audit_id, release_id, f"Waiting for the sandbox: {reason}")
        raise SandboxUnavailableError(reason)
    with job.writing() as work:
        plan = actions.start_audit(work, audit_id, release_id)
    if plan is None:
        return
    shown_at = 0.0

    def show(done: int, total: int) -> None:
        nonlocal shown_at
        if time.monotonic() - shown_at >= _SHOW_EVERY_SECONDS:
            shown_at = time.monotonic()
            with job.writing() as work:
                actions.record_progress(work, audit_id, done, total)

    report = job.parts.executor.audit(plan, show)
    with job.finishing() as work:
        actions.finish_audit(work, audit_id, report)


def _bury_audit(work: Work, job_id: str, payload: dict[str, Any], reason: str) -> None:
    actions.bury_audit(work, job_id, str(payload["release_id"]), reason)


def replay_case(job: RunningJob) -> None:
    """Execute a counter-example that was submitted while the sandbox was away."""
    package, case_id = str(job.payload["package"]), str(job.payload["case_id"])
    with job.reading() as work:
        prepared = actions.prepare_replay(work, package, case_id)
    if prepared is None:
        return
    executed = actions.execute_case(job.parts, prepared)
    if executed.verdict is None:
        raise SandboxUnavailableError(executed.reason)
    with job.finishing() as work:
        actions.record_replay(work, package, case_id, executed)


def _leave_open(work: Work, job_id: str, payload: dict[str, Any], reason: str) -> None:
    """An open case needs no burial: the next audit of the package replays it."""


KINDS = {
    "audits.audit_release": JobKind(run=audit_release, bury=_bury_audit),
    "audits.replay_case": JobKind(run=replay_case, bury=_leave_open),
}
