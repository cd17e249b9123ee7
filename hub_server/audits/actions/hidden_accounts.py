"""What follows for counter-examples when an account is hidden, and when it is shown again."""

import contextlib
from collections.abc import Iterable

from hub_server.accounts.queries import accounts as account_queries
from hub_server.audits.actions.cases import queue_audit
from hub_server.audits.actions.dispute_end import end_where_hidden, reopen_where_shown
from hub_server.audits.actions.seconders import SECONDABLE, count_if_enough, count_without
from hub_server.audits.errors import CaseNotSecondableError
from hub_server.audits.models import CounterExampleRow
from hub_server.audits.queries import cases as case_queries
from hub_server.catalog.queries import packages as package_queries
from hub_server.kernel.unit_of_work import UnitOfWork


def follow_hidden_account(work: UnitOfWork, account: str) -> None:
    """Take an account's word out of others' cases once it is hidden, and put it back once it is shown again.

    Its own cases are not in the lists that audits read, so the releases are measured anew in whose rates one counts.
    """
    disputed = case_queries.cases_disputed_by(work.session, account)
    seconded = case_queries.cases_seconded_by(work.session, account)
    rows = _locked(work, {row.id: row for row in (*disputed, *seconded)}.values())
    is_hidden = account_queries.is_hidden(work.session, account)
    for row in rows:
        if is_hidden:
            count_without(work, row, account)
            end_where_hidden(work, row)
        else:
            reopen_where_shown(work, row, account)
            _count_again(work, row)
    for package_id, version in case_queries.counted_cases_by(work.session, account):
        queue_audit(work, package_id, version)


def _locked(work: UnitOfWork, rows: Iterable[CounterExampleRow]) -> list[CounterExampleRow]:
    """The cases as they are now. Their packages are locked in one order: two such acts never wait in a ring."""
    found = sorted(rows, key=lambda one: (one.package_id, one.id))
    for package_id in dict.fromkeys(row.package_id for row in found):
        package_queries.lock_package(work.session, package_id)
    for row in found:
        work.session.refresh(row)
    return found


def _count_again(work: UnitOfWork, row: CounterExampleRow) -> None:
    if row.state in SECONDABLE:
        with contextlib.suppress(CaseNotSecondableError):  # what says the opposite counts by more meanwhile
            count_if_enough(work, row)
