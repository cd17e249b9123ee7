"""Every SQL statement about reports and decisions."""

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from hub_server.moderation.models import ModerationEventRow, ReportRow


def find_report(session: Session, report_id: str) -> ReportRow | None:
    """The report, or None."""
    return session.get(ReportRow, report_id)


def find_open_report(
    session: Session, reporter: str, *, package_id: str | None = None, collection: str = ""
) -> ReportRow | None:
    """The reporter's open report about a package, or about a collection; None where there is none."""
    about = ReportRow.package_id == package_id if package_id is not None else ReportRow.collection == collection
    statement = select(ReportRow).where(about, ReportRow.reporter == reporter, ReportRow.state == "open")
    return session.scalar(statement.limit(1))


def page_of_reports(session: Session, state: str | None, before: str | None, limit: int) -> list[ReportRow]:
    """Reports, newest first."""
    statement = select(ReportRow)
    if state is not None:
        statement = statement.where(ReportRow.state == state)
    if before is not None:
        statement = statement.where(ReportRow.id < before)
    return list(session.scalars(statement.order_by(ReportRow.id.desc()).limit(limit)))


def count_reports(session: Session) -> dict[str, int]:
    """Reports by state."""
    return dict(session.execute(select(ReportRow.state, func.count()).group_by(ReportRow.state)).all())


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
