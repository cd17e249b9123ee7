"""Releases are measured again after a time, and a verdict that has changed since is kept."""

from datetime import datetime, timedelta

from hub_server.audits.actions.cases import queue_audit
from hub_server.audits.models import AuditRow
from hub_server.audits.queries import audits as audit_queries
from hub_server.kernel.unit_of_work import UnitOfWork
from schemas.evidence.audit import AuditReport, ChangedVerdict

MOST_CHANGES = 50
"""Changed verdicts that an audit keeps."""
MOST_AT_ONCE = 5
"""Releases that are queued in one round; a worker's round comes once an hour."""


def queue_overdue_audits(work: UnitOfWork) -> None:
    """Queue the shown releases that were not measured for ``audit_again_days``, the longest first."""
    before = work.now - timedelta(days=work.services.settings.sandbox.audit_again_days)
    for release in audit_queries.measured_before(work.session, before, MOST_AT_ONCE):
        queue_audit(work, release.package_id, release.version)


def note_changes(row: AuditRow, earlier: AuditRow | None, report: AuditReport, now: datetime) -> None:
    """Keep what this audit judged, and which verdicts differ from an earlier audit of the same bytes.

    Earlier findings stay: a verifier that changes back has changed twice. A verdict that ever changed is kept in a
    list, and counts as not judged from then on.
    """
    row.verdicts = {key: accepted for key, (_, accepted) in report.verdicts.items()}
    row.changed = []
    if earlier is None or earlier.id == row.id:
        return
    kept = earlier.verdicts or {}
    row.verdicts = {key: last for key, last in kept.items() if isinstance(last, list)} | {
        key: [accepted] if isinstance(kept.get(key), list) or kept.get(key, accepted) is not accepted else accepted
        for key, accepted in row.verdicts.items()
    }
    known = {key: last[0] if isinstance(last, list) else last for key, last in kept.items()}
    found = [
        ChangedVerdict(case=case, before=known[key], after=accepted, seen_at=now)
        for key, (case, accepted) in report.verdicts.items()
        if key in known and known[key] is not accepted
    ]
    row.changed = [*(one.model_dump(mode="json") for one in found), *(earlier.changed or [])][:MOST_CHANGES]
    earlier.verdicts = None
