"""What follows for counter-examples when an account is hidden, and when it is shown again."""

import contextlib
from collections.abc import Collection, Iterable

from hub_server.accounts.queries import accounts as account_queries
from hub_server.audits.actions.case_rows import is_agreed
from hub_server.audits.actions.cases import queue_audit
from hub_server.audits.actions.dispute_end import end_where_hidden, reopen_where_shown
from hub_server.audits.actions.labels import agreeing, notes_for
from hub_server.audits.actions.seconders import SECONDABLE, count_by_labels, count_if_enough, count_without
from hub_server.audits.errors import CaseNotSecondableError
from hub_server.audits.models import CounterExampleRow, LabelQuestionRow
from hub_server.audits.queries import cases as case_queries
from hub_server.audits.queries import labels as label_queries
from hub_server.catalog.queries import packages as package_queries
from hub_server.kernel.job_names import JobName
from hub_server.kernel.unit_of_work import UnitOfWork
from schemas.evidence.counter_examples import CaseState
from schemas.names import LATEST

_AT_ONCE = 50
"""Cases in one transaction. Each takes a few dozen statements, and whoever waits to write waits for all of them."""


def follow_hidden_account(work: UnitOfWork, account: str, after: str = "") -> None:
    """Take an account's word out of others' cases once it is hidden, and put it back once it is shown again.

    Its own cases are not in the lists that audits read, so the releases are measured anew in whose rates one counts.
    Of many cases the first are changed at once and the others, those behind ``after``, by jobs.
    """
    found = case_queries.cases_touched_by(work.session, account, after, _AT_ONCE + 1)
    if len(found) > _AT_ONCE:
        work.queue(JobName.FOLLOW_HIDDEN_ACCOUNT, {"account": account, "after": found[_AT_ONCE - 1].id})
    rows = _locked(work, found[:_AT_ONCE])
    settled = label_queries.settled_with(work.session, account, [row.id for row in rows])
    is_hidden = account_queries.is_hidden(work.session, account)
    counted = {(row.package_id, row.against) for row in rows if row.submitted_by == account and _counts(row)}
    for row in rows:
        question = settled.get(row.id)
        is_theirs = question is not None and row.case["label"] == question.agreed_label
        labellers = _labellers(work, row, question) if question is not None and is_theirs else None
        is_own = row.submitted_by == account and labellers is None  # whoever submits a case does not second it
        if is_hidden:
            if not is_own:
                count_without(work, row, account, labellers)
            end_where_hidden(work, row)
        else:
            reopen_where_shown(work, row, account)
            if not is_own:
                _count_again(work, row, labellers or ())
    for package_id, version in sorted(counted):
        queue_audit(work, package_id, version)


def _counts(row: CounterExampleRow) -> bool:
    return bool(row.counted_by) and row.state != CaseState.REFUTED


def _locked(work: UnitOfWork, rows: Iterable[CounterExampleRow]) -> list[CounterExampleRow]:
    """The cases as they are now. Their packages are locked in one order: two such acts never wait in a ring."""
    found = sorted(rows, key=lambda one: (one.package_id, one.id))
    for package_id in dict.fromkeys(row.package_id for row in found):
        package_queries.lock_package(work.session, package_id)
    for row in found:
        work.session.refresh(row)
    return found


def _labellers(work: UnitOfWork, row: CounterExampleRow, question: LabelQuestionRow) -> list[str]:
    """Who agreed on the case's label and is shown. The case holds what these noted, and stands in the name of one."""
    names = agreeing(work, question)
    if is_agreed(row):
        row.case = {**row.case, "note": notes_for(work, question, row.case["label"])}
        is_hidden = account_queries.is_hidden(work.session, row.submitted_by)
        if is_hidden and len(names) >= work.services.settings.labels.agreeing:
            row.submitted_by = names[-1]
    return names


def _count_again(work: UnitOfWork, row: CounterExampleRow, labellers: Collection[str]) -> None:
    if row.state in SECONDABLE:
        before = row.counted_by
        count_by_labels(work, row, labellers)
        if row.counted_by != before:
            queue_audit(work, row.package_id, LATEST)
        with contextlib.suppress(CaseNotSecondableError):  # what says the opposite counts by more meanwhile
            count_if_enough(work, row)
