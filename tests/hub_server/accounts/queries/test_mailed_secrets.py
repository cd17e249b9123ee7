"""Secrets that were sent by mail: which of them still hold."""

from datetime import datetime, timedelta

import pytest

from hub_server.accounts.models import AccountRow, MailedSecretRow
from hub_server.accounts.queries import mailed_secrets as mailed_queries
from tests.making.action_driver import ActionDriver

SECOND = timedelta(seconds=1)


@pytest.fixture
def now(driver: ActionDriver) -> datetime:
    """One secret was sent to ann by the job ``job`` now; it holds for a second."""
    driver.person("ann")
    now = driver.clock.now()
    with driver.writing() as work:
        work.session.get_one(AccountRow, "id-ann").email = "ann@x.org"
        work.session.add(
            MailedSecretRow(
                secret_sha256="s", account_id="id-ann", purpose="reset", email="ann@x.org", job_id="job",
                created_at=now, expires_at=now + SECOND,
            )
        )  # fmt: skip
    return now


@pytest.mark.parametrize(
    ("secret", "purpose", "offset", "holds"),
    [
        ("s", "reset", 0, True), ("s", "reset", 1, False), ("s", "confirmation", 0, False), ("S", "reset", 0, False),
        ("", "reset", 0, False),
    ],
)  # fmt: skip
def test_a_secret_holds_for_its_purpose_until_its_end(
    driver: ActionDriver, now: datetime, secret: str, purpose: str, offset: int, holds: bool
) -> None:
    with driver.reading() as work:
        moment = now + offset * SECOND
        found = mailed_queries.find_mailed_secret(work.session, secret, purpose, moment, lock=False)
    assert (found is not None) is holds


def test_a_secret_ends_with_the_address_that_it_was_sent_to(driver: ActionDriver, now: datetime) -> None:
    with driver.writing() as work:
        work.session.get_one(AccountRow, "id-ann").email = "ann@y.org"
    with driver.reading() as work:
        assert mailed_queries.find_mailed_secret(work.session, "s", "reset", now, lock=False) is None


def test_only_mails_of_other_jobs_count_as_sent_before(driver: ActionDriver, now: datetime) -> None:
    def was_mailed(since: datetime, job: str) -> bool:
        with driver.reading() as work:
            return mailed_queries.was_mailed_since(work.session, "id-ann", "reset", since, job)

    assert was_mailed(now - SECOND, "another")
    assert not was_mailed(now - SECOND, "job")
    assert not was_mailed(now, "another")


def test_what_is_forgotten_no_longer_holds(driver: ActionDriver, now: datetime) -> None:
    driver.do(None, lambda work: mailed_queries.forget_mailed_secrets(work.session, "id-ann", "confirmation"))
    driver.do(None, lambda work: mailed_queries.forget_mailed_by(work.session, "another", "id-ann"))
    assert driver.rows("SELECT secret_sha256 FROM mailed_secrets") == [("s",)]
    driver.do(None, lambda work: mailed_queries.forget_mailed_by(work.session, "job", "id-ann"))
    assert driver.rows("SELECT secret_sha256 FROM mailed_secrets") == []
