"""Seconding: how a reproduced counter-example comes to count in the rates."""

from collections.abc import Collection

from hub_server.accounts import actions as accounts
from hub_server.accounts.errors import AccountNotFoundError, OrganizationNotFoundError
from hub_server.audits import queries
from hub_server.audits.actions.case_rows import case_of, get_row, note_event
from hub_server.audits.actions.cases import queue_audit
from hub_server.audits.errors import CaseNotSecondableError
from hub_server.audits.models import CaseSecondRow, CounterExampleRow
from hub_server.audits.rules.reputation import BY_LABELS, ENOUGH, SECONDERS, LedgerEntry, counts_by, points_of
from hub_server.catalog import actions as catalog
from hub_server.kernel.caller import require_caller
from hub_server.kernel.unit_of_work import UnitOfWork
from schemas.account import Scope
from schemas.audit import CaseState, CounterExample
from schemas.names import split_package_id

_OVERTURNED = {"relabelled", "overturned"}


def second_case(work: UnitOfWork, package_id: str, case_id: str) -> CounterExample:
    """Confirm that a case's label is right.

    It then counts if the owner, or enough accounts with standing, confirmed it.

    Raises ``CaseNotSecondableError`` for one's own case, and for a case that was not reproduced.
    """
    caller = require_caller(work.caller, Scope.CASES)
    row = get_row(work, package_id, case_id)
    if caller.name == row.submitted_by:
        raise CaseNotSecondableError("Somebody else must second a case than the account that submitted it.")
    if row.state not in (CaseState.CONFIRMED, CaseState.FIXED, CaseState.HELD):
        raise CaseNotSecondableError(f"Only a reproduced, fixed or held case can be seconded; this one is {row.state}.")
    if queries.find_second(work.session, row.id, caller.name) is None:
        work.session.add(CaseSecondRow(case_id=row.id, account=caller.name, seconded_at=work.now))
        work.session.flush()
        note_event(work, row, "seconded", caller.name)
        _count_if_enough(work, row)
    return case_of(row, queries.seconders_of(work.session, row.id))


def _count_if_enough(work: UnitOfWork, row: CounterExampleRow) -> None:
    if row.counted_by:
        return
    seconders = queries.seconders_of(work.session, row.id)
    owners = owners_of(work, row.package_id)
    moderators = [name for name in seconders if name not in owners and is_moderator(work, name)]
    row.counted_by = counts_by(seconders, owners, moderators, {name: points(work, name) for name in seconders})
    if row.counted_by:
        note_event(work, row, "counted", reason=f"by {row.counted_by}")
        queue_audit(work, row.package_id, catalog.resolve_release(work, row.package_id, "latest").version)


def count_by_labels(work: UnitOfWork, row: CounterExampleRow, labellers: Collection[str]) -> None:
    """Let a case count at once when people agreed on its label and two of them have standing."""
    good = [name for name in labellers if has_standing(work, name)]
    if len(good) >= SECONDERS:
        row.counted_by = BY_LABELS
        note_event(work, row, "counted", reason=f"by {row.counted_by}")


def points(work: UnitOfWork, account: str) -> int:
    """The points that an account's cases and seconds have earned and lost."""
    rows = queries.cases_of_account(work.session, account)
    return points_of(_entry(row, account) for row in rows)


def has_standing(work: UnitOfWork, account: str) -> bool:
    """Whether an account's confirmation counts: it is a moderator's, or its earlier cases held."""
    return is_moderator(work, account) or points(work, account) >= ENOUGH


def is_moderator(work: UnitOfWork, account: str) -> bool:
    """Whether the account is a moderator of this hub."""
    try:
        return accounts.get_account(work, account).is_moderator
    except AccountNotFoundError:
        return False


def owners_of(work: UnitOfWork, package_id: str) -> set[str]:
    """The accounts behind a package: its owner, or the members of its organisation."""
    owner, _ = split_package_id(package_id)
    try:
        return {owner, *(member.account for member in accounts.get_organization(work, owner).members)}
    except OrganizationNotFoundError:
        return {owner}


def _entry(row: CounterExampleRow, account: str) -> LedgerEntry:
    """What the case says about an account: only what it said before others decided.

    Who seconds a case that counts already has risked nothing: three such seconds gave any fresh account standing.
    """
    events = row.history or []
    said = next((n for n, one in enumerate(events) if (one["what"], one["by"]) == ("seconded", account)), len(events))
    if account == row.submitted_by:
        said = -1
    counted = max((n for n, one in enumerate(events) if one["what"] == "counted"), default=-1)
    is_earned = account == row.submitted_by or said < counted
    is_overturned = any(one["what"] in _OVERTURNED for one in events[said + 1 :])
    return LedgerEntry(row.counted_by if is_earned else "", is_overturned)
