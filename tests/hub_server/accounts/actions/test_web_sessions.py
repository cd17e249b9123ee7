"""Sessions: proofs of the password end by themselves, and a person sees and ends their own alone."""

import pytest

from hub_server.accounts import actions
from hub_server.accounts.errors import TokenNotFoundError
from hub_server.errors import NotAuthenticatedError, PasswordNeededError
from hub_server.kernel.caller import Credentials
from schemas.account import SUDO_PREFIX, AccountCreate
from tests.making.action_driver import ActionDriver, caller

PASSWORD = "correct horse battery"


@pytest.fixture
def carol(driver: ActionDriver) -> actions.passwords.ProvenPassword:
    body = AccountCreate(name="carol", email="c@example.org", password=PASSWORD)
    driver.do(None, actions.sign_up, body, actions.hash_password(PASSWORD))
    return actions.prove_password(driver.services, "carol", PASSWORD)


def who(driver: ActionDriver, cookie: str):
    return driver.ask(None, actions.authenticate, Credentials(session_secret=cookie))


def test_a_fresh_session_is_proven_and_stays_one_of_looking_afterwards(driver: ActionDriver, carol) -> None:
    _, cookie = driver.do(None, actions.open_web_session, carol, "Firefox\x1b[31m")
    assert who(driver, cookie).is_proven
    driver.clock.advance(16 * 60)
    found = who(driver, cookie)
    assert (found.by_session, found.is_proven) == (True, False)
    (session,) = driver.ask(found, actions.list_web_sessions)
    assert (session.client, session.is_current, session.kind) == ("Firefox[31m", True, "browser")
    fresh = driver.do(found, actions.prove_again, actions.prove_password(driver.services, "carol", PASSWORD), cookie)
    assert who(driver, fresh).is_proven


def test_a_copy_of_the_cookie_ends_when_its_person_types_the_password(driver: ActionDriver, carol) -> None:
    _, cookie = driver.do(None, actions.open_web_session, carol)
    person, proven = who(driver, cookie), actions.prove_password(driver.services, "carol", PASSWORD)
    fresh = driver.do(person, actions.prove_again, proven, cookie)
    assert fresh != cookie
    assert who(driver, cookie) is None
    (session,) = driver.ask(who(driver, fresh), actions.list_web_sessions)
    assert session.is_current
    with pytest.raises(NotAuthenticatedError):  # what the copy was about to prove, too late
        driver.do(person, actions.prove_again, proven, cookie)


@pytest.mark.parametrize("kind", ["cookie", "ticket"])
def test_nobody_proves_anothers_session_by_a_password_of_ones_own(driver: ActionDriver, carol, kind: str) -> None:
    """A thief sends a proof of an account of their own as the token, and beside it the cookie that they copied."""
    opened = driver.do(None, actions.open_web_session if kind == "cookie" else actions.open_ticket, carol)
    copied = opened[1] if kind == "cookie" else opened
    body = AccountCreate(name="mallory", email="m@example.org", password=PASSWORD)
    driver.do(None, actions.sign_up, body, actions.hash_password(PASSWORD))
    own = actions.prove_password(driver.services, "mallory", PASSWORD)
    token = driver.do(None, actions.open_proof, own).secret
    thief = driver.ask(None, actions.authenticate, Credentials(token=token))
    driver.clock.advance(16 * 60)
    with pytest.raises(NotAuthenticatedError):
        driver.do(thief, actions.prove_again, own, copied)
    if kind == "cookie":
        assert not who(driver, copied).is_proven
    with pytest.raises(NotAuthenticatedError):  # nor is the proof itself a session that could be renewed as one
        driver.do(driver.person("dave"), actions.prove_again, own, token)


def test_a_proof_is_of_the_callers_own_password(driver: ActionDriver, carol) -> None:
    proof = driver.do(caller("carol"), actions.open_proof, carol)
    assert proof.secret.startswith(SUDO_PREFIX)
    with pytest.raises(NotAuthenticatedError):
        driver.do(caller("dave"), actions.open_proof, carol)
    person = driver.ask(None, actions.authenticate, Credentials(token=proof.secret))
    assert person is not None
    assert person.is_proven
    assert who(driver, proof.secret) is None  # as a cookie it is nothing


def test_a_session_is_ended_by_its_person_alone(driver: ActionDriver, carol) -> None:
    _, cookie = driver.do(None, actions.open_web_session, carol)
    found = who(driver, cookie)
    (session,) = driver.ask(found, actions.list_web_sessions)
    with pytest.raises(PasswordNeededError):
        driver.ask(caller("carol"), actions.list_web_sessions)
    with pytest.raises(TokenNotFoundError):
        driver.do(driver.person("dave"), actions.end_web_session, session.id)
    driver.do(found, actions.end_web_session, session.id)
    assert who(driver, cookie) is None
