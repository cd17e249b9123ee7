"""Takes out of measurements what moderators stopped: texts of hidden cases, all of a release that was taken down."""

from collections.abc import Iterable

from hub_server.audits.actions.signatures import check_report
from hub_server.audits.models import ComparisonRow
from hub_server.audits.queries import audits as audit_queries
from hub_server.audits.queries import cases as case_queries
from hub_server.audits.queries import neighbours as neighbour_queries
from hub_server.audits.queries import suites as suite_queries
from hub_server.audits.rules.withheld_cases import (
    community_ids,
    comparison_without,
    report_without,
    suite_ids,
)
from hub_server.catalog.models import ReleaseRow
from hub_server.catalog.queries import search as search_queries
from hub_server.kernel.unit_of_work import UnitOfWork
from schemas.comparison import VerifierComparison
from schemas.evidence.audit import AuditReport

GONE = "The release was taken down, and with it what was measured of it."


def shown_report(work: UnitOfWork, report: AuditReport) -> AuditReport:
    """The report as it may be shown now, signed anew where words are left out.

    Decided when it is read, not when the case is hidden: it holds for every report, older ones and those that an audit
    under way writes later, and what is shown again is whole again.
    """
    hidden, stopped = _stopped_among(work, (failure.case for failure in report.failures))
    quoted = community_ids(failure.case for failure in report.failures if failure.note)
    shown = report_without(report, hidden, stopped, case_queries.notes_among(work.session, quoted))
    if shown is report or check_report(work, report).state != "signed":
        return shown  # what was changed after it was signed gets no good signature by hiding a case
    return work.services.signer.sign(shown)


def shown_comparison(work: UnitOfWork, found: VerifierComparison) -> VerifierComparison:
    """The comparison as it may be shown now."""
    hidden, stopped = _stopped_among(work, (one.case for one in found.disagreements))
    return comparison_without(found, hidden, stopped)


def _stopped_among(work: UnitOfWork, names: Iterable[str]) -> tuple[set[str], set[str]]:
    """(hidden counter-examples, suites that are hidden or were taken down) among the names of cases."""
    cases = list(names)
    return (
        case_queries.hidden_among(work.session, community_ids(cases)),
        search_queries.withheld_among(work.session, suite_ids(cases)),
    )


def erase_measurements(work: UnitOfWork, release_id: str) -> None:
    """Erase reports, comparisons and neighbours of a release that was taken down, because they hold its tasks."""
    audit_queries.erase_measurements(work.session, release_id, GONE)
    suite_queries.replace_suite_results(work.session, release_id, [])
    neighbour_queries.forget_neighbours(work.session, release_id)


def drop_result(row: ComparisonRow) -> None:
    """A comparison one of whose sides was taken down keeps nothing but that."""
    row.state, row.result, row.error = "failed", None, GONE


def is_taken_down(*releases: ReleaseRow | None) -> bool:
    """Whether one of them was taken down, so that a job which has just measured it keeps nothing."""
    return any(release is not None and release.taken_down_reason is not None for release in releases)
