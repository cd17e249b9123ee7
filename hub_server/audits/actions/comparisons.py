"""Compare two verifiers: ask for it, run it as a job, read it."""

from hub_server.audits.actions.audit_cases import community_cases, community_rows, tasks_by_id
from hub_server.audits.actions.withheld_content import drop_result, is_taken_down, shown_comparison
from hub_server.audits.errors import ComparisonNotFoundError
from hub_server.audits.models import ComparisonRow
from hub_server.audits.queries import comparisons as comparison_queries
from hub_server.audits.rules.event_words import HUB
from hub_server.catalog import actions as catalog
from hub_server.catalog.models import ReleaseRow
from hub_server.catalog.queries import packages as package_queries
from hub_server.database.base import new_id
from hub_server.errors import InvalidRequestError
from hub_server.execution import actions as execution
from hub_server.kernel.caller import require_caller
from hub_server.kernel.job_names import JobName
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.ports.executor import ExecutableRelease
from schemas.account import Scope
from schemas.comparison import ComparisonPlan, ComparisonRecord, ComparisonRequest, SideCases, VerifierComparison
from schemas.names import InvalidNameError, Reference

_LIVE = ("queued", "running")


def request_comparison(work: UnitOfWork, body: ComparisonRequest) -> ComparisonRecord:
    """Compare two releases' verifiers. What was compared (or is being) is returned instead, unless ``again``."""
    caller = require_caller(work.caller, Scope.CASES)
    left, right = _verifying_release(work, body.left), _verifying_release(work, body.right)
    if left.id == right.id:
        raise InvalidRequestError("Both sides are the same release: name two different ones.")
    known = comparison_queries.find_comparison(work.session, left.id, right.id)
    if known is not None and (known.state in _LIVE or (known.state == "done" and not body.again)):
        return record_of_comparison(work, known)
    job_id = work.queue(
        JobName.COMPARE, {"left": left.id, "right": right.id}, unique_key=f"compare:{left.id}:{right.id}"
    )
    row = comparison_queries.get_comparison(work.session, job_id) or _fresh_row(work, job_id, left, right)
    row.requested_by = row.requested_by or caller.name
    return record_of_comparison(work, row)


def _verifying_release(work: UnitOfWork, text: str) -> ReleaseRow:
    """The release that a reference means, if its responses can be judged."""
    try:
        reference = Reference.parse(text.strip())
    except InvalidNameError as error:
        raise InvalidRequestError(str(error)) from None
    row = catalog.usable_release(work, reference.package, reference.selector)
    execution.scoring_target(work, row.package_id, row.version)
    return row


def _fresh_row(work: UnitOfWork, comparison_id: str, left: ReleaseRow, right: ReleaseRow) -> ComparisonRow:
    row = ComparisonRow(
        id=comparison_id, left_release_id=left.id, right_release_id=right.id, state="queued", created_at=work.now
    )
    work.session.add(row)
    work.session.flush()
    return row


def find_comparison(work: UnitOfWork, left: str, right: str) -> ComparisonRecord | None:
    """The newest comparison of what two references mean, whichever way round it was asked for; None without one."""
    first, second = _verifying_release(work, left), _verifying_release(work, right)
    row = comparison_queries.find_comparison(work.session, first.id, second.id)
    row = row or comparison_queries.find_comparison(work.session, second.id, first.id)
    return record_of_comparison(work, row) if row is not None else None


def get_comparison(work: UnitOfWork, comparison_id: str) -> ComparisonRecord:
    """One comparison. Raises ``ComparisonNotFoundError``, and ``WithheldError`` where a side is hidden or gone."""
    row = comparison_queries.get_comparison(work.session, comparison_id)
    if row is None:
        raise ComparisonNotFoundError(f"There is no comparison {comparison_id!r} on this hub.")
    for release_id in (row.left_release_id, row.right_release_id):
        catalog.get_package_row(work, _release(work, release_id).package_id)
    return record_of_comparison(work, row)


