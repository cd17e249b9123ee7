"""What people can report and moderators can do."""

from typing import Literal

from hub_server.caller import require_caller, require_moderator
from hub_server.catalog import actions as catalog
from hub_server.database.base import new_id
from hub_server.errors import InvalidRequestError
from hub_server.moderation import queries
from hub_server.moderation.errors import ReportNotFoundError
from hub_server.moderation.models import ModerationEventRow, ReportRow
from hub_server.paging import check_limit, decode_cursor, encode_cursor
from hub_server.work import Work
from schemas.moderation import ModerationEvent, Report, ReportCreate, ReportDecision
from schemas.package import Release, ReleaseState
from schemas.page import Page

STATES = ("open", "acted", "dismissed")


def report_package(work: Work, package_id: str, wish: ReportCreate) -> Report:
    """Tell the moderators about a package. A second report while the first is open adds to the first."""
    caller = require_caller(work.caller)
    catalog.get_release(work, package_id, wish.version) if wish.version else catalog.get_package(work, package_id)
    row = queries.find_open_report(work.session, package_id, caller.name)
    if row is None:
        now = work.now
        row = ReportRow(
            id=new_id(now),
            package_id=package_id,
            version=wish.version,
            reason=wish.reason.value,
            text=wish.text,
            reporter=caller.name,
            created_at=now,
        )
        work.session.add(row)
    else:
        row.text = f"{row.text}\n\n{wish.text}"[-16_000:]
    work.session.flush()
    return _report_of(row)


def list_reports(work: Work, *, state: str | None = "open", cursor: str | None = None, limit: int = 50) -> Page[Report]:
    """Reports, newest first, with the counts of their states. For moderators."""
    require_moderator(work.caller)
    if state is not None and state not in STATES:
        raise InvalidRequestError(f"state={state!r} is unknown: use one of {', '.join(STATES)}.")
    after = decode_cursor(cursor, "reports", str)
    rows = queries.page_of_reports(work.session, state, after[0] if after else None, check_limit(limit) + 1)
    more = encode_cursor("reports", rows[limit - 1].id) if len(rows) > limit else None
    counts = queries.count_reports(work.session)
    return Page[Report](items=[_report_of(row) for row in rows[:limit]], next=more, facets={"state": counts})


def get_report(work: Work, report_id: str) -> Report:
    """One report, for moderators and for who sent it; to everybody else there is none."""
    caller = require_caller(work.caller)
    row = queries.find_report(work.session, report_id)
    if row is None or not (caller.is_moderator or caller.name == row.reporter):
        raise ReportNotFoundError(f"There is no report {report_id!r} that you may see.")
    return _report_of(row)


def decide_report(work: Work, report_id: str, wish: ReportDecision) -> Report:
    """End a report, in words that its sender reads."""
    moderator = require_moderator(work.caller)
    row = queries.find_report(work.session, report_id)
    if row is None:
        raise ReportNotFoundError(f"There is no report {report_id!r}.")
    row.state, row.decision, row.decided_by, row.decided_at = wish.state, wish.decision, moderator.name, work.now
    _note(work, "decide", row.package_id, row.version, wish.decision)
    return _report_of(row)


def quarantine_release(work: Work, package_id: str, version: str, reason: str) -> Release:
    """Keep a release visible, but let nobody download or execute it. Reversible; whoever pinned it is refused too."""
    require_moderator(work.caller)
    if not reason.strip():
        raise InvalidRequestError("A quarantine needs a reason that readers of the page can understand.")
    return _set_state(work, package_id, version, ReleaseState.QUARANTINED, reason)


def release_from_quarantine(work: Work, package_id: str, version: str, reason: str) -> Release:
    """End a quarantine."""
    require_moderator(work.caller)
    if catalog.get_release(work, package_id, version).state is not ReleaseState.QUARANTINED:
        raise InvalidRequestError(f"{package_id} {version} is not quarantined.")
    return _set_state(work, package_id, version, ReleaseState.ACTIVE, reason)


def _set_state(work: Work, package_id: str, version: str, state: ReleaseState, reason: str) -> Release:
    row = catalog.resolve_release(work, package_id, version)
    row.state = state.value
    row.state_reason = reason if state is ReleaseState.QUARANTINED else ""
    _note(work, "quarantine" if state is ReleaseState.QUARANTINED else "release", package_id, row.version, reason)
    catalog.refresh_package(work, package_id)
    return catalog.release_of(row)


def _note(
    work: Work, action: Literal["quarantine", "release", "decide"], package_id: str, version: str | None, reason: str
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
        )
    )
    work.session.flush()


def list_events(
    work: Work, *, package: str | None = None, cursor: str | None = None, limit: int = 50
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
