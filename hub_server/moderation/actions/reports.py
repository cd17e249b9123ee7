"""Reports about packages, collections and owners: what people send, and how moderators end it."""

from typing import Any

from sqlalchemy import ColumnElement, and_, false, not_, or_, true

from hub_server.accounts import actions as accounts
from hub_server.accounts.queries import accounts as account_queries
from hub_server.catalog import actions as catalog
from hub_server.collections import actions as collections
from hub_server.database.base import new_id
from hub_server.discussions import actions as discussions
from hub_server.errors import InvalidRequestError
from hub_server.kernel.caller import Caller, require_caller, require_moderator
from hub_server.kernel.cursors import check_limit, decode_cursor, encode_cursor
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.moderation import queries
from hub_server.moderation.actions.log import note_act
from hub_server.moderation.errors import ReportNotFoundError, TooManyReportsError
from hub_server.moderation.models import ReportRow
from schemas.account import Scope
from schemas.moderation import (
    CollectionReportCreate,
    OwnerReportCreate,
    Report,
    ReportCreate,
    ReportDecision,
    ReportReason,
)
from schemas.page import Page

STATES = ("open", "acted", "dismissed")


def report_package(work: UnitOfWork, package_id: str, body: ReportCreate) -> Report:
    """Tell the moderators about a package. A second report while the first is open adds to the first."""
    caller = _reporter(work, body.text)
    if body.version:
        catalog.get_release(work, package_id, body.version)
    else:
        catalog.get_package_row(work, package_id)
    if body.discussion is not None:
        discussions.get_post(work, package_id, body.discussion, body.post or 1)
    row = queries.find_open_report(work.session, caller.name, package_id=package_id)
    if row is not None:
        return _added(work, row, _heading(row, body), body.text)
    about = {"package_id": package_id, "version": body.version, "discussion": body.discussion or "", "post": body.post}
    return _new(work, caller.name, body.reason, body.text, **about)


def report_collection(work: UnitOfWork, owner: str, name: str, body: CollectionReportCreate) -> Report:
    """Tell the moderators about a collection. A second report while the first is open adds to the first."""
    caller = _reporter(work, body.text)
    found = collections.get_collection(work, owner, name)
    if found.visibility == "private":
        raise InvalidRequestError(
            f"{found.id} is private: only its owner sees it, and the log of moderators is public."
        )
    row = queries.find_open_report(work.session, caller.name, collection=found.id)
    if row is None:
        return _new(work, caller.name, body.reason, body.text, collection=found.id)
    return _added(work, row, f"[{body.reason.value}] " if body.reason.value != row.reason else "", body.text)


def report_owner(work: UnitOfWork, name: str, body: OwnerReportCreate) -> Report:
    """Tell the moderators about a person or an organisation. A second report while the first is open adds to it."""
    caller = _reporter(work, body.text)
    name = accounts.get_profile(work, name).name
    row = queries.find_open_report(work.session, caller.name, account=name)
    if row is None:
        return _new(work, caller.name, body.reason, body.text, account=name)
    return _added(work, row, f"[{body.reason.value}] " if body.reason.value != row.reason else "", body.text)


def _reporter(work: UnitOfWork, text: str) -> Caller:
    """Who reports, in words.

    Reports of one account come one after another: of two about one package, the second joins the first, and none is
    beyond what an account may have.
    """
    caller = require_caller(work.caller, Scope.CASES)
    if not text.strip():
        raise InvalidRequestError("Say what you saw: the moderators have nothing else to go by.")
    account_queries.lock_account(work.session, caller.account_id)
    return caller


def _new(work: UnitOfWork, reporter: str, reason: ReportReason, text: str, **about: Any) -> Report:
    most = work.services.settings.limits.open_reports
    if queries.count_open_reports_by(work.session, reporter) >= most:
        raise TooManyReportsError(
            f"{most} of your reports wait for the moderators, which is the most of one account. You can still add to "
            "each of them.",
            retry_after_seconds=3600,
        )
    row = ReportRow(
        id=new_id(work.now), reason=reason.value, text=text, reporter=reporter, created_at=work.now, **about
    )
    work.session.add(row)
    work.session.flush()
    return _report_of(row)