def newest_comparisons(work: UnitOfWork, limit: int = 10) -> list[ComparisonRecord]:
    """What was compared last."""
    return [record_of_comparison(work, row) for row in comparison_queries.newest_comparisons(work.session, limit)]


def start_comparison(
    work: UnitOfWork, comparison_id: str, left_id: str, right_id: str
) -> ComparisonPlan[ExecutableRelease] | None:
    """Mark a comparison as running and gather what it runs; None when it is done already. Harmless to repeat."""
    left, right = _release(work, left_id), _release(work, right_id)
    row = comparison_queries.get_comparison(work.session, comparison_id) or _fresh_row(work, comparison_id, left, right)
    if row.state == "done":
        return None
    row.state, row.error = "running", ""
    return comparison_plan(work, left, right)


def comparison_plan(work: UnitOfWork, left: ReleaseRow, right: ReleaseRow) -> ComparisonPlan[ExecutableRelease]:
    """Both verifiers, and both releases' labelled cases with the community's."""
    targets = [execution.scoring_target(work, row.package_id, row.version) for row in (left, right)]
    names = (f"{left.package_id}@{left.version}", f"{right.package_id}@{right.version}")
    return ComparisonPlan(
        first=targets[0].verifier,
        second=targets[1].verifier,
        sides=[_side_cases(work, target, name) for target, name in zip(targets, names, strict=True)],
        names=names,
    )


def _side_cases(work: UnitOfWork, target: execution.ScoringTarget, name: str) -> SideCases:
    community = community_cases(community_rows(work, target.package))
    cases = [*work.services.wheels.contents(target.digest).cases(), *community]
    return SideCases(name, cases, tasks_by_id(work, target, cases))


def finish_comparison(work: UnitOfWork, comparison_id: str, found: VerifierComparison) -> None:
    """Keep the result."""
    row = comparison_queries.get_comparison(work.session, comparison_id)
    assert row is not None, "start_comparison made it"
    row.state, row.finished_at, row.result = "done", work.now, found.model_dump(mode="json")
    if is_taken_down(_release(work, row.left_release_id), _release(work, row.right_release_id)):
        drop_result(row)  # while it ran


def keep_comparison(work: UnitOfWork, left_id: str, right_id: str, found: VerifierComparison) -> None:
    """Keep a comparison that the hub made on its own, so that it can be read like any other."""
    row = ComparisonRow(
        id=new_id(work.now),
        left_release_id=left_id,
        right_release_id=right_id,
        state="done",
        requested_by=HUB,
        created_at=work.now,
        finished_at=work.now,
        result=found.model_dump(mode="json"),
    )
    if is_taken_down(_release(work, left_id), _release(work, right_id)):
        return
    work.session.add(row)


def fail_comparison(work: UnitOfWork, comparison_id: str, left_id: str, right_id: str, reason: str) -> None:
    """A comparison that failed for good says why."""
    left, right = _release(work, left_id), _release(work, right_id)
    row = comparison_queries.get_comparison(work.session, comparison_id) or _fresh_row(work, comparison_id, left, right)
    row.state, row.error, row.finished_at = "failed", reason, work.now


def _release(work: UnitOfWork, release_id: str) -> ReleaseRow:
    row = package_queries.find_release_by_id(work.session, release_id)
    assert row is not None, "releases are never deleted"
    return row


def record_of_comparison(work: UnitOfWork, row: ComparisonRow) -> ComparisonRecord:
    """A comparison's row as the wire shows it."""
    left, right = _release(work, row.left_release_id), _release(work, row.right_release_id)
    return ComparisonRecord.read(
        {
            "id": row.id,
            "left": f"{left.package_id}@{left.version}",
            "right": f"{right.package_id}@{right.version}",
            "state": row.state,
            "error": row.error,
            "requested_by": row.requested_by,
            "created_at": row.created_at,
            "finished_at": row.finished_at,
            "result": shown_comparison(work, VerifierComparison.read(row.result)) if row.result is not None else None,
        }
    )
