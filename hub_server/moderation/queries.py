"""Every SQL statement about reports and decisions."""

from collections.abc import Collection, Mapping
from datetime import datetime

from sqlalchemy import ColumnElement, and_, exists, func, or_, select, true, update
from sqlalchemy.orm import Session

from hub_server.accounts.queries.accounts import hidden_names
from hub_server.catalog.models import FormerOwnerRow, PackageRow, ReleaseRow
from hub_server.discussions.models import PostRow
from hub_server.moderation.models import ModerationEventRow, ReportRow


def find_report(session: Session, report_id: str) -> ReportRow | None:
    """The report, or None."""
    return session.get(ReportRow, report_id)


def lock_report(session: Session, report_id: str) -> ReportRow | None:
    """The report, or None; nothing is added to it until this transaction ends."""
    return session.get(ReportRow, report_id, with_for_update=True)


def find_open_report(
    session: Session, reporter: str, *, package_id: str | None = None, collection: str = "", account: str = ""
) -> ReportRow | None:
    """The reporter's open report about a package, a collection, or an owner; None where there is none.

    It stays open until this transaction ends, so that what is added to it is read by who decides.
    """
    about: ColumnElement[bool] = (ReportRow.collection == collection) & (ReportRow.account == account)
    if package_id is not None:
        about = ReportRow.package_id == package_id
    statement = select(ReportRow).where(about, ReportRow.reporter == reporter, ReportRow.state == "open")
    return session.scalar(statement.limit(1).with_for_update())


def count_open_reports_by(session: Session, reporter: str) -> int:
    """How many reports of an account wait for a decision."""
    counted = select(func.count()).select_from(ReportRow)
    return session.scalar(counted.where(ReportRow.reporter == reporter, ReportRow.state == "open")) or 0


def about_package(package_id: str) -> ColumnElement[bool]:
    """Reports about a package."""
    return ReportRow.package_id == package_id


def about_owner(owner: str) -> ColumnElement[bool]:
    """Reports about an account, its packages and its collections. Not about posts that it wrote elsewhere."""
    packages = select(PackageRow.id).where(PackageRow.owner == owner)
    return or_(
        ReportRow.package_id.in_(packages) & (ReportRow.discussion == ""),
        ReportRow.collection.startswith(f"{owner}/", autoescape=True),
        about_account(owner),
    )


def about_account(name: str) -> ColumnElement[bool]:
    """Reports about a person or an organisation itself."""
    return ReportRow.account == name


def about_person(name: str, organizations: Collection[str]) -> ColumnElement[bool]:
    """Reports about a person of these organisations: about what all of them have or had, and what this person published
    or wrote.
    """
    names = sorted({name, *organizations})
    had = select(FormerOwnerRow.package_id).where(FormerOwnerRow.owner.in_(names))
    packages = select(PackageRow.id).where(or_(PackageRow.owner.in_(names), PackageRow.id.in_(had)))
    published = select(ReleaseRow.package_id).where(ReleaseRow.published_by == name)
    is_theirs = or_(ReportRow.package_id.in_(packages), ReportRow.package_id.in_(published))
    post = (PostRow.discussion_id == ReportRow.discussion, PostRow.number == func.coalesce(ReportRow.post, 1))
    return or_(
        ReportRow.account.in_(names),
        # Without the first part a report about no package would be neither about them nor not: null.
        and_(ReportRow.package_id.is_not(None), ReportRow.discussion == "", is_theirs),
        exists().where(*post, PostRow.author == name).correlate(ReportRow),
        *(ReportRow.collection.startswith(f"{one}/", autoescape=True) for one in names),
    )


def is_selected(session: Session, report_id: str, about: ColumnElement[bool]) -> bool:
    """Whether ``about`` selects that report."""
    return session.scalar(select(ReportRow.id).where(ReportRow.id == report_id, about)) is not None


def end_open_reports(
    session: Session,
    about: ColumnElement[bool],
    by: str,
    moment: datetime,
    decision: str,
    seen: ColumnElement[bool] | None = None,
) -> None:
    """Note one decision on every open report that ``about`` selects, of those that ``seen`` selects."""
    session.execute(
        update(ReportRow)
        .where(about, ReportRow.state == "open", true() if seen is None else seen)
        .values(state="acted", decision=decision, decided_by=by, decided_at=moment),
        execution_options={"synchronize_session": False},
    )


def was_stopped_by_others(session: Session, name: str, stop: str, lift: str, about: Mapping[str, str | int]) -> bool:
    """Whether somebody but ``name`` did ``stop`` to what ``about`` names since the last ``lift``."""
    row = ModerationEventRow
    same = [getattr(row, column) == value for column, value in about.items()]
    lifted = session.scalar(select(func.max(row.id)).where(row.action == lift, *same)) or ""
    stopped = select(row.id).where(row.action == stop, row.actor != name, row.id > lifted, *same)
    return session.scalar(stopped.limit(1)) is not None


def suspended_by(session: Session) -> dict[str, set[str]]:
    """Accounts whose content is hidden, by each who suspended them."""
    found: dict[str, set[str]] = {}
    row = ModerationEventRow
    for actor, account in session.execute(
        select(row.actor, row.account).where(row.action == "suspend", row.account.in_(hidden_names())).distinct()
    ):
        found.setdefault(actor, set()).add(account)
    return found


def is_listed(kept: ColumnElement[bool]) -> ColumnElement[bool]:
    """Reports without those of accounts whose content is hidden, but for those that ``kept`` selects."""
    return or_(ReportRow.reporter.not_in(hidden_names()), kept)


def page_of_reports(
    session: Session, state: str | None, before: str | None, limit: int, seen: ColumnElement[bool]
) -> list[ReportRow]:
    """Those of the reports that ``seen`` selects, newest first."""
    statement = select(ReportRow).where(seen)
    if state is not None:
        statement = statement.where(ReportRow.state == state)
    if before is not None:
        statement = statement.where(ReportRow.id < before)
    return list(session.scalars(statement.order_by(ReportRow.id.desc()).limit(limit)))


def count_reports(session: Session, seen: ColumnElement[bool]) -> dict[str, int]:
    """Those of :func:`page_of_reports` by state."""
    counted = select(ReportRow.state, func.count()).where(seen)
    return dict(session.execute(counted.group_by(ReportRow.state)).all())


def page_of_events(
    session: Session, package_id: str | None, account: str | None, before: str | None, limit: int
) -> list[ModerationEventRow]:
    """What was done, newest first."""
    statement = select(ModerationEventRow)
    if package_id is not None:
        statement = statement.where(ModerationEventRow.package_id == package_id)
    if account is not None:
        statement = statement.where(ModerationEventRow.account == account)
    if before is not None:
        statement = statement.where(ModerationEventRow.id < before)
    return list(session.scalars(statement.order_by(ModerationEventRow.id.desc()).limit(limit)))
