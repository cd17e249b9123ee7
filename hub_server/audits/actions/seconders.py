"""Seconding: how a reproduced counter-example comes to count in the rates."""

import contextlib
from collections.abc import Collection

from hub_server.accounts import actions as accounts
from hub_server.accounts.queries import accounts as account_queries
from hub_server.audits.actions.case_rows import note_event, row_to_decide, told
from hub_server.audits.actions.cases import queue_audit
from hub_server.audits.actions.dispute_end import end_by_quorum, end_dispute
from hub_server.audits.actions.quotas import refuse_too_many_words
from hub_server.audits.actions.standing import (
    has_standing,
    is_closed_to_standing,
    is_moderator,
    people_who_gain,
    points,
    standing_followed,
)
from hub_server.audits.errors import CaseNotSecondableError
from hub_server.audits.models import CaseSecondRow, CounterExampleRow
from hub_server.audits.queries import cases as case_queries
from hub_server.audits.rules.cases import contradict
from hub_server.audits.rules.event_words import counted_words, opposite_words
from hub_server.audits.rules.standing import (
    BY_LABELS,
    BY_MODERATOR,
    BY_OWNER,
    BY_STANDING,
    BY_VERIFIERS,
    SECONDERS,
    STANDING,
    counts_by,
    is_by_standing_alone,
    outranks,
)
from hub_server.catalog import actions as catalog
from hub_server.kernel.caller import require_caller
from hub_server.kernel.unit_of_work import UnitOfWork
from schemas.account import Scope
from schemas.events import EventKind
from schemas.evidence.counter_examples import CaseState, CounterExample
from schemas.names import LATEST

_TOO_FEW = "of those who made it count, too few are shown"
SECONDABLE = (CaseState.REPRODUCED, CaseState.FIXED, CaseState.AGREED, CaseState.DISPUTED)


def second_case(work: UnitOfWork, package_id: str, case_id: str) -> CounterExample:
    """Say that a case's label is right.

    It then counts if the owner, or enough accounts with standing, seconded it.

    A disputed case may be seconded too; if it then counts, or two more accounts of standing are for its label than
    against it, the dispute is over. Raises ``CaseNotSecondableError`` for one's own case, for a case that was not
    reproduced, and for who spoke for the opposite label.
    """
    caller = require_caller(work.caller, Scope.CASES)
    row = row_to_decide(work, package_id, case_id)
    if caller.name == row.submitted_by:
        raise CaseNotSecondableError("The account that submitted a case cannot second it: somebody else must.")
    if row.state not in SECONDABLE:
        raise CaseNotSecondableError(
            f"Only a reproduced, fixed, agreed or disputed case can be seconded; this one is {row.state}."
        )
    _refuse_both_labels(work, row, caller.name)
    if case_queries.find_second(work.session, row.id, caller.name) is None:
        refuse_too_many_words(work, package_id, caller.name)
        work.session.add(CaseSecondRow(case_id=row.id, account=caller.name, seconded_at=work.now))
        work.session.flush()
        note_event(work, row, "seconded", caller.name)
        work.announce(EventKind.CASE_SECONDED, package_id, row.against, case=row.id, state=row.state)
        count_if_enough(work, row)
        if row.state == CaseState.DISPUTED:
            end_by_quorum(work, row)
    return told(work, row)


def count_if_enough(work: UnitOfWork, row: CounterExampleRow) -> None:
    """Let a case count if enough of those who are shown have seconded it."""
    counted_by = _counts_by(work, row)
    if outranks(counted_by, row.counted_by):  # the owner's word alone never keeps others' from counting for more
        let_count(work, row, counted_by)
        if row.state == CaseState.DISPUTED:
            end_dispute(work, row, "upheld", reason=f"counts by {counted_by}")
        queue_audit(work, row.package_id, LATEST)
    if is_by_standing_alone(row.counted_by, row.corroborated_by) and _speaks_the_owner(work, row):
        corroborate(work, row, BY_OWNER)


def corroborate(work: UnitOfWork, row: CounterExampleRow, by: str, *, who: str = "") -> None:
    """Somebody else confirms the label of a case that counts by accounts of standing; it has no limit any more."""
    with standing_followed(work, row):
        row.corroborated_by = by
        note_event(work, row, "corroborated", reason=counted_words(by, who))
    queue_audit(work, row.package_id, LATEST)


def _speaks_the_owner(work: UnitOfWork, row: CounterExampleRow) -> bool:
    owner = catalog.owner_of(work, row.package_id)
    return any(accounts.may_publish_for(work, name, owner) for name in _shown_seconders(work, row))


def _shown_seconders(work: UnitOfWork, row: CounterExampleRow) -> list[str]:
    given = case_queries.seconders_of(work.session, row.id)
    hidden = account_queries.hidden_among(work.session, given)
    return [name for name in given if name not in hidden]


def count_without(
    work: UnitOfWork, row: CounterExampleRow, account: str, labellers: Collection[str] | None = None
) -> None:
    """``account`` was hidden: a case that counts by its word counts by what the others' is worth, or no more.

    ``labellers``: who else agreed on the label; None where ``account`` did not.
    """
    if _was_corroborated_by_hidden(work, row, labellers):
        with standing_followed(work, row):
            row.corroborated_by = ""
            note_event(work, row, "lapsed", reason="whoever confirmed it is hidden")
        queue_audit(work, row.package_id, LATEST)
    events = [(one["what"], one["by"]) for one in row.history or []]
    at = max((n for n, (what, _) in enumerate(events) if what in ("counted", "relabelled")), default=0)
    is_its_word = row.counted_by in (BY_OWNER, BY_MODERATOR) and events[max(0, at - 1)] == ("seconded", account)
    by_labels = row.counted_by == BY_LABELS and labellers is not None
    if not (row.counted_by == BY_STANDING or by_labels or is_its_word):
        return
    left = BY_LABELS if by_labels and _are_enough(work, labellers or ()) else _counts_by(work, row)
    left = left or row.corroborated_by  # whoever confirmed it has not gone
    if left != row.counted_by and not outranks(left, row.counted_by):
        with standing_followed(work, row):
            row.counted_by = left
            note_event(work, row, "counted" if left else "lapsed", reason=counted_words(left) if left else _TOO_FEW)
        queue_audit(work, row.package_id, LATEST)


