"""How a dispute ends without a moderator: by a quorum of accounts of standing, or when its time is over."""

from typing import Literal

from hub_server.accounts.queries import accounts as account_queries
from hub_server.audits.actions.case_rows import DISPUTE_LASTS, note_event, row_to_decide, set_state
from hub_server.audits.actions.cases import queue_audit
from hub_server.audits.actions.standing import (
    has_standing,
    is_closed_to_standing,
    people_who_gain,
    standing_followed,
)
from hub_server.audits.actions.taken_out import why_kept
from hub_server.audits.models import CounterExampleRow
from hub_server.audits.queries import cases as case_queries
from hub_server.audits.rules.standing import at_the_end, quorum
from hub_server.catalog import actions as catalog
from hub_server.kernel.unit_of_work import UnitOfWork
from schemas.evidence.counter_examples import CaseState

DISPUTABLE = (CaseState.REPRODUCED, CaseState.FIXED, CaseState.AGREED)
_RULINGS = frozenset({"upheld", "relabelled", "withdrawn", "overturned", "lapsed"})
_BY_HIDING = "whoever disputed it is hidden"


def end_by_quorum(work: UnitOfWork, row: CounterExampleRow) -> None:
    """End the dispute if two more accounts of standing are on one side than on the other.

    A moderator's word is only taken back by a moderator, and of what counts accounts of standing take few cases out.
    """
    for_label, against = _voices(work, row)
    ruling = quorum(for_label, against)
    if ruling == "overturned" and why_kept(work, row):
        return
    if ruling is not None:
        end_dispute(work, row, ruling, reason=f"{for_label} of standing for the label, {against} against it")


def end_old_disputes(work: UnitOfWork) -> None:
    """End every dispute whose time is over, by what accounts of standing said until then. Harmless to repeat."""
    for found in case_queries.disputes_since_before(work.session, work.now - DISPUTE_LASTS):
        row = row_to_decide(work, found.package_id, found.id)
        work.session.refresh(row)  # it was read before its turn came
        if row.state != CaseState.DISPUTED:
            continue
        for_label, against = _voices(work, row)
        ruling = at_the_end(for_label, against, counts=bool(row.counted_by))
        said = f"{DISPUTE_LASTS.days} days have passed: {for_label} of standing for the label, {against} against it"
        if ruling == "overturned" and (why := why_kept(work, row)):
            ruling, said = "upheld", f"{said}. {why}"
        end_dispute(work, row, ruling, reason=said)


def open_dispute(work: UnitOfWork, row: CounterExampleRow, account: str, reason: str) -> None:
    """The case is disputed from now on."""
    row.state_before_dispute = row.state
    set_state(row, CaseState.DISPUTED)
    row.dispute_reason, row.disputed_by, row.disputed_at = reason, account, work.now


def end_where_hidden(work: UnitOfWork, row: CounterExampleRow) -> None:
    """End the dispute if nobody who is shown says that the label is wrong."""
    disputers = disputers_of(row)
    is_alone = disputers == account_queries.hidden_among(work.session, disputers)
    if row.state == CaseState.DISPUTED and is_alone:
        end_dispute(work, row, "upheld", reason=_BY_HIDING)


def reopen_where_shown(work: UnitOfWork, row: CounterExampleRow, account: str) -> None:
    """``account`` is shown again: its dispute goes on if hiding has ended it, and nobody has decided since.

    It lasts as long as a new one. Otherwise whoever was hidden by mistake could not dispute the label ever again.
    """
    events = row.history or []
    said = next((one for one in reversed(events) if (one["what"], one["by"]) == ("disputed", account)), None)
    ended = next((one for one in reversed(events) if one["what"] in _RULINGS), None)
    if said is None or ended is None or ended["reason"] != _BY_HIDING or events.index(said) > events.index(ended):
        return
    if row.state in DISPUTABLE:
        open_dispute(work, row, account, said["reason"])
    if row.state == CaseState.DISPUTED:
        note_event(work, row, "disputed", account, reason=said["reason"])


def end_dispute(
    work: UnitOfWork, row: CounterExampleRow, ruling: Literal["upheld", "overturned", "lapsed"], *, reason: str
) -> None:
    """Give the case the state that it had before, or take it away; the release is then measured again."""
    counted = bool(row.counted_by)
    with standing_followed(work, row):
        row.disputed_at = None
        if ruling == "upheld":
            set_state(row, CaseState(row.state_before_dispute))
        else:
            set_state(row, CaseState.REFUTED)
            row.counted_by = ""
        note_event(work, row, ruling, reason=reason)
    if ruling != "upheld" and counted:
        queue_audit(work, row.package_id, row.against)


def disputers_of(row: CounterExampleRow) -> set[str]:
    """Who has ever said that the label which the case has now is wrong."""
    found: set[str] = set()
    for event in row.history or []:
        if event["what"] == "disputed":
            found.add(event["by"])
        elif event["what"] == "relabelled":
            found.clear()
    return found


def _voices(work: UnitOfWork, row: CounterExampleRow) -> tuple[int, int]:
    """Accounts of standing for the label, and against it.

    Submitter, owners, who gains and who is hidden have no voice, nor does a second that was taken back.
    """
    if is_closed_to_standing(work, row.package_id):
        return 0, 0
    said: dict[str, str] = {}
    for event in row.history or []:
        if event["what"] in ("seconded", "disputed"):
            said[event["by"]] = event["what"]
        elif event["what"] == "relabelled":
            said.clear()
        elif event["what"] == "upheld":  # an earlier dispute is over
            said = {name: word for name, word in said.items() if word == "seconded"}
    taken_back = {name for name, word in said.items() if word == "seconded"}
    taken_back -= set(case_queries.seconders_of(work.session, row.id))
    behind = catalog.people_behind(work, [row.package_id])[row.package_id]
    hidden = account_queries.hidden_among(work.session, said)
    without = behind | people_who_gain(work, row) | {row.submitted_by} | hidden | taken_back
    words = [word for name, word in said.items() if name not in without and has_standing(work, name)]
    return words.count("seconded"), words.count("disputed")
