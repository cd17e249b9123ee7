"""Asks other people's verifiers about a reproduced counter-example, and lets it count where enough of them agree."""

import contextlib
from dataclasses import dataclass, replace

from hub_server.audits.actions.cases import queue_audit
from hub_server.audits.actions.neighbours import copies_among
from hub_server.audits.actions.seconders import corroborate, let_count
from hub_server.audits.actions.standing import is_hubs_own
from hub_server.audits.errors import CaseNotSecondableError
from hub_server.audits.models import CounterExampleRow
from hub_server.audits.queries import cases as case_queries
from hub_server.audits.queries import comparisons as comparison_queries
from hub_server.audits.queries import labels as label_queries
from hub_server.audits.rules.standing import BY_VERIFIERS, is_by_standing_alone
from hub_server.audits.rules.verifiers_agree import Voice, are_enough, control_of
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
from schemas.names import LATEST
from schemas.verdict import ScoreRequest

MOST_ASKED = 6  # chosen: each judges in a box
_LOOKED_AT = 200
"""Verifiers of which those that are asked are chosen."""


@dataclass(frozen=True)
class Witness:
    """A verifier that is asked, and what is known of it."""

    reference: str
    target: execution.ScoringTarget
    release_id: str
    measured: Measurement
    people: frozenset[str]
    alike: frozenset[str] = frozenset()
    is_named: bool = False
    """Whether the operator named who has it."""


@dataclass(frozen=True)
class Hearing:
    """A case, and whom to ask about it."""

    package: str
    case_id: str
    case: AuditCase
    witnesses: list[Witness]


def plan_hearing(work: UnitOfWork, package_id: str, case_id: str) -> Hearing | None:
    """The verifiers of other people that judged the same cases as the package's; None where nobody is to be asked.

    Left out: those of people behind the package and of who submitted, seconded or labelled the case; those that came
    later, since they could be written for it; and those that no suite of the hub's own has measured, since friends can
    measure each other (decision 28). Of people who have several, one is asked, so that nobody fills all places. Those
    of owners whom the operator named come first: nothing counts without one of them.
    """
    row = case_queries.find_case(work.session, package_id, case_id)
    if row is None or not _is_waiting(row) or row.case.get("expect") is not None:
        return None
    release = catalog.usable_release(work, package_id, row.against)
    heard = catalog.people_behind(work, [package_id])[package_id] | {row.submitted_by, release.published_by}
    heard |= {*case_queries.seconders_of(work.session, row.id), *label_queries.labellers_of_case(work.session, row.id)}
    named = work.services.settings.suite_owners
    others = comparison_queries.comparable_releases(work.session, release.id, _LOOKED_AT, without=heard, first=named)
    behind = catalog.people_behind(work, {other.package_id for other in others})
    witnesses: list[Witness] = []
    for other in others:
        people = behind[other.package_id] | {other.published_by}
        if people & heard or other.published_at >= row.submitted_at:
            continue
        witness = _witness(work, other, frozenset(people))
        if witness is not None:
            heard |= people
            witnesses.append(witness)
        if len(witnesses) == MOST_ASKED:
            break
    copies = copies_among(work, [one.release_id for one in witnesses])
    witnesses = [replace(one, alike=copies[one.release_id]) for one in witnesses]
    is_enough = len(witnesses) > 1 and any(one.is_named for one in witnesses)
    return Hearing(package_id, case_id, AuditCase.read(row.case), witnesses) if is_enough else None


def _witness(work: UnitOfWork, row: ReleaseRow, people: frozenset[str]) -> Witness | None:
    """None for what no suite of the hub's own has measured, and for what cannot be run."""
    measured = _measured(work, row)
    if measured is None:
        return None
    try:
        target = execution.scoring_target(work, row.package_id, row.version)
    except HubServerError:  # quarantined or deleted meanwhile
        return None
    is_named = catalog.owner_of(work, row.package_id) in work.services.settings.suite_owners
    return Witness(f"{row.package_id}@{row.version}", target, row.id, measured, people, is_named=is_named)


def hear(services: Services, hearing: Hearing) -> list[tuple[str, Voice]]:
    """What each says, by its reference; none of those that could not judge it, or that reject what they cannot read.

    Raises ``ExecutionUnavailableError``.
    """
    control = control_of(hearing.case)
    found = []
    for one in hearing.witnesses:
        accepted = _verdict_of(services, one, hearing.case)
        can_tell = accepted or (control is not None and _verdict_of(services, one, control))
        if accepted is not None and can_tell:
            voice = Voice(one.release_id, accepted, one.measured, one.people, one.alike, one.is_named)
            found.append((one.reference, voice))
    return found


def _verdict_of(services: Services, witness: Witness, case: AuditCase) -> bool | None:
    """Whether the witness accepts the case; None where it gives no verdict."""
    request = ScoreRequest(
        id="case", task=case.task, response=case.response, messages=case.messages, state=case.state, files=case.files
    )
    accepted = None
    for line in execution.score_stream(services, witness.target, [request]):
        accepted = None if isinstance(line, RefusedLine) else line.verdict.accepts(witness.target.rewards)
    return accepted


def keep_hearing(work: UnitOfWork, hearing: Hearing, heard: list[tuple[str, Voice]]) -> None:
    """Let the case count where enough owners' verifiers say what its label says, and none the opposite."""
    row = case_queries.find_case(work.session, hearing.package, hearing.case_id)
    if row is None or not _is_waiting(row) or row.case["label"] != hearing.case.label:
        return
    if not are_enough([voice for _, voice in heard], is_right=hearing.case.label is Label.CORRECT):
        return
    who = ", ".join(name for name, _ in heard)
    if row.counted_by:
        corroborate(work, row, BY_VERIFIERS, who=who)
        return
    with contextlib.suppress(CaseNotSecondableError):  # what says the opposite counts by more
        let_count(work, row, BY_VERIFIERS, by=who)
        queue_audit(work, row.package_id, catalog.resolve_release(work, row.package_id, LATEST).version)


def _is_waiting(row: CounterExampleRow) -> bool:
    """A dispute does not keep verifiers from being heard: or any account could silence them by one word."""
    is_alone = not row.counted_by or is_by_standing_alone(row.counted_by, row.corroborated_by)
    state = row.state_before_dispute if row.state == CaseState.DISPUTED else row.state
    return state == CaseState.REPRODUCED and is_alone and row.hidden_reason is None


def _measured(work: UnitOfWork, row: ReleaseRow) -> Measurement | None:
    """How it does on the suite of the hub's own on which it is worst; None where none has measured it."""
    audit = catalog.release_of(row).audit
    own = [found for suite, found in audit.suites.items() if is_hubs_own(work, suite)] if audit is not None else []
    return max(own, key=lambda found: max(found.fpr.high, found.fnr.high), default=None)
