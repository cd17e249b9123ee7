"""The steps of an audit that use the database."""

from collections.abc import Mapping
from collections.abc import Set as AbstractSet

from hub_server.audits.actions.audit_cases import community_cases, community_rows, tasks_by_id
from hub_server.audits.actions.case_rows import is_agreed, note_event, set_state
from hub_server.audits.actions.disagreements import queue_gathering
from hub_server.audits.actions.evidence import case_draws, independent_cases, probe_seed
from hub_server.audits.actions.later_audits import note_changes
from hub_server.audits.actions.neighbours import queue_neighbours
from hub_server.audits.actions.release_luck import without_luck
from hub_server.audits.actions.reports import queued_row
from hub_server.audits.actions.signatures import sign_report
from hub_server.audits.actions.thinned_evidence import with_earlier_f
from hub_server.audits.actions.withheld_content import GONE, is_taken_down
from hub_server.audits.models import AuditRow, CounterExampleRow, SuiteResultRow
from hub_server.audits.queries import audits as audit_queries
from hub_server.audits.queries import cases as case_queries
from hub_server.audits.queries import suites as suite_queries
from hub_server.audits.rules.cases import (
    community_id,
    next_state,
    origins_of,
    repeated_case,
    replayed_outcomes,
    suites_of,
    why_blocked,
)
from hub_server.audits.rules.suite_leaderboard import wrong_cases
from hub_server.catalog import actions as catalog
from hub_server.catalog.queries import packages as package_queries
from hub_server.catalog.rules.versions import version_key
from hub_server.execution import actions as execution
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.ports.executor import ExecutableRelease
from hub_server.runs import actions as runs
from schemas.events import EventKind
from schemas.evidence.audit import AuditReport
from schemas.evidence.audit_plan import AuditPlan
from schemas.evidence.counter_examples import CaseState, holds_back
from schemas.package import AuditSummary

MOST_PARTS_IN_LISTS = 3
"""Lists name at most so many reasons for a low grade; the report holds all."""


def start_audit(work: UnitOfWork, audit_id: str, release_id: str) -> AuditPlan[ExecutableRelease] | None:
    """Mark the audit as running and collect what it measures. None when it is done already. Harmless to repeat."""
    release = package_queries.find_release_by_id(work.session, release_id)
    assert release is not None, "releases are never deleted"
    row = queued_row(work, audit_id, release)
    if row.state == "done":
        return None
    row.state, row.done_cases, row.error = "running", 0, ""
    catalog.record_audit_state(work, release.id, "running")
    target = execution.scoring_target(work, release.package_id, release.version)
    contents = work.services.wheels.contents(release.digest)
    community = community_rows(work, release.package_id)
    evidence = independent_cases(work, release, contents.manifest)
    known = [*contents.cases(), *evidence]
    cases = [*known, *community_cases(community, release.published_at, known)]
    row.replayed = [case.id for case in community]
    earlier = audit_queries.find_newest_done(work.session, release.id)
    row.total_cases = len(cases)
    return AuditPlan(
        verifier=target.verifier,
        subject=f"{release.package_id}@{release.version}",
        cases=cases,
        tasks=tasks_by_id(work, target, cases),
        repeats=work.services.settings.sandbox.audit_repeats,
        seconds=work.services.settings.sandbox.audit_seconds,
        probe_seed=probe_seed(work, release),
        order=audit_id if earlier is not None else None,
        earlier=(earlier.verdicts or {}) if earlier is not None else {},
        draws=case_draws(work, release, contents.manifest),
    )


def record_progress(work: UnitOfWork, audit_id: str, done: int, total: int) -> None:
    """Show how far an audit is."""
    row = audit_queries.find_audit(work.session, audit_id)
    if row is not None and row.state == "running":
        row.done_cases, row.total_cases = done, total


def record_waiting(work: UnitOfWork, audit_id: str, release_id: str, reason: str) -> None:
    """Show why an audit cannot begin yet (the sandbox is away). It stays queued."""
    release = package_queries.find_release_by_id(work.session, release_id)
    assert release is not None, "releases are never deleted"
    row = queued_row(work, audit_id, release)
    row.state, row.error = "queued", reason
    catalog.record_audit_state(work, release_id, "queued")


def finish_audit(work: UnitOfWork, audit_id: str, report: AuditReport) -> None:
    """Store the report, update the counter-examples that it replayed, and decide whether the release may become
    ``@latest``.
    """
    row = audit_queries.find_audit(work.session, audit_id)
    assert row is not None, "start_audit made it"
    now = work.now
    release = package_queries.find_release_by_id(work.session, row.release_id)
    if release is None or is_taken_down(release):
        row.state, row.finished_at, row.error = "failed", now, GONE  # while it ran
        return
    note_changes(row, audit_queries.find_newest_done(work.session, row.release_id), report, now)
    row.state, row.finished_at, row.error = "done", now, ""
    report = without_luck(work, release, with_earlier_f(work, release, report))
    report = sign_report(work, report.model_copy(update={"audited_at": report.audited_at or now}))
    row.report = report.model_dump(mode="json")
    row.done_cases = row.total_cases = report.case_count
    blocked = _settle_cases(work, row, report)
    show_report(work, row, report, blocked)
    if runs.newest_rollouts(work, row.package_id, 1):
        queue_gathering(work, row.package_id)
    queue_neighbours(work, row.release_id)


