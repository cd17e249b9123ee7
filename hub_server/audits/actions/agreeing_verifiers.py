"""Asks other people's verifiers about a reproduced counter-example, and lets it count where enough of them agree."""

import contextlib
from dataclasses import dataclass

from hub_server.audits.actions.cases import queue_audit
from hub_server.audits.actions.reputation import people_behind
from hub_server.audits.actions.seconders import let_count
from hub_server.audits.errors import CaseNotSecondableError
from hub_server.audits.models import CounterExampleRow
from hub_server.audits.queries import cases as case_queries
from hub_server.audits.queries import comparisons as comparison_queries
from hub_server.audits.queries import neighbours as neighbour_queries
from hub_server.audits.rules.near_duplicates import SAME_SOURCE
from hub_server.audits.rules.reputation import BY_VERIFIERS
from hub_server.audits.rules.verifiers_agree import Voice, are_enough
from hub_server.catalog import actions as catalog
from hub_server.catalog.models import ReleaseRow
from hub_server.errors import HubServerError
from hub_server.execution import actions as execution
from hub_server.execution.rules import RefusedLine
from hub_server.kernel.services import Services
from hub_server.kernel.unit_of_work import UnitOfWork
from schemas.evidence.cases import AuditCase, Label
from schemas.evidence.counter_examples import CaseState
from schemas.evidence.rates import Measurement
from schemas.verdict import ScoreRequest

MOST_ASKED = 6


@dataclass(frozen=True)
class Witness:
    """A verifier that is asked, and what is known of it."""

    reference: str
    target: execution.ScoringTarget
    release_id: str
    measured: Measurement
    people: frozenset[str]
    alike: frozenset[str]


@dataclass(frozen=True)
class Hearing:
    """A case, and whom to ask about it."""

    package: str
    case_id: str
    case: AuditCase
    witnesses: list[Witness]


def plan_hearing(work: UnitOfWork, package_id: str, case_id: str) -> Hearing | None:
    """The verifiers of other people that judged the same cases as the package's; None where nobody is to be asked.

    Left out: those of people behind the package or of who submitted the case, and those whose grade is hollow, whose
    rates are what their own authors say.
    """
    row = case_queries.find_case(work.session, package_id, case_id)
    if row is None or not _is_waiting(row) or row.case.get("expect") is not None:
        return None
    release = catalog.usable_release(work, package_id, row.against)
    others = comparison_queries.comparable_releases(work.session, release.id, MOST_ASKED)
    behind = people_behind(work, {package_id, *(other.package_id for other in others)})
    without = behind[package_id] | {row.submitted_by}
    witnesses = []
    for other in others:
        measured = _measured(other)
        if behind[other.package_id] & without or measured is None:
            continue
        with contextlib.suppress(HubServerError):  # quarantined or deleted meanwhile
            target = execution.scoring_target(work, other.package_id, other.version)
            alike = neighbour_queries.copies_of(work.session, other.id, SAME_SOURCE)
            people = frozenset(behind[other.package_id])
            name = f"{other.package_id}@{other.version}"
            witnesses.append(Witness(name, target, other.id, measured, people, frozenset(alike)))
    return Hearing(package_id, case_id, AuditCase.read(row.case), witnesses) if len(witnesses) > 1 else None


def hear(services: Services, hearing: Hearing) -> list[tuple[str, Voice]]:
    """What each says, by its reference; none of those that could not judge it. Raises ``ExecutionUnavailableError``."""
    case = hearing.case
    request = ScoreRequest(
        id="case", task=case.task, response=case.response, messages=case.messages, state=case.state, files=case.files
    )
    found = []
    for one in hearing.witnesses:
        for line in execution.score_stream(services, one.target, [request]):
            accepted = None if isinstance(line, RefusedLine) else line.verdict.accepts(one.target.rewards)
            if accepted is not None:
                voice = Voice(one.release_id, accepted, one.measured, one.people, one.alike)
                found.append((one.reference, voice))
    return found


def keep_hearing(work: UnitOfWork, hearing: Hearing, heard: list[tuple[str, Voice]]) -> None:
    """Let the case count where enough owners' verifiers say what its label says, and none the opposite."""
    row = case_queries.find_case(work.session, hearing.package, hearing.case_id)
    if row is None or not _is_waiting(row) or row.case["label"] != hearing.case.label:
        return
    if not are_enough([voice for _, voice in heard], is_right=hearing.case.label is Label.CORRECT):
        return
    with contextlib.suppress(CaseNotSecondableError):  # what says the opposite counts by more
        let_count(work, row, BY_VERIFIERS, by=", ".join(name for name, _ in heard))
        queue_audit(work, row.package_id, catalog.resolve_release(work, row.package_id, "latest").version)


def _is_waiting(row: CounterExampleRow) -> bool:
    return row.state == CaseState.REPRODUCED and not row.counted_by and row.hidden_reason is None


def _measured(row: ReleaseRow) -> Measurement | None:
    """What its grade reads; None for a hollow grade and for what was not measured."""
    audit = catalog.release_of(row).audit
    return None if audit is None or audit.is_hollow else audit.reads
