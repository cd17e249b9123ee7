"""What people can report and moderators can do."""

from hub_server.audits import actions as audits
from hub_server.catalog import actions as catalog
from hub_server.database.base import new_id
from hub_server.errors import InvalidRequestError
from hub_server.kernel.caller import require_caller, require_moderator
from hub_server.kernel.cursors import check_limit, decode_cursor, encode_cursor
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.moderation import queries
from hub_server.moderation.errors import ReportNotFoundError
from hub_server.moderation.models import ModerationEventRow, ReportRow
from schemas.account import Scope
from schemas.audit import CounterExample
from schemas.moderation import ModerationAction, ModerationEvent, Report, ReportCreate, ReportDecision
from schemas.package import Release
from schemas.page import Page

STATES = ("open", "acted", "dismissed")


def report_package(work: UnitOfWork, package_id: str, body: ReportCreate) -> Report:
    """Tell the moderators about a package. A second report while the first is open adds to the first."""
    caller = require_caller(work.caller, Scope.CASES)
    catalog.get_release(work, package_id, body.version) if body.version else catalog.get_package(work, package_id)
    row = queries.find_open_report(work.session, package_id, caller.name)
    if row is None:
        now = work.now
        row = ReportRow(
            id=new_id(now),
            package_id=package_id,
            version=body.version,
            reason=body.reason.value,
            text=body.text,
            reporter=caller.name,
            created_at=now,
        )
        work.session.add(row)
    else:
        row.text = f"{row.text}\n\n{_heading(row, body)}{body.text}"[-16_000:]
    work.session.flush()
    return _report_of(row)


def _heading(row: ReportRow, body: ReportCreate) -> str:
    """What the added words are about, where the report itself says something else."""
    about = [body.reason.value] if body.reason.value != row.reason else []
    about += [body.version or "the whole package"] if body.version != row.version else []
    return f"[{', '.join(about)}] " if about else ""


def list_reports(
    work: UnitOfWork, *, state: str | None = "open", cursor: str | None = None, limit: int = 50
) -> Page[Report]:
    """Reports, newest first, with the counts of their states. For moderators."""
    require_moderator(work.caller)
    if state is not None and state not in STATES:
        raise InvalidRequestError(f"state={state!r} is unknown: use one of {', '.join(STATES)}.")
    after = decode_cursor(cursor, "reports", str)
    rows = queries.page_of_reports(work.session, state, after[0] if after else None, check_limit(limit) + 1)
    more = encode_cursor("reports", rows[limit - 1].id) if len(rows) > limit else None
    counts = queries.count_reports(work.session)
    return Page[Report](items=[_report_of(row) for row in rows[:limit]], next=more, facets={"state": counts})


def get_report(work: UnitOfWork, report_id: str) -> Report:
    """One report, for moderators and its sender. For everybody else it does not exist."""
    caller = require_caller(work.caller)
    row = queries.find_report(work.session, report_id)
    if row is None or not (caller.is_moderator or caller.name == row.reporter):
        raise ReportNotFoundError(f"There is no report {report_id!r} that you may see.")
    return _report_of(row)


def decide_report(work: UnitOfWork, report_id: str, body: ReportDecision) -> Report:
    """End a report, in words that its sender reads."""
    moderator = require_moderator(work.caller)
    row = queries.find_report(work.session, report_id)
    if row is None:
        raise ReportNotFoundError(f"There is no report {report_id!r}.")
    row.state, row.decision, row.decided_by, row.decided_at = body.state, body.decision, moderator.name, work.now
    _note(work, "decide", row.package_id, body.decision, version=row.version)
    return _report_of(row)


def quarantine_release(work: UnitOfWork, package_id: str, version: str, reason: str) -> Release:
    """Quarantine: the release stays visible, but nobody can download or execute it, not even by an exact pin.

    Reversible.
    """
    require_moderator(work.caller)
    if not reason.strip():
        raise InvalidRequestError("A quarantine needs a reason that readers of the page can understand.")
    row = catalog.resolve_release(work, package_id, version)
    catalog.set_fact(work, row, "quarantined", reason)
    _note(work, "quarantine", package_id, reason, version=row.version)
    return catalog.release_of(row)


def release_from_quarantine(work: UnitOfWork, package_id: str, version: str, reason: str) -> Release:
    """End a quarantine. A release that was yanked or deprecated before is so again."""
    require_moderator(work.caller)
    row = catalog.resolve_release(work, package_id, version)
    if row.quarantined_reason is None:
        raise InvalidRequestError(f"{package_id} {version} is not quarantined.")
    catalog.set_fact(work, row, "quarantined", None)
    _note(work, "release", package_id, reason, version=row.version)
    return catalog.release_of(row)


def hide_case(work: UnitOfWork, package_id: str, case_id: str, reason: str) -> CounterExample:
    """Take a counter-example out of every list and suite, with a line in the log. Raises ``CaseNotFoundError``."""
    case = audits.hide_case(work, package_id, case_id, reason)
    _note(work, "hide_case", package_id, reason, version=case.against, case_id=case.id)
    return case


def show_case(work: UnitOfWork, package_id: str, case_id: str, reason: str) -> CounterExample:
    """Undo ``hide_case``, with a line in the log."""
    case = audits.show_case(work, package_id, case_id)
    _note(work, "show_case", package_id, reason, version=case.against, case_id=case.id)
    return case


def _note(
    work: UnitOfWork, action: ModerationAction, package_id: str, reason: str, *, version: str | None, case_id: str = ""
) -> None:
    moderator = require_moderator(work.caller)
    now = work.now
    work.session.add(
        ModerationEventRow(
            id=new_id(now),
            at=now,
            actor=moderator.name,
            action=action,
            package_id=package_id,
            version=version,
            reason=reason,
            case_id=case_id,
        )
    )
    work.session.flush()


def list_events(
    work: UnitOfWork, *, package: str | None = None, cursor: str | None = None, limit: int = 50
) -> Page[ModerationEvent]:
    """What moderators did, newest first, for everybody to see."""
    after = decode_cursor(cursor, "events", str)
    rows = queries.page_of_events(work.session, package, after[0] if after else None, check_limit(limit) + 1)
    more = encode_cursor("events", rows[limit - 1].id) if len(rows) > limit else None
    return Page[ModerationEvent](items=[_event_of(row) for row in rows[:limit]], next=more)


def _report_of(row: ReportRow) -> Report:
    fields = {name: getattr(row, name) for name in Report.model_fields if name != "package"}
    return Report.read({**fields, "package": row.package_id})


def _event_of(row: ModerationEventRow) -> ModerationEvent:
    fields = {name: getattr(row, name) for name in ModerationEvent.model_fields if name != "package"}
    return ModerationEvent.read({**fields, "package": row.package_id})
