"""Reports that the label of a suite's case is wrong.

A report is a counter-example to the suite: the same case with the opposite label. It is seconded, disputed, withdrawn
and hidden like any other. When it counts, the case counts in no rate (``rules.label_reports``).
"""

from collections.abc import Collection, Mapping, Sequence
from functools import cache, partial

from hub_server.accounts import actions as accounts
from hub_server.audits.actions.case_rows import case_of, note_event, set_state
from hub_server.audits.actions.cases import add_row, new_row, queue_audit, refuse_large, refuse_second
from hub_server.audits.actions.quotas import refuse_too_many_cases
from hub_server.audits.actions.seconders import let_count
from hub_server.audits.errors import InvalidCaseError
from hub_server.audits.queries import cases as case_queries
from hub_server.audits.rules.cases import case_key, with_task
from hub_server.audits.rules.label_reports import CountedReport, LeftOut, left_out, opposite_of
from hub_server.audits.rules.standing import BY_OWNER
from hub_server.catalog import actions as catalog
from hub_server.catalog.models import ReleaseRow
from hub_server.catalog.queries import packages as package_queries
from hub_server.catalog.rules.versions import version_key
from hub_server.kernel.caller import require_caller
from hub_server.kernel.unit_of_work import UnitOfWork
from schemas.account import Scope
from schemas.evidence.cases import AuditCase, Label
from schemas.evidence.counter_examples import CaseState, CounterExample
from schemas.evidence.suite_leaderboard import ReportedLabel
from schemas.kinds import PackageKind

MOST_SHOWN = 50
"""Reports on a suite's page; the list of its counter-examples has all."""


def report_label(work: UnitOfWork, suite_id: str, case_id: str, reason: str) -> CounterExample:
    """Say that a suite's case has the wrong label. By the suite's owner it counts at once.

    Raises ``InvalidCaseError`` for what is no suite or no case of its shown release, and without a reason;
    ``CaseExistsError`` where it was reported before.
    """
    caller = require_caller(work.caller, Scope.CASES)
    if not reason.strip():
        raise InvalidCaseError("Say why the label is wrong: whoever seconds or disputes the report reads your reason.")
    suite = _shown_suite(work, suite_id)
    said = _find_case(work, suite, case_id)
    label = opposite_of(said.label)
    update = {"label": label, "note": reason.strip(), "expect": None}
    case = with_task(said, dict(said.task or {})).as_authors.model_copy(update=update)
    refuse_large(case)
    package_queries.lock_package(work.session, suite_id)
    refuse_too_many_cases(work, suite_id, suite.version, caller.name)
    refuse_second(work, suite_id, suite.version, case_key(case), label.value, caller.name)
    row = new_row(work, case, label.value, caller.name, package=suite_id, version=suite.version)
    set_state(row, CaseState.REPRODUCED)
    note_event(work, row, "submitted", caller.name, reason=reason.strip())
    add_row(work, row)
    if accounts.may_publish_for(work, caller.name, catalog.owner_of(work, suite_id)):
        let_count(work, row, BY_OWNER)
        queue_audit(work, suite_id, suite.version)
    return case_of(row)


def list_reported_labels(
    work: UnitOfWork, suite_id: str, out: LeftOut, against: Mapping[str, int]
) -> list[ReportedLabel]:
    """The newest reports. ``out``: what they leave out of the shown release; ``against``: case -> verifiers."""
    rows = case_queries.page_of_cases(work.session, suite_id, None, None, MOST_SHOWN)
    return [
        ReportedLabel(
            report=row.id,
            case=row.case["id"],
            label=opposite_of(Label(row.case["label"])),
            state=CaseState(row.state),
            counted_by=row.counted_by,
            is_left_out=row.id in out.reports,
            waits=row.id in out.waiting,
            against=against.get(row.case["id"], 0),
            reason=row.case.get("note", ""),
            submitted_by=row.submitted_by,
            submitted_at=row.submitted_at,
        )
        for row in rows
    ]


def cases_left_out(work: UnitOfWork, suite_id: str, cases: Sequence[AuditCase]) -> LeftOut:
    """Which of the cases of a release of the suite count in no rate, by the reports that count now."""
    rows = case_queries.counted_cases(work.session, suite_id)
    if not rows:
        return LeftOut()
    reports = [CountedReport(row.id, AuditCase.read(row.case), row.against, row.counted_by) for row in rows]
    judged = [case for case in cases if case.task is not None]
    return left_out(judged, reports, cache(partial(_keys_of, work, suite_id)))


def _keys_of(work: UnitOfWork, suite_id: str, version: str) -> Collection[str]:
    """The content keys of one version's cases; none where it was taken down."""
    release = package_queries.find_release_by_key(work.session, suite_id, version_key(version))
    if release is None or release.taken_down_reason is not None:
        return ()
    return {case_key(case) for case in work.services.wheels.contents(release.digest).cases()}


def _shown_suite(work: UnitOfWork, suite_id: str) -> ReleaseRow:
    if catalog.get_package_row(work, suite_id).kind != PackageKind.SUITE:
        raise InvalidCaseError(f"{suite_id} is no suite: submit a counter-example to a verifier instead.")
    suite = package_queries.find_shown_release(work.session, suite_id)
    if suite is None:
        raise InvalidCaseError(f"{suite_id} shows no release, so no case of it counts in any rate.")
    return catalog.usable_release(work, suite_id, suite.version)


def _find_case(work: UnitOfWork, suite: ReleaseRow, case_id: str) -> AuditCase:
    for case in work.services.wheels.contents(suite.digest).cases():
        if case.id == case_id and case.task is not None:
            return case
    raise InvalidCaseError(
        f"{suite.package_id} {suite.version} has no case {case_id!r}. "
        "Cases that the hub draws or holds cannot be reported."
    )
