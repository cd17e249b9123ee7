"""Passwords: how they are hashed, that no refusal says why, and what a change of them ends."""

import pytest
from argon2 import PasswordHasher

from hub_server.accounts import actions
from hub_server.accounts.actions import passwords
from hub_server.accounts.actions.passwords import prove_password
from hub_server.accounts.queries.accounts import find_account
from hub_server.errors import NotAuthenticatedError
from tests.making.action_driver import ActionDriver, person
from tests.making.credentials import NEW, OLD, session_of, signed_up, who


@pytest.mark.parametrize(
    ("name", "password"), [("carol", "wrong wrong wrong"), ("nobody", OLD), ("carol", ""), ("", OLD), ("team", "")]
)
def test_every_reason_for_a_wrong_password_is_the_same_words(driver: ActionDriver, name: str, password: str) -> None:
    signed_up(driver)
    driver.organization("team")
    with pytest.raises(NotAuthenticatedError, match=r"^Name or password is wrong\.$"):
        prove_password(driver.services, name, password)


def test_a_password_is_hashed_as_owasp_asks(real_hasher: PasswordHasher) -> None:
    """Argon2id with 19 MiB, two passes, one lane. Other tests use a quicker hasher, so this one holds the hub's own."""
    assert real_hasher is not passwords._HASHER
    assert real_hasher.hash(OLD).startswith("$argon2id$v=19$m=19456,t=2,p=1$")


def test_the_password_of_nobody_opens_no_account_that_has_none(driver: ActionDriver) -> None:
    """An organisation has no password: the hash that stands in for a missing one must not log anybody in as it."""
    driver.organization("team")
    with pytest.raises(NotAuthenticatedError):
        prove_password(driver.services, "team", "nobody has this password")


def test_a_stored_hash_that_is_damaged_is_a_wrong_password_and_no_fault(driver: ActionDriver) -> None:
    signed_up(driver)
    with driver.writing() as work:
        row = find_account(work.session, "carol")
        assert row is not None
        row.password_hash = "$argon2id$damaged"
    with pytest.raises(NotAuthenticatedError):
        prove_password(driver.services, "carol", OLD)


def test_a_password_that_was_changed_between_proof_and_login_no_longer_counts(driver: ActionDriver) -> None:
    signed_up(driver)
    proven = prove_password(driver.services, "carol", OLD)
    driver.do(person("carol"), actions.change_password, proven, actions.hash_password(NEW))
    for act, rest in ((actions.log_in, ("laptop",)), (actions.open_web_session, ())):
        with pytest.raises(NotAuthenticatedError):
            driver.do(None, act, proven, *rest)


def test_nobody_changes_the_password_of_an_account_by_knowing_its_password_and_holding_another_token(
    driver: ActionDriver,
) -> None:
    signed_up(driver)
    proven = prove_password(driver.services, "carol", OLD)
    with pytest.raises(NotAuthenticatedError):
        driver.do(driver.person("bob"), actions.change_password, proven, actions.hash_password(NEW))
    assert prove_password(driver.services, "carol", OLD)


def test_a_new_password_logs_browsers_out_and_revokes_tokens(driver: ActionDriver) -> None:
    token, cookie = signed_up(driver), session_of(driver)
    proven = prove_password(driver.services, "carol", OLD)
    driver.do(who(driver, token=token), actions.change_password, proven, actions.hash_password(NEW))
    assert who(driver, session_secret=cookie) is None
    with pytest.raises(NotAuthenticatedError):
        who(driver, token=token)


def test_a_hash_of_older_parameters_is_renewed_at_the_next_login(driver: ActionDriver) -> None:
    signed_up(driver)
    old = PasswordHasher(time_cost=2, memory_cost=8, parallelism=1).hash(OLD)
    with driver.writing() as work:
        row = find_account(work.session, "carol")
        assert row is not None
        row.password_hash = old
    driver.do(None, actions.log_in, prove_password(driver.services, "carol", OLD), "laptop")
    ((stored,),) = driver.rows("SELECT password_hash FROM accounts")
    assert stored != old
    assert not passwords._HASHER.check_needs_rehash(stored)
