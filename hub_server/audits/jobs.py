"""The jobs that measure: audits, comparisons, replays, neighbours. Each may run twice and counts once."""

import logging
import threading
from types import TracebackType
from typing import Any, Self

from hub_server.audits import actions
from hub_server.database.job_queue import LeaseLostError
from hub_server.errors import ExecutionUnavailableError, InvalidRequestError, ReadOnlyError
from hub_server.execution.errors import NothingToExecuteError
from hub_server.kernel.job import JobKind, RunningJob
from hub_server.kernel.job_names import JobName
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.ports.executor import ExecutableRelease
from schemas.comparison import ComparisonPlan, VerifierComparison
from schemas.verdict import ErrorKind

MOST_TRIES_FOR_LOST_CALLS = 3  # chosen, not measured
_SHOW_EVERY_SECONDS = 0.5
_log = logging.getLogger("hub_server.audits")


def audit_release(job: RunningJob) -> None:
    """Measure the release ``payload["release_id"]``. The audit's id is the job's."""
    audit_id, release_id = job.lease.id, str(job.payload["release_id"])
    reason = job.services.executor.unavailable_reason()
    if reason is not None:
        with job.writing() as work:
            actions.record_waiting(work, audit_id, release_id, f"Waiting for the sandbox: {reason}")
        raise ExecutionUnavailableError(reason)
    try:
        with job.writing() as work:
            plan = actions.start_audit(work, audit_id, release_id)
    except NothingToExecuteError as refusal:  # another try would find the same
        with job.finishing() as work:
            actions.fail_audit(work, audit_id, release_id, str(refusal))
        return
    if plan is None:
        return
    with _ProgressShown(job, audit_id) as progress:
        report = job.services.executor.audit(plan, progress.note)
    lost = report.unscored_reasons.get(ErrorKind.HOST, 0)
    if lost and job.lease.attempt < MOST_TRIES_FOR_LOST_CALLS:
        raise AuditIncompleteError(f"{lost} calls were lost to faults of this hub's sandbox, not of the package.")
    with job.finishing() as work:
        actions.finish_audit(work, audit_id, report)


class AuditIncompleteError(Exception):
    """Calls were lost to faults of the sandbox, so the audit runs again; usually the next try loses none.

    After ``MOST_TRIES_FOR_LOST_CALLS`` the lost calls are reported as not judged. A verifier that kills its box each
    time looks like a fault of the sandbox, and must not stay without a report for that.
    """


class _ProgressShown:
    """Writes how far an audit is, from a thread of its own: the sandbox's loop must not wait for the database."""

    def __init__(self, job: RunningJob, audit_id: str) -> None:
        self._job = job
        self._audit_id = audit_id
        self._latest: tuple[int, int] | None = None
        self._is_lost = False
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._show, name="progress", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        self._thread.join()

    def note(self, done: int, total: int) -> None:
        """Called by the executor. Raises ``LeaseLostError`` when another worker has the job, which ends the audit."""
        self._job.check_not_over()
        if self._is_lost:
            raise LeaseLostError(f"audit {self._audit_id} was taken over")
        self._latest = (done, total)

    def _show(self) -> None:
        shown = None
        while not self._ended.wait(_SHOW_EVERY_SECONDS):
            if self._latest is None or self._latest == shown:
                continue
            shown = self._latest
            try:
                with self._job.writing() as work:
                    actions.record_progress(work, self._audit_id, *shown)
            except LeaseLostError:
                self._is_lost = True
                return
            except ReadOnlyError:
                shown = None  # written once the hub takes writes again
            except Exception:  # noqa: BLE001 -- a busy database costs a figure on a page, not an audit
                _log.exception("the progress of audit %s could not be written", self._audit_id)


def _give_up_audit(work: UnitOfWork, job_id: str, payload: dict[str, Any], reason: str) -> None:
    actions.fail_audit(work, job_id, str(payload["release_id"]), reason)


def replay_case(job: RunningJob) -> None:
    """Execute a counter-example that was submitted while the sandbox was away."""
    package, case_id = str(job.payload["package"]), str(job.payload["case_id"])
    with job.reading() as work:
        prepared = actions.prepare_replay(work, package, case_id)
    if prepared is None:
        return
    executed = actions.execute_case(job.services, prepared)
    if executed.verdict is None:
        raise ExecutionUnavailableError(executed.reason)
    with job.finishing() as work:
        actions.record_replay(work, package, case_id, executed)


def ask_verifiers(job: RunningJob) -> None:
    """Ask other people's verifiers about a reproduced counter-example."""
    with job.reading() as work:
        hearing = actions.plan_hearing(work, str(job.payload["package"]), str(job.payload["case_id"]))
    if hearing is None:
        return
    heard = actions.hear(job.services, hearing)
    with job.finishing() as work:
        actions.keep_hearing(work, hearing, heard)


def _require_sandbox(job: RunningJob) -> None:
    """Raise ``ExecutionUnavailableError`` while nothing can be run: the job is tried again later."""
    reason = job.services.executor.unavailable_reason()
    if reason is not None:
        raise ExecutionUnavailableError(reason)


