"""Disputes about counter-examples, and cases that a moderator hides."""

from collections.abc import Mapping
from typing import Any, Literal

from hub_server.accounts import actions as accounts
from hub_server.audits.actions.case_rows import is_agreed, note_event, row_to_decide, set_state, told
from hub_server.audits.actions.cases import make_way, queue_audit
from hub_server.audits.actions.dispute_end import DISPUTABLE, disputers_of, end_by_quorum, open_dispute
from hub_server.audits.actions.quotas import refuse_too_many_words
from hub_server.audits.actions.standing import standing_followed
from hub_server.audits.errors import CaseNotDisputableError
from hub_server.audits.models import CounterExampleRow
from hub_server.audits.queries import cases as case_queries
from hub_server.audits.rules.standing import BY_MODERATOR, BY_OWNER
from hub_server.catalog import actions as catalog
from hub_server.errors import InvalidRequestError, NotAllowedError
from hub_server.kernel.caller import Caller, require_caller
from hub_server.kernel.job_names import JobName
from hub_server.kernel.unit_of_work import UnitOfWork
from schemas.account import Scope
from schemas.evidence.cases import Label
from schemas.evidence.counter_examples import BatchDispute, CaseState, CounterExample
from schemas.kinds import PackageKind


def dispute_case(work: UnitOfWork, package_id: str, case_id: str, reason: str) -> CounterExample:
    """Dispute the label of a reproduced case. The case stays in the rates, marked, until the dispute ends.

    A moderator ends it, or accounts of standing do, or the time limit does (``dispute_end``). To dispute a disputed
    case adds a vote against its label. One account disputes a label once; otherwise a dispute could go on for ever.
    """
    caller = require_caller(work.caller, Scope.CASES)
    row = row_to_decide(work, package_id, case_id)
    if row.state not in (*DISPUTABLE, CaseState.DISPUTED):
        raise CaseNotDisputableError(
            f"Only a reproduced, fixed or agreed case can be disputed; this one is {row.state}."
        )
    if caller.name in disputers_of(row):
        raise CaseNotDisputableError("You have disputed this label before.")
    refuse_too_many_words(work, package_id, caller.name)
    if row.state != CaseState.DISPUTED:
        open_dispute(work, row, caller.name, reason)
    note_event(work, row, "disputed", caller.name, reason=reason)
    case_queries.note_dispute(work.session, row.id, caller.name, work.now)
    end_by_quorum(work, row)
    return told(work, row)


def dispute_cases(work: UnitOfWork, package_id: str, asked: BatchDispute) -> list[CounterExample]:
    """Dispute several cases at once, for the package's owner. Without ids: all that nobody has seconded."""
    caller = require_caller(work.caller, Scope.CASES)
    if not caller.maintains(catalog.owner_of(work, package_id)):
        raise NotAllowedError("Only the owner of a verifier disputes several of its cases at once.")
    if asked.cases:
        ids = asked.cases
    else:
        rows = case_queries.cases_to_replay(work.session, package_id)
        waiting = [row for row in rows if not row.counted_by and row.state in DISPUTABLE]
        ids = [row.id for row in waiting if caller.name not in disputers_of(row)]
    return [dispute_case(work, package_id, case_id, asked.reason) for case_id in ids]


Ruling = Literal["upheld", "relabelled", "withdrawn"]


def settle_dispute(work: UnitOfWork, package_id: str, case_id: str, ruling: Ruling, reason: str = "") -> CounterExample:
    """End a dispute.

    ``upheld``: the label was right. ``relabelled``: it was the opposite. ``withdrawn``: the case goes.

    The submitter may withdraw, disputed or not, but not what others agreed on with them: a label that people gave, or
    a case that counts by others than the package's owner. Everything else is a moderator's. The release is measured
    again.
    """
    caller = require_caller(work.caller, Scope.CASES)
    row = row_to_decide(work, package_id, case_id)
    is_suite = catalog.get_package_row(work, package_id).kind == PackageKind.SUITE
    if ruling == "relabelled" and is_suite:
        raise CaseNotDisputableError("A report of a label is right or wrong: uphold it, or withdraw it.")
    is_own = ruling == "withdrawn" and caller.name == row.submitted_by and _is_alone(row)
    if not is_own:
        _require_impartial_moderator(work, package_id)
    if row.state != CaseState.DISPUTED and not (is_own and row.state != CaseState.REFUTED):
        raise CaseNotDisputableError(f"Only a disputed case can be settled; this one is {row.state}.")
    is_in_rates = bool(row.counted_by) or not is_suite  # a report that does not count has moved no rate
    with standing_followed(work, row):
        _apply(work, row, ruling)
        # Who takes back an own error loses nothing by it; what a moderator takes back costs standing.
        what = "overturned" if ruling == "withdrawn" and not is_own else ruling
        note_event(work, row, what, caller.name, reason=reason)
    if ruling == "withdrawn" and is_in_rates:
        queue_audit(work, package_id, row.against)
    if ruling == "relabelled" and row.state == CaseState.OPEN:
        work.queue(JobName.REPLAY_CASE, {"package": package_id, "case_id": row.id}, unique_key=f"case:{row.id}")
    return told(work, row)