def _was_corroborated_by_hidden(work: UnitOfWork, row: CounterExampleRow, labellers: Collection[str] | None) -> bool:
    if row.corroborated_by == BY_OWNER:
        return not _speaks_the_owner(work, row)
    is_moderators = row.corroborated_by == BY_MODERATOR and labellers is not None
    return is_moderators and not any(is_moderator(work, name) for name in labellers or ())


def _counts_by(work: UnitOfWork, row: CounterExampleRow) -> str:
    """Who makes a case count, of those who have seconded it and are shown."""
    seconders = _shown_seconders(work, row)
    interested = catalog.people_behind(work, [row.package_id])[row.package_id] | people_who_gain(work, row)
    moderators = [name for name in seconders if name not in interested and is_moderator(work, name)]
    owner = catalog.owner_of(work, row.package_id)
    speakers = [name for name in seconders if accounts.may_publish_for(work, name, owner)]
    # A member who may only read, or who has left, does not speak for the owner, and is none of the two of standing.
    is_open = not is_closed_to_standing(work, row.package_id)
    others = {name: points(work, name) for name in seconders if is_open and name not in interested}
    return counts_by(seconders, speakers, moderators, others)


def let_count(work: UnitOfWork, row: CounterExampleRow, counted_by: str, *, by: str = "") -> None:
    """Let the case count. What says the opposite of the same response and counts by less, or is hidden, counts no more.

    Those by whom it counted until now still confirm it. Or two friends of the author would second a case that other
    people's verifiers had made count, and so make it wait.
    ``by``: who in particular, for its history.
    """
    twins = _twins(work, row)
    hidden = case_queries.hidden_among(work.session, [twin.id for twin in twins])
    for twin in twins:
        if not twin.counted_by or twin.id in hidden:
            continue
        if not outranks(counted_by, twin.counted_by):
            raise CaseNotSecondableError(
                f"Counter-example {twin.id} says the opposite of the same response and counts by {twin.counted_by}: "
                "dispute that one."
            )
        if counted_by in STANDING and twin.counted_by == BY_VERIFIERS:
            raise CaseNotSecondableError(
                f"Counter-example {twin.id} says the opposite of the same response, and other people's verifiers "
                "confirm it: a moderator decides."
            )
    for twin in twins:
        if twin.counted_by:
            with standing_followed(work, twin):
                twin.counted_by = ""
                note_event(work, twin, "overturned", reason=opposite_words(row.id, counted_by))
    with standing_followed(work, row):
        before = row.counted_by
        row.corroborated_by = before if before in (BY_OWNER, BY_VERIFIERS) else row.corroborated_by if before else ""
        row.counted_by = counted_by
        note_event(work, row, "counted", reason=counted_words(counted_by, by))
        work.announce(EventKind.CASE_COUNTS, row.package_id, row.against, case=row.id, state=row.state)


def _twins(work: UnitOfWork, row: CounterExampleRow) -> list[CounterExampleRow]:
    """Cases about the same response that claim the opposite."""
    about = case_queries.standing_cases_about(work.session, row.package_id, row.content_key)
    return [one for one in about if one.id != row.id and contradict(one.claim, row.claim)]


def _refuse_both_labels(work: UnitOfWork, row: CounterExampleRow, account: str) -> None:
    """Nobody supports both labels of a response. A second of a case that is hidden is taken back instead."""
    twins = _twins(work, row)
    hidden = case_queries.hidden_among(work.session, [twin.id for twin in twins])
    for twin in twins:
        second = case_queries.find_second(work.session, twin.id, account)
        if twin.id in hidden:
            if second is not None:
                work.session.delete(second)
                work.session.flush()
                count_without(work, twin, account)
        elif account in (twin.submitted_by, *case_queries.seconders_of(work.session, twin.id)):
            raise CaseNotSecondableError(
                f"You support the opposite label of this response, in counter-example {twin.id}."
            )


def count_by_labels(work: UnitOfWork, row: CounterExampleRow, labellers: Collection[str]) -> None:
    """Let a case count at once when people agreed on its label and two of them have standing.

    ``labellers``: the package's owners are none of them.
    """
    if outranks(BY_LABELS, row.counted_by) and _are_enough(work, labellers):
        with contextlib.suppress(CaseNotSecondableError):  # what says the opposite counts by more
            let_count(work, row, BY_LABELS, by=", ".join(labellers))
    confirm_by_labels(work, row, labellers)


def confirm_by_labels(work: UnitOfWork, row: CounterExampleRow, labellers: Collection[str]) -> None:
    """A moderator among those who agreed on a label confirms it, also where the case counts already."""
    is_open = row.counted_by in STANDING and row.corroborated_by != BY_MODERATOR
    if is_open and any(is_moderator(work, name) for name in labellers):
        corroborate(work, row, BY_MODERATOR)


def _are_enough(work: UnitOfWork, labellers: Collection[str]) -> bool:
    return sum(has_standing(work, name) for name in labellers) >= SECONDERS