def gather_disagreements(job: RunningJob) -> None:
    """Judge a package's stored rollouts with other verifiers, and make questions of those on which they disagree."""
    package = str(job.payload["package"])
    _require_sandbox(job)
    with job.reading() as work:
        plan = actions.plan_gathering(work, package)
    judged = actions.judge_rollouts(job.services, plan) if plan is not None else []
    with job.finishing() as work:
        if plan is not None:
            actions.keep_questions(work, plan, judged)


def settle_question(job: RunningJob) -> None:
    """Execute the case of a settled question whose request was cut off before it could."""
    with job.reading() as work:
        settled = actions.find_settled(work, str(job.payload["question_id"]))
    executed = actions.execute_case(job.services, settled.prepared) if settled is not None else None
    with job.finishing() as work:
        if settled is not None and executed is not None:
            actions.settle_question(work, settled, executed)


def _give_up(work: UnitOfWork, job_id: str, payload: dict[str, Any], reason: str) -> None:
    """Nothing to record when the job is given up: the next audit or run of the package does the same work again."""


def compare(job: RunningJob) -> None:
    """Run two verifiers over the same cases. The comparison's id is the job's."""
    left, right = str(job.payload["left"]), str(job.payload["right"])
    _require_sandbox(job)
    with job.writing() as work:
        plan = actions.start_comparison(work, job.lease.id, left, right)
    if plan is None:
        return
    found = job.services.executor.compare(plan, lambda _done, _total: job.check_not_over())
    with job.finishing() as work:
        actions.finish_comparison(work, job.lease.id, found)


def _give_up_comparison(work: UnitOfWork, job_id: str, payload: dict[str, Any], reason: str) -> None:
    actions.fail_comparison(work, job_id, str(payload["left"]), str(payload["right"]), reason)


def find_neighbours(job: RunningJob) -> None:
    """Find verifiers with similar code to a release's, and with the same verdicts."""
    release_id = str(job.payload["release_id"])
    _require_sandbox(job)
    with job.writing() as work:
        actions.keep_minhash(work, release_id)
    with job.reading() as work:
        candidates = actions.plan_neighbours(work, release_id)
    compared = [(one, _compare_if_possible(job, one.plan)) for one in candidates]
    with job.finishing() as work:
        actions.keep_neighbours(work, release_id, compared)


def _compare_if_possible(job: RunningJob, plan: ComparisonPlan[ExecutableRelease] | None) -> VerifierComparison | None:
    """None when there is nothing to run, or when one of the two cannot be run. The others are still compared."""
    if plan is None:
        return None
    try:
        return job.services.executor.compare(plan, lambda _done, _total: job.check_not_over())
    except InvalidRequestError as error:
        _log.info("%s and %s cannot be compared: %s", *plan.names, error.detail)
        return None


def measure_with_suite(job: RunningJob) -> None:
    """A suite came, went, or counts otherwise than before: queue audits of the releases that it concerns."""
    suite = str(job.payload["suite"])
    with job.finishing() as work:
        if job.payload.get("has_read"):
            actions.measure_readers(work, suite)
        else:
            actions.measure_with_suite(work, suite, has_lost=bool(job.payload.get("has_lost")))


def follow_hidden_account(job: RunningJob) -> None:
    """Go on with the cases of an account that was hidden or is shown again."""
    with job.finishing() as work:
        actions.follow_hidden_account(work, str(job.payload["account"]), str(job.payload["after"]))


def measure_after_membership(job: RunningJob) -> None:
    """Somebody joined or left an organisation: queue audits of the releases whose suites it concerns."""
    with job.finishing() as work:
        actions.measure_after_membership(work, str(job.payload["organization"]), str(job.payload["account"]))


def measure_after_transfer(job: RunningJob) -> None:
    """A package was given to somebody else: queue audits of the releases whose evidence it concerns."""
    with job.writing() as work:
        is_all = actions.measure_after_transfer(work, str(job.payload["package"]))
    if not is_all:
        raise ExecutionUnavailableError("an audit that began before the package had its new owner is still running")
    with job.finishing():
        pass


KINDS = {
    JobName.MEASURE_AFTER_TRANSFER: JobKind(run=measure_after_transfer, give_up=_give_up),
    JobName.FOLLOW_HIDDEN_ACCOUNT: JobKind(run=follow_hidden_account, give_up=_give_up),
    JobName.MEASURE_AFTER_MEMBERSHIP: JobKind(run=measure_after_membership, give_up=_give_up),
    JobName.MEASURE_WITH_SUITE: JobKind(run=measure_with_suite, give_up=_give_up),
    JobName.ASK_VERIFIERS: JobKind(run=ask_verifiers, give_up=_give_up),
    JobName.COMPARE: JobKind(run=compare, give_up=_give_up_comparison),
    JobName.FIND_NEIGHBOURS: JobKind(run=find_neighbours, give_up=_give_up),
    JobName.GATHER_DISAGREEMENTS: JobKind(run=gather_disagreements, give_up=_give_up),
    JobName.AUDIT_RELEASE: JobKind(run=audit_release, give_up=_give_up_audit),
    JobName.SETTLE_QUESTION: JobKind(run=settle_question, give_up=_give_up),
    JobName.REPLAY_CASE: JobKind(run=replay_case, give_up=_give_up),
}
