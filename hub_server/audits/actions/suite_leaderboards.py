"""A suite's leaderboard."""

from collections.abc import Sequence
from threading import Lock

from cachetools import LRUCache, cached

from hub_server.audits.actions.evidence import is_counted_suite
from hub_server.audits.actions.label_reports import cases_left_out, list_reported_labels
from hub_server.audits.actions.standing import is_hubs_own
from hub_server.audits.queries import suites as suite_queries
from hub_server.audits.rules.label_evidence import against_majority, repeats_of, turned_labels
from hub_server.audits.rules.suite_leaderboard import contested_cases, in_order, provenance_of
from hub_server.catalog import actions as catalog
from hub_server.catalog.models import ReleaseRow
from hub_server.catalog.queries import packages as package_queries
from hub_server.errors import InvalidRequestError
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.ports.wheel_cache import WheelCache
from schemas.evidence.cases import AuditCase
from schemas.evidence.counter_examples import CaseState
from schemas.evidence.rates import Measurement
from schemas.evidence.suite_leaderboard import ContestedCase, LabelEvidence, SuiteLeaderboard, SuiteLeaderboardRow
from schemas.kinds import PackageKind
from schemas.measures.grades import grade_of

MOST_COMPARED = 30
"""Verifiers whose wrong cases are compared, to find where they disagree: the first of the leaderboard."""
MOST_CONTESTED = 50
_SHOWN_CHARACTERS = 2000


def get_suite_leaderboard(work: UnitOfWork, suite_id: str) -> SuiteLeaderboard:
    """Every shown release that was measured on the suite's cases. Raises ``InvalidRequestError`` for another kind.

    It takes the same number of SQL statements for any number of verifiers.
    """
    if catalog.get_package_row(work, suite_id).kind != PackageKind.SUITE:
        raise InvalidRequestError(f"{suite_id} is no suite: only suites have a leaderboard.")
    rows = suite_queries.shown_results_on(work.session, suite_id)
    behind = catalog.people_behind(work, {suite_id, *(row.package_id for row, _ in rows)})
    found: dict[str, SuiteLeaderboardRow] = {}
    for row, measured in rows:
        measurement = Measurement.read(measured)
        found[row.id] = SuiteLeaderboardRow(
            package=row.package_id,
            version=row.version,
            measurement=measurement,
            grade=grade_of(measurement),
            is_owners=bool(behind[suite_id] & behind[row.package_id]),
        )
    ordered = in_order(found.values())
    compared = {one.package for one in ordered[:MOST_COMPARED]}
    owners = {one.package for one in ordered if one.is_owners}
    ids = {name: one.package for name, one in found.items() if one.package in compared}
    wrong = suite_queries.wrong_on_suite(work.session, suite_id, list(ids))
    against = contested_cases({ids[name]: cases for name, cases in wrong.items()})
    suite = package_queries.find_shown_release(work.session, suite_id)
    cases = work.services.wheels.contents(suite.digest).cases() if suite is not None else []
    out = cases_left_out(work, suite_id, cases)
    contested = [one for one in against if one.case not in out.cases]
    against_all = sum(one.wrong == one.of for one in contested) if len(wrong) > 1 else 0
    return SuiteLeaderboard(
        suite=suite_id,
        is_counted=is_counted_suite(work, suite_id),
        is_hubs_own=is_hubs_own(work, suite_id),
        rows=ordered,
        contested=_with_texts(cases, contested[:MOST_CONTESTED]),
        provenance=provenance_of(cases),
        reported=list_reported_labels(work, suite_id, out, {one.case: one.wrong for one in against}),
        left_out=len(out.cases),
        disagreed=sum(one.wrong < one.of for one in contested),
        against_all=against_all,
        labels=_label_evidence(work, suite, cases, len(out.cases), contested, compared - owners)
        if suite is not None
        else None,
    )


def _label_evidence(
    work: UnitOfWork,
    suite: ReleaseRow,
    cases: Sequence[AuditCase],
    found_wrong: int,
    contested: Sequence[ContestedCase],
    verifiers: set[str],
) -> LabelEvidence:
    """What reports, the release itself and other owners' verifiers say of its labels."""
    states = suite_queries.reports_by_state(work.session, suite.package_id)
    repeated, contradicted = repeats_of(cases)
    changed, since = _label_changes(work, suite)
    return LabelEvidence(
        cases=len(cases),
        reported=sum(states.values()),
        found_wrong=found_wrong,
        stands=states.get(CaseState.REFUTED, 0),
        disputed=states.get(CaseState.DISPUTED, 0),
        changed=changed,
        changed_since=since,
        people=suite_queries.count_people_on_reports(work.session, suite.package_id) if states else 0,
        repeated=repeated,
        contradicted=contradicted,
        verifiers=len(verifiers),
        against_majority=against_majority(contested, verifiers),
    )


def _label_changes(work: UnitOfWork, suite: ReleaseRow) -> tuple[int | None, str | None]:
    """(cases whose label is another than in the release before, its version); None where there is none to read."""
    below = package_queries.page_of_releases(work.session, suite.package_id, suite.version_key, 1)
    if not below or below[0].taken_down_reason is not None:
        return None, None
    return _turned(work.services.wheels, below[0].digest, suite.digest), below[0].version


# Releases never change, and to read a large suite takes longer than all else on its page.
@cached(LRUCache(256), key=lambda _, before, now: (before, now), lock=Lock())
def _turned(wheels: WheelCache, before: str, now: str) -> int:
    return turned_labels(wheels.contents(before).cases(), wheels.contents(now).cases())


def _with_texts(shown: Sequence[AuditCase], contested: Sequence[ContestedCase]) -> list[ContestedCase]:
    """The cases with task and response, as the suite's shown release has them; without where it has them no more."""
    cases = {case.id: case for case in shown}
    filled = []
    for one in contested:
        case = cases.get(one.case)
        texts = {"task": case.task, "response": (case.response or "")[:_SHOWN_CHARACTERS]} if case is not None else {}
        filled.append(one.model_copy(update=texts))
    return filled
