"""Read audits, and ask for one."""

from hub_server.audits.actions.evidence import told_probe_seed
from hub_server.audits.actions.withheld_content import shown_report
from hub_server.audits.errors import AuditNotFoundError
from hub_server.audits.models import AuditRow
from hub_server.audits.queries import audits as audit_queries
from hub_server.catalog import actions as catalog
from hub_server.catalog.models import ReleaseRow
from hub_server.catalog.queries import packages as package_queries
from hub_server.execution.errors import NothingToExecuteError
from hub_server.kernel.caller import require_caller
from hub_server.kernel.cursors import check_limit, decode_cursor, encode_cursor
from hub_server.kernel.job_names import JobName
from hub_server.kernel.unit_of_work import UnitOfWork
from schemas.account import Scope
from schemas.evidence.audit import AuditRecord, AuditReport
from schemas.names import LATEST
from schemas.page import Page


def find_latest_audit(work: UnitOfWork, package_id: str, version: str = LATEST) -> AuditRecord | None:
    """The newest finished audit of the release that ``version`` means, with its report, or None."""
    release = catalog.resolve_release(work, package_id, version)
    row = audit_queries.find_newest_done(work.session, release.id)
    return _with_seed(work, row) if row is not None else None


def get_latest_audit(work: UnitOfWork, package_id: str, version: str = LATEST) -> AuditRecord:
    """The newest finished audit. Raises ``AuditNotFoundError``."""
    record = find_latest_audit(work, package_id, version)
    if record is None:
        raise AuditNotFoundError(f"{package_id} {version} was not measured yet: ask again once its audit has ended.")
    return record


def get_audit(work: UnitOfWork, audit_id: str) -> AuditRecord:
    """One audit with its report. Raises ``AuditNotFoundError``, ``WithheldError``."""
    row = audit_queries.find_audit(work.session, audit_id)
    if row is None:
        raise AuditNotFoundError(f"There is no audit {audit_id!r} on this hub.")
    catalog.get_package_row(work, row.package_id)  # of a package that is hidden or gone nothing is told by id either
    return _with_seed(work, row)


def get_audit_of(work: UnitOfWork, package_id: str, version: str, audit_id: str) -> AuditRecord:
    """An audit of that very release. Raises ``AuditNotFoundError`` also where the audit is another release's."""
    release = catalog.resolve_release(work, package_id, version)
    row = audit_queries.find_audit(work.session, audit_id)
    if row is None or row.release_id != release.id:
        raise AuditNotFoundError(f"{release.package_id} {release.version} has no audit {audit_id!r}.")
    return _with_seed(work, row)


def _with_seed(work: UnitOfWork, row: AuditRow) -> AuditRecord:
    """One audit, with the seed of its probes where that is told. Lists are without: it takes a look at all releases."""
    release = package_queries.find_release_by_id(work.session, row.release_id)
    seed = told_probe_seed(work, release) if release is not None else ""
    return record_of(work, row).model_copy(update={"probe_seed": seed})


def list_audits(
    work: UnitOfWork, package_id: str, version: str | None = None, *, cursor: str | None = None, limit: int = 20
) -> Page[AuditRecord]:
    """Audits of a package (or of one release), newest first, with their reports."""
    release = catalog.resolve_release(work, package_id, version) if version is not None else None
    if release is None:
        catalog.get_package_row(work, package_id)
    after = decode_cursor(cursor, "audits", str)
    rows = audit_queries.page_of_audits(
        work.session, package_id, release.id if release else None, after[0] if after else None, check_limit(limit) + 1
    )
    more = encode_cursor("audits", rows[limit - 1].id) if len(rows) > limit else None
    return Page[AuditRecord](items=[record_of(work, row) for row in rows[:limit]], next=more)


def request_audit(work: UnitOfWork, package_id: str, version: str) -> AuditRecord:
    """Measure a release again (anybody with an account may ask); one that waits or runs is returned instead."""
    require_caller(work.caller, Scope.CASES)
    release = catalog.usable_release(work, package_id, version)
    if catalog.release_of(release).manifest.verifier is None:
        raise NothingToExecuteError(f"{package_id} {release.version} has no verifier that could be measured.")
    live = audit_queries.find_live_audit(work.session, release.id)
    if live is not None:
        return record_of(work, live)
    audit_id = work.queue(JobName.AUDIT_RELEASE, {"release_id": release.id}, unique_key=f"audit:{release.id}")
    row = queued_row(work, audit_id, release)
    if release.audit_state != "running":
        catalog.record_audit_state(work, release.id, "queued")
    return record_of(work, row)


def queued_row(work: UnitOfWork, audit_id: str, release: ReleaseRow) -> AuditRow:
    """The audit's row, made when nobody has asked for it yet."""
    row = audit_queries.find_audit(work.session, audit_id)
    if row is None:
        row = AuditRow(
            id=audit_id,
            package_id=release.package_id,
            release_id=release.id,
            version=release.version,
            state="queued",
            created_at=work.now,
        )
        work.session.add(row)
        work.session.flush()
    return row


def record_of(work: UnitOfWork, row: AuditRow) -> AuditRecord:
    """An audit's row as the wire shows it, without the words of cases that moderators hid."""
    report = shown_report(work, AuditReport.read(row.report)) if row.report is not None else None
    return AuditRecord.read(
        {
            "id": row.id,
            "package": row.package_id,
            "version": row.version,
            "state": row.state,
            "done_cases": row.done_cases,
            "total_cases": row.total_cases,
            "error": row.error,
            "created_at": row.created_at,
            "finished_at": row.finished_at,
            "report": report,
            "report_digest": work.services.signer.digest(report) if report is not None else "",
            "changed": row.changed or [],
            "key_id": work.services.signer.key_of(report) if report is not None else "",
        }
    )
