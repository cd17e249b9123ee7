"""Kept answers: of one account, for one request, for a day, in the transaction that made them."""

import contextlib
from datetime import timedelta

import pytest

from hub_server.database.engine import Database
from hub_server.database.idempotency import KEPT_FOR, find_answer, forget_old_answers, keep_answer
from hub_server.errors import IdempotencyConflictError
from tests.fakes.clock import FakeClock


def keep(database: Database, clock: FakeClock, account: str = "alice", request: str = "hash") -> None:
    with database.writing() as session:
        keep_answer(session, account, "key", request, {"n": 1}, clock.now())


def find(database: Database, clock: FakeClock, account: str = "alice", request: str = "hash"):
    with database.writing() as session:
        return find_answer(session, account, "key", request, clock.now())


def test_the_same_request_gets_the_kept_answer_and_another_account_does_not(
    database: Database, clock: FakeClock
) -> None:
    keep(database, clock)
    assert find(database, clock) == {"n": 1}
    assert find(database, clock, account="bob") is None


def test_another_request_under_the_same_key_is_refused(database: Database, clock: FakeClock) -> None:
    keep(database, clock)
    with pytest.raises(IdempotencyConflictError, match="fresh one"):
        find(database, clock, request="other")


def test_of_two_at_once_the_second_is_told_to_ask_again(database: Database, clock: FakeClock) -> None:
    keep(database, clock)
    with pytest.raises(IdempotencyConflictError, match="ask again"):
        keep(database, clock)
    assert find(database, clock) == {"n": 1}


def test_a_transaction_that_fails_keeps_no_answer(database: Database, clock: FakeClock) -> None:
    with contextlib.suppress(ZeroDivisionError), database.writing() as session:
        keep_answer(session, "alice", "key", "hash", {"n": 1}, clock.now())
        raise ZeroDivisionError
    assert find(database, clock) is None


def test_after_a_day_the_key_is_free_for_any_request(database: Database, clock: FakeClock) -> None:
    keep(database, clock)
    clock.advance(KEPT_FOR.total_seconds() - 1)
    assert find(database, clock) == {"n": 1}
    clock.advance(2)
    assert find(database, clock, request="other") is None
    keep(database, clock, request="other")


def test_old_answers_are_deleted_and_young_ones_stay(database: Database, clock: FakeClock) -> None:
    keep(database, clock)
    clock.advance(timedelta(hours=23).total_seconds())
    keep(database, clock, account="bob")
    clock.advance(timedelta(hours=2).total_seconds())
    with database.writing() as session:
        forget_old_answers(session, clock.now())
    keep(database, clock)  # free again: the row is gone
    assert find(database, clock, account="bob") == {"n": 1}
