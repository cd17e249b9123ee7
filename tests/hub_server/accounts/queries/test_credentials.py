"""Tokens, browsers' sessions and device logins: what is live, whose it is, and where a boundary lies."""

from datetime import datetime, timedelta

import pytest

from hub_server.accounts.models import DeviceLoginRow, TokenRow, WebSessionRow
from hub_server.accounts.queries import credentials as credential_queries
from tests.making.action_driver import ActionDriver

SECOND = timedelta(seconds=1)


@pytest.fixture
def now(driver: ActionDriver) -> datetime:
    driver.person("ann")
    driver.person("ben")
    return driver.clock.now()


def add_token(driver: ActionDriver, identifier: str, now: datetime, **more) -> None:
    fields = {"account_id": "id-ann", "name": identifier, "secret_sha256": f"hash-{identifier}", "scopes": ["read"]}
    with driver.writing() as work:
        work.session.add(TokenRow(id=identifier, created_at=now, **{"expires_at": now + SECOND, **fields, **more}))


def add_device(driver: ActionDriver, code: str, expires_at: datetime, state: str = "waiting") -> None:
    row = DeviceLoginRow(
        id=code, device_code_sha256=f"hash-{code}", user_code=code, client_name="x", state=state,
        created_at=expires_at, expires_at=expires_at,
    )  # fmt: skip
    with driver.writing() as work:
        work.session.add(row)


@pytest.mark.parametrize(
    ("change", "is_live"),
    [
        ({}, True),
        ({"expires_at": timedelta(0)}, False),
        ({"expires_at": -SECOND}, False),
        ({"revoked_at": -SECOND}, False),
        ({"revoked_at": 365 * 86400 * SECOND}, False),
    ],
    ids=["fresh", "ends now", "ended", "revoked", "revoked by a clock that runs ahead"],
)
def test_a_token_lives_until_it_ends_or_is_revoked(driver: ActionDriver, now: datetime, change, is_live: bool) -> None:
    add_token(driver, "t", now, **{name: now + offset for name, offset in change.items()})
    with driver.reading() as work:
        found = credential_queries.find_live_token(work.session, "hash-t", now)
    assert (found is not None) is is_live
    if found is not None:
        assert (found[0].id, found[1].name) == ("t", "ann")


def test_a_token_is_found_by_its_whole_hash_alone(driver: ActionDriver, now: datetime) -> None:
    add_token(driver, "t", now)
    with driver.reading() as work:
        for secret in ("hash", "hash-", "HASH-T", "hash-t ", "%", ""):
            assert credential_queries.find_live_token(work.session, secret, now) is None, secret


def test_tokens_come_newest_first_without_revoked_ones_and_no_more_than_two_hundred(
    driver: ActionDriver, now: datetime
) -> None:
    with driver.writing() as work:
        for n in range(205):
            row = TokenRow(
                id=f"t{n:03d}", account_id="id-ann", name="t", secret_sha256=str(n), scopes=[], created_at=now,
                expires_at=now, revoked_at=now if n == 204 else None,
            )  # fmt: skip
            work.session.add(row)
    with driver.reading() as work:
        found = credential_queries.list_tokens(work.session, "id-ann", now)
        assert [row.id for row in found[:2]] == ["t203", "t202"]
        assert len(found) == 200
        assert credential_queries.list_tokens(work.session, "id-ben", now) == []


def test_an_id_of_a_token_finds_only_the_callers_own(driver: ActionDriver, now: datetime) -> None:
    add_token(driver, "t", now)
    with driver.reading() as work:
        assert credential_queries.find_token(work.session, "id-ann", "t") is not None
        assert credential_queries.find_token(work.session, "id-ben", "t") is None


@pytest.mark.parametrize(("offset", "is_live"), [(SECOND, True), (timedelta(0), False), (-SECOND, False)])
def test_a_browsers_session_lives_until_its_end(
    driver: ActionDriver, now: datetime, offset: timedelta, is_live: bool
) -> None:
    row = WebSessionRow(secret_sha256="s", account_id="id-ann", created_at=now, expires_at=now + offset)
    with driver.writing() as work:
        work.session.add(row)
    with driver.reading() as work:
        assert (credential_queries.find_live_web_session(work.session, "s", now) is not None) is is_live


def test_ending_one_session_or_all_of_one_account_leaves_the_others(driver: ActionDriver, now: datetime) -> None:
    with driver.writing() as work:
        for secret, who in (("a1", "ann"), ("a2", "ann"), ("a3", "ann"), ("b1", "ben")):
            work.session.add(
                WebSessionRow(secret_sha256=secret, account_id=f"id-{who}", created_at=now, expires_at=now)
            )
    driver.do(None, lambda work: credential_queries.remove_web_session(work.session, "a1"))
    assert {row[0] for row in driver.rows("SELECT secret_sha256 FROM web_sessions")} == {"a2", "a3", "b1"}
    driver.do(None, lambda work: credential_queries.remove_web_sessions_of(work.session, "id-ann"))
    assert driver.rows("SELECT secret_sha256 FROM web_sessions") == [("b1",)]


@pytest.mark.parametrize(
    ("state", "offset", "is_found"),
    [
        ("waiting", SECOND, True), ("waiting", timedelta(0), False), ("waiting", -SECOND, False),
        ("approved", SECOND, False), ("denied", SECOND, False), ("used", SECOND, False),
    ],
)  # fmt: skip
def test_only_a_device_that_waits_can_be_decided_on(
    driver: ActionDriver, now: datetime, state, offset, is_found: bool
) -> None:
    add_device(driver, "BBBB-BBBB", now + offset, state)
    with driver.reading() as work:
        assert (credential_queries.find_waiting_device(work.session, "BBBB-BBBB", now) is not None) is is_found
        assert credential_queries.find_device_login(work.session, "hash-BBBB-BBBB") is not None


def test_forgetting_drops_what_is_over_and_nothing_that_lives(driver: ActionDriver, now: datetime) -> None:
    add_device(driver, "old", now - SECOND)
    add_device(driver, "live", now + SECOND)
    driver.do(None, lambda work: credential_queries.forget_expired(work.session, now))
    assert driver.rows("SELECT id FROM device_logins") == [("live",)]


def test_a_secret_is_revoked_once(driver: ActionDriver, now: datetime) -> None:
    add_token(driver, "t", now)
    for offset in (0, 5):
        moment = now + offset * SECOND
        driver.do(None, lambda work, at: credential_queries.revoke_by_secret(work.session, "hash-t", at), moment)
    with driver.reading() as work:
        row = credential_queries.find_token(work.session, "id-ann", "t")
        assert row is not None
        assert row.revoked_at == now
