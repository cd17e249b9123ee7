"""A suite's leaderboard."""

from hub_server.audits import queries
from hub_server.audits.actions.evidence import is_counted_suite
from hub_server.audits.actions.reputation import owners_of
from hub_server.audits.rules.suite_leaderboard import contested_cases, in_order
from hub_server.catalog import actions as catalog
from hub_server.errors import InvalidRequestError
from hub_server.kernel.unit_of_work import UnitOfWork
from schemas.audit import AuditReport, Failure
from schemas.kinds import PackageKind
from schemas.measures.grades import grade_of
from schemas.suite_leaderboard import SuiteLeaderboard, SuiteLeaderboardRow

MOST_READ = 30
"""Whole reports that one answer reads, to find the cases on which verifiers disagree: the first of the leaderboard."""
MOST_CONTESTED = 50


def get_suite_leaderboard(work: UnitOfWork, suite_id: str) -> SuiteLeaderboard:
    """Every shown release that was measured on the suite's cases. Raises ``InvalidRequestError`` for another kind."""
    if catalog.get_package(work, suite_id).card.kind is not PackageKind.SUITE:
        raise InvalidRequestError(f"{suite_id} is no suite: only suites have a leaderboard.")
    own = owners_of(work, suite_id)
    found: dict[str, SuiteLeaderboardRow] = {}
    for row in queries.shown_releases(work.session):
        summary = catalog.release_of(row).audit
        measured = summary.suites.get(suite_id) if summary is not None else None
        if measured is not None:
            found[row.id] = SuiteLeaderboardRow(
                package=row.package_id,
                version=row.version,
                measurement=measured,
                grade=grade_of(measured),
                is_owners=bool(own & owners_of(work, row.package_id)),
            )
    ordered = in_order(found.values())
    ids = {(one.package, one.version): name for name, one in found.items()}
    failures = {one.package: _failures(work, ids[one.package, one.version]) for one in ordered[:MOST_READ]}
    contested = contested_cases(suite_id, failures)
    against_all = sum(one.wrong == one.of for one in contested) if len(failures) > 1 else 0
    return SuiteLeaderboard(
        suite=suite_id,
        is_counted=is_counted_suite(work, suite_id),
        rows=ordered,
        contested=contested[:MOST_CONTESTED],
        disagreed=sum(one.wrong < one.of for one in contested),
        against_all=against_all,
    )


def _failures(work: UnitOfWork, release_id: str) -> list[Failure]:
    row = queries.find_newest_done(work.session, release_id)
    return AuditReport.read(row.report).failures if row is not None and row.report is not None else []
