"""Reports of another hub, on a mirror of it: kept as they are, once their signature was checked."""

import re

from hub_server.audits.actions.audit_runs import show_report
from hub_server.audits.actions.signatures import check_report
from hub_server.audits.models import AuditRow
from hub_server.audits.queries import audits as audit_queries
from hub_server.catalog.models import ReleaseRow
from hub_server.errors import InvalidRequestError
from hub_server.kernel.unit_of_work import UnitOfWork
from schemas.evidence.audit import AuditRecord

_ID = re.compile(r"[0-9A-Za-z]{1,64}")


def keep_copied_audit(work: UnitOfWork, release: ReleaseRow, record: AuditRecord) -> None:
    """Keep a finished audit of ``release`` that the other hub has made, and show its figures.

    One that is older than what is here changes nothing. Raises ``InvalidRequestError`` for a report of another release,
    or that no key of the other hub has signed.
    """
    report = record.report
    subject = f"{release.package_id}@{release.version}"
    named = (record.package, record.version)
    if report is None or report.subject != subject or named != (release.package_id, release.version):
        raise InvalidRequestError(f"The audit of {subject} belongs to another release.")
    check = check_report(work, report)
    if check.state != "signed" or report.audited_at is None or report.audited_at.utcoffset() is None:
        raise InvalidRequestError(f"The audit of {subject} is not signed by the hub's keys ({check.state}).")
    newest = audit_queries.find_newest_done(work.session, release.id)
    if newest is not None and newest.finished_at is not None and newest.finished_at > report.audited_at:
        return
    if not _ID.fullmatch(record.id):
        raise InvalidRequestError(f"An audit of {subject} has an id that no hub gives.")
    row = audit_queries.find_audit(work.session, record.id)
    kept = report.model_dump(mode="json")
    if row is not None and row.report == kept:
        return
    if row is None:
        row = AuditRow(
            id=record.id,
            package_id=release.package_id,
            release_id=release.id,
            version=release.version,
            created_at=report.audited_at,
            state="done",
        )
        work.session.add(row)
    elif row.release_id != release.id:
        raise InvalidRequestError(f"An audit of {subject} has the id of another release's audit.")
    row.state, row.error, row.finished_at = "done", "", report.audited_at
    row.done_cases = row.total_cases = report.case_count
    row.report = kept
    work.session.flush()
    show_report(work, row, report, release.blocked)
