"""Every SQL statement about benchmarks' results."""

from collections.abc import Collection
from datetime import datetime

from sqlalchemy import delete, func, or_, select
from sqlalchemy.orm import Session

from hub_server.accounts.queries.accounts import hidden_names
from hub_server.catalog.models import ReleaseRow
from hub_server.evaluations.models import BenchmarkRelationRow, BenchmarkReportRow, BenchmarkResultsRow
from hub_server.evaluations.rules.senders import EntrySender
from hub_server.runs.models import RunRow

_SHOWN = (BenchmarkResultsRow.submitted_by.not_in(hidden_names()),)
"""What an account sent that is hidden counts for nothing meanwhile."""


def find_results(
    session: Session, release_id: str, environment: str, model: str, harness: str, account: str
) -> BenchmarkResultsRow | None:
    """The account's earlier results for the same place, or None."""
    statement = select(BenchmarkResultsRow).where(
        BenchmarkResultsRow.release_id == release_id,
        BenchmarkResultsRow.environment == environment,
        BenchmarkResultsRow.model == model,
        BenchmarkResultsRow.harness == harness,
        BenchmarkResultsRow.submitted_by == account,
    )
    return session.scalar(statement.with_for_update())


def results_of(session: Session, release_id: str) -> list[BenchmarkResultsRow]:
    """Everything submitted for a release, in order of submission."""
    statement = select(BenchmarkResultsRow).where(BenchmarkResultsRow.release_id == release_id, *_SHOWN)
    return list(session.scalars(statement.order_by(BenchmarkResultsRow.id)))


def count_results_by(session: Session, release_id: str, account: str) -> int:
    """How many results of an account a release has."""
    mine = (BenchmarkResultsRow.release_id == release_id, BenchmarkResultsRow.submitted_by == account)
    return session.scalar(select(func.count(BenchmarkResultsRow.id)).where(*mine)) or 0


def releases_with_results_by(session: Session, account: str) -> list[str]:
    """The releases that an account has sent results to."""
    statement = select(BenchmarkResultsRow.release_id).where(BenchmarkResultsRow.submitted_by == account)
    return sorted(session.scalars(statement.distinct()))


def newest_results(session: Session, release_id: str) -> datetime | None:
    """When the newest results of a release came, or None without any."""
    statement = select(func.max(BenchmarkResultsRow.submitted_at))
    return session.scalar(statement.where(BenchmarkResultsRow.release_id == release_id, *_SHOWN))


def senders_of(session: Session, release_id: str) -> dict[tuple[str, str], EntrySender]:
    """(model, harness) -> who sent the newest results for it, in one statement."""
    row = BenchmarkResultsRow
    place = func.row_number().over(
        partition_by=(row.model, row.harness), order_by=(row.submitted_at.desc(), row.id.desc())
    )
    count = func.count().over(partition_by=(row.model, row.harness))
    sent = select(
        row.model,
        row.harness,
        row.submitted_by,
        row.submitted_at,
        row.run_id,
        count.label("sent"),
        place.label("place"),
    )
    numbered = sent.where(row.release_id == release_id, *_SHOWN).subquery()
    found = session.execute(select(numbered).where(numbered.c.place == 1))
    return {(one[0], one[1]): EntrySender(one[2], one[3], one[4], one[5] - 1) for one in found}


def page_of_results(session: Session, release_id: str, before: str | None, limit: int) -> list[BenchmarkResultsRow]:
    """Submissions, newest first."""
    statement = select(BenchmarkResultsRow).where(BenchmarkResultsRow.release_id == release_id, *_SHOWN)
    if before is not None:
        statement = statement.where(BenchmarkResultsRow.id < before)
    return list(session.scalars(statement.order_by(BenchmarkResultsRow.id.desc()).limit(limit)))


def find_report(session: Session, release_id: str) -> BenchmarkReportRow | None:
    """The release's report, or None."""
    return session.get(BenchmarkReportRow, release_id)


def reports_of(session: Session, package_ids: Collection[str]) -> list[tuple[str, str, BenchmarkReportRow]]:
    """(package, version, report) of every release of the packages that has a report, in one statement."""
    statement = (
        select(ReleaseRow.package_id, ReleaseRow.version, BenchmarkReportRow)
        .join(BenchmarkReportRow, BenchmarkReportRow.release_id == ReleaseRow.id)
        .where(ReleaseRow.package_id.in_(package_ids))
    )
    return [(package, version, row) for package, version, row in session.execute(statement)]


def other_reports(session: Session, release_id: str) -> list[BenchmarkReportRow]:
    """The newest report of every other benchmark's release."""
    return list(session.scalars(select(BenchmarkReportRow).where(BenchmarkReportRow.release_id != release_id)))


def find_relation(session: Session, first: str, second: str) -> BenchmarkRelationRow | None:
    """How two releases agree (the smaller id first), or None."""
    return session.get(BenchmarkRelationRow, (first, second))


def relations_of(session: Session, release_ids: Collection[str]) -> list[BenchmarkRelationRow]:
    """Every relation of these releases."""
    is_part = or_(
        BenchmarkRelationRow.first_release_id.in_(release_ids), BenchmarkRelationRow.second_release_id.in_(release_ids)
    )
    return list(session.scalars(select(BenchmarkRelationRow).where(is_part)))


def forget_report(session: Session, release_id: str) -> None:
    """Delete a release's report: nothing is left that it could be of."""
    either = or_(
        BenchmarkRelationRow.first_release_id == release_id, BenchmarkRelationRow.second_release_id == release_id
    )
    session.execute(delete(BenchmarkReportRow).where(BenchmarkReportRow.release_id == release_id))
    session.execute(delete(BenchmarkRelationRow).where(either))


def forget_private(session: Session, package_id: str) -> list[str]:
    """Delete the reports of a package, and the results of private runs. Returns the releases that have results left."""
    releases = select(ReleaseRow.id).where(ReleaseRow.package_id == package_id)
    private = select(RunRow.id).where(RunRow.is_private)
    either = or_(
        BenchmarkRelationRow.first_release_id.in_(releases), BenchmarkRelationRow.second_release_id.in_(releases)
    )
    for statement in (
        delete(BenchmarkReportRow).where(BenchmarkReportRow.release_id.in_(releases)),
        delete(BenchmarkRelationRow).where(either),
        delete(BenchmarkResultsRow).where(
            BenchmarkResultsRow.release_id.in_(releases), BenchmarkResultsRow.run_id.in_(private)
        ),
    ):
        session.execute(statement.execution_options(synchronize_session=False))
    left = select(BenchmarkResultsRow.release_id).where(BenchmarkResultsRow.release_id.in_(releases)).distinct()
    return list(session.scalars(left.order_by(BenchmarkResultsRow.release_id)))