def _is_alone(row: CounterExampleRow) -> bool:
    """Whether nobody but its submitter and the package's owner stands behind a case."""
    return not is_agreed(row) and row.counted_by in ("", BY_OWNER)


def _apply(work: UnitOfWork, row: CounterExampleRow, ruling: Ruling) -> None:
    """Bring the case to the state that the ruling gives it."""
    row.disputed_at = None
    if ruling == "upheld":
        set_state(row, CaseState(row.state_before_dispute))
    elif ruling == "withdrawn":
        set_state(row, CaseState.REFUTED)
        row.counted_by = ""
    else:
        _relabel(work, row)


def _relabel(work: UnitOfWork, row: CounterExampleRow) -> None:
    """Turn the label round; the case is open again until it is replayed under its new label.

    Where somebody has submitted the opposite already, that case counts by the moderator's word, and this one goes.
    """
    case: Mapping[str, Any] = row.case
    opposite = Label.INCORRECT if case["label"] == Label.CORRECT else Label.CORRECT
    make_way(work, row.package_id, row.content_key, opposite.value)
    about = case_queries.standing_cases_about(work.session, row.package_id, row.content_key)
    twin = next((one for one in about if one.claim == opposite.value), None)
    if twin is not None:
        set_state(row, CaseState.REFUTED)
        row.counted_by, twin.counted_by = "", BY_MODERATOR
        note_event(work, twin, "counted", reason=f"by {BY_MODERATOR}")
        queue_audit(work, row.package_id, row.against)
        return
    row.case = {**case, "label": opposite.value, "expect": None}
    row.claim, row.fixed_in = opposite.value, None
    set_state(row, CaseState.OPEN)
    row.counted_by, row.corroborated_by = BY_MODERATOR, ""  # who turned the label round says what it is


def hide_case(work: UnitOfWork, package_id: str, case_id: str, reason: str) -> CounterExample:
    """Take a case out of every list and audit; its release is measured again without it. Reversible; for moderators."""
    accounts.require_proven_moderator(work)
    if not reason.strip():
        raise InvalidRequestError("Say why the case is hidden: everybody can read it in the log.")
    return _set_hidden(work, package_id, case_id, reason.strip())


def show_case(work: UnitOfWork, package_id: str, case_id: str) -> CounterExample:
    """Undo ``hide_case``."""
    return _set_hidden(work, package_id, case_id, None)


def _set_hidden(work: UnitOfWork, package_id: str, case_id: str, reason: str | None) -> CounterExample:
    moderator = _require_impartial_moderator(work, package_id)
    row = row_to_decide(work, package_id, case_id)
    if (row.hidden_reason is None) != (reason is None):
        row.hidden_reason = reason
        note_event(work, row, "hidden" if reason is not None else "shown", moderator.name, reason=reason or "")
        if row.state not in (CaseState.OPEN, CaseState.REFUTED):
            queue_audit(work, package_id, row.against)
    return told(work, row)


def _require_impartial_moderator(work: UnitOfWork, package_id: str) -> Caller:
    """The moderator who asks. The owner of a verifier decides nothing about the cases that speak against it."""
    moderator = accounts.require_proven_moderator(work)
    if moderator.owners & catalog.people_behind(work, [package_id])[package_id]:
        raise NotAllowedError("The owner of a verifier does not decide about its cases: ask another moderator.")
    return moderator
