"""Every SQL statement about suites and how releases stand on them."""

from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import delete, func, select, union
from sqlalchemy.orm import Session, load_only

from hub_server.accounts.queries.accounts import hidden_names
from hub_server.audits.models import (
    CaseDisputeRow,
    CaseSecondRow,
    CounterExampleRow,
    SuiteResultRow,
)
from hub_server.catalog.models import PackageRow, ReleaseRow


def shown_suites(session: Session) -> list[ReleaseRow]:
    """The release that each listed suite shows, those left out that were yanked or quarantined."""
    statement = select(ReleaseRow).join(PackageRow, PackageRow.shown_release_id == ReleaseRow.id)
    is_good = ReleaseRow.state.not_in(("quarantined", "yanked"))
    suites = statement.where(PackageRow.is_listed, PackageRow.kind == "suite", is_good)
    return list(session.scalars(suites.order_by(ReleaseRow.package_id)))


def replace_suite_results(session: Session, release_id: str, rows: Iterable[SuiteResultRow]) -> None:
    """Keep what a release's newest audit measured on suites, in place of what an earlier one did."""
    session.execute(delete(SuiteResultRow).where(SuiteResultRow.release_id == release_id))
    session.add_all(rows)


def shown_results_on(session: Session, suite: str) -> list[tuple[ReleaseRow, dict[str, Any]]]:
    """(shown release, measurement) of every listed package that was measured on the suite."""
    statement = (
        select(ReleaseRow, SuiteResultRow.measurement)
        .join(PackageRow, PackageRow.shown_release_id == ReleaseRow.id)
        .join(SuiteResultRow, SuiteResultRow.release_id == ReleaseRow.id)
        .where(PackageRow.is_listed, SuiteResultRow.suite == suite)
        .options(load_only(ReleaseRow.package_id, ReleaseRow.version))
        .order_by(ReleaseRow.package_id)
    )
    return [(row[0], row[1]) for row in session.execute(statement)]


def wrong_on_case(session: Session, suite: str, case: str) -> list[str]:
    """The listed packages whose shown release says the opposite of the case's label."""
    statement = (
        select(ReleaseRow.package_id, SuiteResultRow.wrong)
        .join(PackageRow, PackageRow.shown_release_id == ReleaseRow.id)
        .join(SuiteResultRow, SuiteResultRow.release_id == ReleaseRow.id)
        .where(PackageRow.is_listed, SuiteResultRow.suite == suite)
        .order_by(ReleaseRow.package_id)
    )
    return [row[0] for row in session.execute(statement) if case in row[1]]


def wrong_on_suite(session: Session, suite: str, release_ids: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Release -> the suite's cases that it gets wrong, with the kind of error."""
    statement = select(SuiteResultRow.release_id, SuiteResultRow.wrong)
    statement = statement.where(SuiteResultRow.suite == suite, SuiteResultRow.release_id.in_(release_ids))
    return {row[0]: row[1] for row in session.execute(statement)}


def reports_by_state(session: Session, suite: str) -> dict[str, int]:
    """State -> how many reports of the suite's labels have it; hidden ones left out."""
    statement = select(CounterExampleRow.state, func.count()).where(
        CounterExampleRow.package_id == suite, CounterExampleRow.hidden_reason.is_(None)
    )
    return {row[0]: row[1] for row in session.execute(statement.group_by(CounterExampleRow.state))}


def count_people_on_reports(session: Session, suite: str) -> int:
    """How many accounts reported a label of the suite, seconded a report or disputed one; hidden ones left out."""
    shown = (CounterExampleRow.package_id == suite, CounterExampleRow.hidden_reason.is_(None))
    people = union(
        select(CounterExampleRow.submitted_by.label("account")).where(*shown),
        *(
            select(table.account).join(CounterExampleRow, CounterExampleRow.id == table.case_id).where(*shown)
            for table in (CaseSecondRow, CaseDisputeRow)
        ),
    ).subquery()
    statement = select(func.count()).select_from(people).where(people.c.account.not_in(hidden_names()))
    return session.scalar(statement) or 0
