"""Who has standing on this hub, and who gains by a case."""

from collections.abc import Iterator
from contextlib import contextmanager

from hub_server.accounts import actions as accounts
from hub_server.accounts.errors import AccountNotFoundError
from hub_server.audits.models import CounterExampleRow
from hub_server.audits.queries import cases as case_queries
from hub_server.audits.queries import suites as suite_queries
from hub_server.audits.rules.standing import ENOUGH, LedgerEntry, points_of
from hub_server.catalog import actions as catalog
from hub_server.catalog.queries import packages as package_queries
from hub_server.database.visibility import EVERYBODY, seeing
from hub_server.kernel.job_names import JobName
from hub_server.kernel.unit_of_work import UnitOfWork

_OVERTURNED = {"relabelled", "overturned"}


def points(work: UnitOfWork, account: str) -> int:
    """The points that an account's cases and seconds have earned and lost, as everybody sees them.

    Cases of private packages earn nothing, whoever asks: nobody else could look them over.
    """
    with seeing(work.session, EVERYBODY):
        rows = case_queries.ledger_of(work.session, account)
        return points_of(_entry(row, account) for row in rows)


def has_standing(work: UnitOfWork, account: str) -> bool:
    """Whether what an account seconds counts: it is a moderator, or enough of its earlier cases came to count."""
    return is_moderator(work, account) or points(work, account) >= ENOUGH


@contextmanager
def standing_followed(work: UnitOfWork, row: CounterExampleRow) -> Iterator[None]:
    """Wrap a change of whether a case counts: queue jobs for the suites of everybody who gains or loses standing by it.

    A suite counts only if its publisher has standing, so releases that were measured on it must be measured again.
    """
    people = {row.submitted_by, *case_queries.seconders_of(work.session, row.id)}
    before = {name for name in people if has_standing(work, name)}
    yield
    work.session.flush()
    changed = {name for name in people if has_standing(work, name) is not (name in before)}
    for suite in package_queries.suites_published_by(work.session, changed) if changed else ():
        payload = {"suite": suite, "has_lost": True}
        work.queue(JobName.MEASURE_WITH_SUITE, payload, unique_key=f"suite:{suite}:standing")


def is_moderator(work: UnitOfWork, account: str) -> bool:
    """Whether the account is a moderator of this hub."""
    try:
        return accounts.get_account(work, account).is_moderator
    except AccountNotFoundError:
        return False


def owners_of(work: UnitOfWork, package_id: str) -> set[str]:
    """The accounts that have a package now: its owner, or the organisation and its members."""
    owner = catalog.owner_of(work, package_id)
    return {owner, *accounts.members_by_organization(work, [owner]).get(owner, ())}


def is_hubs_own(work: UnitOfWork, suite_id: str) -> bool:
    """Whether a suite counts as the hub's own: the operator named who has it now."""
    named = work.services.settings.suite_owners
    return bool(named) and catalog.owner_of(work, suite_id) in named


def is_closed_to_standing(work: UnitOfWork, package_id: str) -> bool:
    """Whether only the owner and moderators decide about labels: those of a suite that counts as the hub's own.

    Grades begin with its cases, so accounts must not be able to take out what a friend's verifier gets wrong.
    """
    package = package_queries.find_package(work.session, package_id)
    return package is not None and package.kind == "suite" and is_hubs_own(work, package_id)


def people_who_gain(work: UnitOfWork, row: CounterExampleRow) -> set[str]:
    """Everybody behind a verifier that is wrong on the suite's case which the row reports; nobody for other rows.

    Without the case their verifier is wrong on one less, so their word about its label counts for nothing.
    """
    verifiers = suite_queries.wrong_on_case(work.session, row.package_id, str(row.case["id"]))
    return set().union(*catalog.people_behind(work, verifiers).values()) if verifiers else set()


def _entry(row: case_queries.LedgerCase, account: str) -> LedgerEntry:
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