def show_report(work: UnitOfWork, row: AuditRow, report: AuditReport, blocked: str) -> None:
    """Write a signed report's figures where lists, cards and leaderboards read them, and tell others of it."""
    summary = AuditSummary(
        version=row.version,
        grade=report.grade,
        overall=report.overall,
        case_count=report.case_count,
        audited_at=report.audited_at or work.now,
        is_hollow=report.grading is not None and report.grading.is_hollow,
        reads=report.grading.reads if report.grading is not None else None,
        first_look=report.grading.first_look if report.grading is not None else None,
        known=report.grading.known if report.grading is not None else None,
        pulled=report.grading.pulled[:MOST_PARTS_IN_LISTS] if report.grading is not None else [],
        needs=report.grading.needs if report.grading is not None else [],
        suites=suites_of(report),
        origins=origins_of(report),
    )
    work.announce(EventKind.AUDIT_FINISHED, row.package_id, row.version, audit=row.id, grade=report.grade.value)
    catalog.record_audit_summary(work, row.release_id, summary, blocked)
    results = [
        SuiteResultRow(
            release_id=row.release_id,
            suite=suite,
            measurement=measured.model_dump(mode="json"),
            wrong=wrong_cases(suite, report.failures),
        )
        for suite, measured in summary.suites.items()
    ]
    suite_queries.replace_suite_results(work.session, row.release_id, results)


def _settle_cases(work: UnitOfWork, row: AuditRow, report: AuditReport) -> str:
    """Update the state of the replayed counter-examples. Returns why the release is blocked, or empty."""
    asked = set(row.replayed)
    replayed = {
        case.id: case for case in case_queries.cases_to_replay(work.session, row.package_id) if case.id in asked
    }
    outcomes = replayed_outcomes(report, replayed)
    reported = {case.removeprefix(community_id("")) for case in report.in_no_rate}
    returned: list[str] = []
    unjudged: list[str] = []
    for case_id, wrong in outcomes.items():
        case = replayed[case_id]
        state = CaseState(case.state)
        if case_id not in reported and _was_right_before(case, row.version):
            (returned if wrong else unjudged if wrong is None else []).append(case_id)
        set_state(case, next_state(state, wrong, is_agreed=is_agreed(case)))
        if case.state == CaseState.FIXED and case.fixed_in is None:
            case.fixed_in = row.version
        if case.state != state:
            note_event(work, case, "replayed", version=row.version)
    _note_waiting(work, row, replayed, reported, report.repeats)
    _note_vectors(replayed, report, row.version)
    _count_fixed(work, row.package_id)
    return why_blocked(returned, unjudged)


def _was_right_before(case: CounterExampleRow, version: str) -> bool:
    """Whether an earlier release than ``version`` got a case right that may hold releases back."""
    right_since = {CaseState.FIXED: case.fixed_in, CaseState.AGREED: case.against}.get(CaseState(case.state))
    may_hold = holds_back(case.counted_by, case.corroborated_by)
    return may_hold and right_since is not None and version_key(right_since) < version_key(version)


def _note_waiting(
    work: UnitOfWork,
    row: AuditRow,
    replayed: Mapping[str, CounterExampleRow],
    reported: AbstractSet[str],
    repeats: Mapping[str, str],
) -> None:
    """Keep which cases were made to count and wait, or repeat another one, as the newest release's audit says."""
    release = package_queries.find_release_by_id(work.session, row.release_id)
    if release is None or package_queries.has_release_after(work.session, row.package_id, release.published_at):
        return
    for case_id, case in replayed.items():
        case.repeats = repeated_case(repeats.get(community_id(case_id), ""))
        case.waits = bool(case.counted_by) and not reported.isdisjoint((case_id, case.repeats))


def _note_vectors(replayed: dict[str, CounterExampleRow], report: AuditReport, version: str) -> None:
    for failure in report.failures:
        case = replayed.get(failure.case.removeprefix(community_id("")))
        if case is not None and failure.case.startswith(community_id("")):
            case.verdicts = {**case.verdicts, version: failure.got}


def _count_fixed(work: UnitOfWork, package_id: str) -> None:
    work.session.flush()
    package = package_queries.lock_package(work.session, package_id)
    assert package is not None
    counts = case_queries.count_cases(work.session, package_id)
    package.fixed_case_count = counts.get(CaseState.FIXED, 0) + counts.get(CaseState.AGREED, 0)


def fail_audit(work: UnitOfWork, audit_id: str, release_id: str, reason: str) -> None:
    """Record an audit that failed for good. The page says so; the figures of an earlier audit stay."""
    release = package_queries.find_release_by_id(work.session, release_id)
    assert release is not None, "releases are never deleted"
    row = queued_row(work, audit_id, release)
    row.state, row.error, row.finished_at = "failed", reason, work.now
    catalog.record_audit_state(work, release_id, "failed")
