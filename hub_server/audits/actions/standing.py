"""Who has standing on this hub, and who gains by a case."""

from collections.abc import Iterator
from contextlib import contextmanager

from hub_server.accounts import actions as accounts
from hub_server.accounts.errors import AccountNotFoundError
from hub_server.audits.models import CounterExampleRow
from hub_server.audits.queries import cases as case_queries
from hub_server.audits.queries import suites as suite_queries
from hub_server.audits.rules.ledger import LedgerCase, PointChange, change_by, speakers_of
from hub_server.audits.rules.standing import ENOUGH
from hub_server.catalog import actions as catalog
from hub_server.catalog.queries import packages as package_queries
from hub_server.database.visibility import EVERYBODY, seeing
from hub_server.kernel.job_names import JobName
from hub_server.kernel.unit_of_work import UnitOfWork


def points(work: UnitOfWork, account: str) -> int:
    """The points that an account's cases and seconds have earned and lost, as everybody sees them.

    Cases of private packages earn nothing, whoever asks: nobody else could look them over.
    """
    return sum(change.points for _, change in changes_of(work, account))


def changes_of(work: UnitOfWork, account: str) -> list[tuple[case_queries.CaseOfAccount, PointChange]]:
    """Every case of a public package by which an account has gained or lost, or will gain once it is confirmed."""
    with seeing(work.session, EVERYBODY):
        rows = case_queries.ledger_of(work.session, account)
    found = ((row, change_by(_ledger_case(row), account)) for row in rows)
    return [(row, change) for row, change in found if change is not None]


def _ledger_case(row: case_queries.CaseOfAccount | CounterExampleRow) -> LedgerCase:
    return LedgerCase(row.submitted_by, row.counted_by, row.corroborated_by, row.history or [])


def has_standing(work: UnitOfWork, account: str) -> bool:
    """Whether what an account seconds counts: it is a moderator, or enough of its earlier cases came to count."""
    return is_moderator(work, account) or points(work, account) >= ENOUGH


@contextmanager
def standing_followed(work: UnitOfWork, row: CounterExampleRow) -> Iterator[None]:
    """Wrap a change of whether a case counts, or is confirmed: queue jobs for the suites of whose standing changes.

    A suite counts only if its publisher has standing, so releases that were measured on it must be measured again.
    """
    people = speakers_of(_ledger_case(row))
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