def _added(work: UnitOfWork, row: ReportRow, heading: str, text: str) -> Report:
    row.text = f"{row.text}\n\n{heading}{text}"[-16_000:]
    work.session.flush()
    return _report_of(row)


def _heading(row: ReportRow, body: ReportCreate) -> str:
    """A heading for words added to a report: reason, version and post, where they differ from the report's."""
    about = [body.reason.value] if body.reason.value != row.reason else []
    about += [body.version or "the whole package"] if body.version != row.version else []
    if (body.discussion or "", body.post) != (row.discussion, row.post) and body.discussion is not None:
        about.append(f"post {body.post or 1} of discussion {body.discussion}")
    return f"[{', '.join(about)}] " if about else ""


def list_reports(
    work: UnitOfWork, *, state: str | None = "open", cursor: str | None = None, limit: int = 50
) -> Page[Report]:
    """Reports, newest first, with the counts of their states. For moderators, each without those about themselves."""
    seen = _listed_for(work, require_moderator(work.caller))
    if state is not None and state not in STATES:
        raise InvalidRequestError(f"state={state!r} is unknown: use one of {', '.join(STATES)}.")
    after = decode_cursor(cursor, "reports", str)
    rows = queries.page_of_reports(work.session, state, after[0] if after else None, check_limit(limit) + 1, seen)
    more = encode_cursor("reports", rows[limit - 1].id) if len(rows) > limit else None
    counts = queries.count_reports(work.session, seen)
    return Page[Report](items=[_report_of(row) for row in rows[:limit]], next=more, facets={"state": counts})


def get_report(work: UnitOfWork, report_id: str) -> Report:
    """One report, for its sender, and moderators whom it is not about. For everybody else it does not exist."""
    caller = require_caller(work.caller)
    row = queries.find_report(work.session, report_id)
    is_sender = row is not None and caller.name == row.reporter and Scope.READ in caller.scopes
    if row is None or not (is_sender or (caller.is_moderator and _sees(work, caller, row))):
        raise ReportNotFoundError(f"There is no report {report_id!r} that you may see.")
    return _report_of(row)


def decide_report(work: UnitOfWork, report_id: str, body: ReportDecision) -> Report:
    """End a report, in words that its sender reads. One about a moderator is for the others and for the operator."""
    moderator = accounts.require_proven_moderator(work)
    row = queries.lock_report(work.session, report_id)
    if row is None or not _sees(work, moderator, row):
        raise ReportNotFoundError(f"There is no report {report_id!r} that you may decide.")
    row.state, row.decision, row.decided_by, row.decided_at = body.state, body.decision, moderator.name, work.now
    note_act(
        work,
        "decide",
        body.decision,
        package_id=row.package_id,
        version=row.version,
        collection=row.collection,
        account=row.account,
    )
    return _report_of(row)


def seen_by(work: UnitOfWork, moderator: Caller) -> ColumnElement[bool] | None:
    """Which reports a moderator sees and ends: all but those about them, about what they or their organisations have or
    had, and about what they published or wrote. None: all, as the operator does.

    A token of one owner sees no more: what counts is the person.
    """
    if moderator.is_operator:
        return None
    organizations = accounts.organizations_of_person(work, moderator.name)
    return not_(queries.about_person(moderator.name, organizations))


def _listed_for(work: UnitOfWork, moderator: Caller) -> ColumnElement[bool]:
    """What of :func:`seen_by` is listed: not what hidden accounts sent, who may be senders of advertisements.

    A report about whoever had its sender hidden is listed all the same: they would else make it vanish.
    """
    kept = [
        and_(ReportRow.reporter.in_(names), queries.about_person(by, accounts.organizations_of_person(work, by)))
        for by, names in queries.suspended_by(work.session).items()
    ]
    seen = seen_by(work, moderator)
    return and_(queries.is_listed(or_(false(), *kept)), true() if seen is None else seen)


def _sees(work: UnitOfWork, moderator: Caller, row: ReportRow) -> bool:
    seen = seen_by(work, moderator)
    return seen is None or queries.is_selected(work.session, row.id, seen)


def _report_of(row: ReportRow) -> Report:
    fields = {name: getattr(row, name) for name in Report.model_fields if name != "package"}
    return Report.read({**fields, "package": row.package_id})
