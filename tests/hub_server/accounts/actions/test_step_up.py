"""A thief who copied the browser's cookie just after the password was typed: what would last needs the factor again."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from hub_server.accounts import actions
from hub_server.accounts.actions.passwords import ProvenPassword
from hub_server.accounts.actions.security_keys import KeyAnswer
from hub_server.accounts.actions.step_up import require_proof, require_proven_moderator
from hub_server.accounts.errors import (
    DeviceExpiredError,
    SecondFactorNeededError,
    SecurityKeyError,
    TokenNotFoundError,
)
from hub_server.errors import InvalidRequestError, NotAllowedError, NotAuthenticatedError, PasswordNeededError
from hub_server.kernel.caller import Credentials, ProvenFactor, operator
from hub_server.kernel.unit_of_work import UnitOfWork
from schemas.account import AuthorKeyCreate, TokenCreate
from tests.hub_server.accounts.actions import test_second_factors, test_security_keys
from tests.hub_server.accounts.actions.test_security_keys import PASSWORD, SignedIn
from tests.making.action_driver import ActionDriver, caller
from tests.making.security_key import SoftwareKey

carol, driver = test_security_keys.carol, test_security_keys.driver
person, phone = test_second_factors.person, test_second_factors.phone


def lasting_acts(carol: SignedIn) -> list[tuple]:
    """Each with what it is given after the transaction; none has the factor."""
    (key,) = carol.driver.ask(carol.caller, actions.get_second_factor).security_keys
    return [
        (actions.start_security_key, carol.cookie),
        (actions.remove_security_key, key.id),
        (actions.start_second_factor,),
        (actions.disable_second_factor,),
        (actions.change_email, "thief@example.org"),
        (actions.create_token, TokenCreate(name="for ever")),
        (actions.approve_device, "BCDF-GHJK"),
        (actions.add_author_key, AuthorKeyCreate(public_key="x" * 44, claim="y" * 88)),
        (actions.remove_author_key, "z"),
    ]


def test_nothing_that_lasts_is_done_by_a_cookie_alone_however_fresh_its_password(
    carol: SignedIn, driver: ActionDriver
) -> None:
    carol.add(SoftwareKey())
    assert carol.caller.is_proven
    credentials = Credentials(session_secret=carol.cookie, factor=ProvenFactor("id-mallory"))
    foreign = driver.ask(None, actions.authenticate, credentials)
    for act, *given in lasting_acts(carol):
        with pytest.raises(SecondFactorNeededError, match="once more"):
            driver.do(carol.caller, act, *given)
        with pytest.raises(SecondFactorNeededError):  # and not by somebody else's factor
            driver.do(carol.caller, lambda work: require_proof(replace(work, caller=foreign)))
    assert driver.rows("SELECT count(*) FROM tokens WHERE name = 'for ever'") == [(0,)]


def test_with_the_factor_it_is_done_and_without_one_the_password_is_enough(
    carol: SignedIn, driver: ActionDriver
) -> None:
    driver.do(carol.caller, actions.create_token, TokenCreate(name="before"))
    carol.add(SoftwareKey())
    driver.do(carol.shown(), actions.create_token, TokenCreate(name="after"))
    driver.do(carol.shown(), actions.change_email, "new@example.org")
    driver.clock.advance(16 * 60)
    with pytest.raises(PasswordNeededError):  # the factor stands beside the password, not in its place
        driver.do(carol.shown(), actions.create_token, TokenCreate(name="late"))


def test_a_question_to_a_key_that_is_there_is_no_question_to_a_new_one(carol: SignedIn, driver: ActionDriver) -> None:
    """The thief may have the hub ask carol's key. What it asked her key, his own key answers in vain."""
    carol.add(SoftwareKey())
    question = driver.do(carol.caller, actions.ask_key, carol.cookie)
    made_up = {"rp": {"id": question["rpId"]}, "challenge": question["challenge"]}
    answer = KeyAnswer(SoftwareKey().register(made_up), carol.cookie)
    with pytest.raises(SecurityKeyError, match="not valid"):
        driver.do(carol.caller, actions.add_security_key, "his", answer)


def test_what_a_thief_began_before_there_was_a_factor_ends_with_it(driver: ActionDriver, person) -> None:
    cookie = test_second_factors.sign_in(driver)
    thief = SignedIn(driver, cookie)
    his = SoftwareKey()
    answer = KeyAnswer(his.register(thief.question()), cookie)
    secret = driver.do(person, actions.start_second_factor).secret
    driver.do(person, actions.enable_second_factor, test_second_factors.Phone(driver, secret).code())
    with pytest.raises((SecurityKeyError, PasswordNeededError)):
        driver.do(thief.caller, actions.add_security_key, "his", answer)


def by_key(driver: ActionDriver, carol: SignedIn) -> None:
    carol.add(SoftwareKey())


def by_app(driver: ActionDriver, carol: SignedIn) -> None:
    secret = driver.do(carol.caller, actions.start_second_factor).secret
    driver.do(carol.caller, actions.enable_second_factor, test_second_factors.Phone(driver, secret).code())


@pytest.mark.parametrize("add", [by_key, by_app])
def test_a_proof_that_was_allowed_before_there_was_a_factor_is_not_fetched_after(
    carol: SignedIn, driver: ActionDriver, add: Callable[[ActionDriver, SignedIn], None]
) -> None:
    """It would count for the factor as well, and a thief would have a quarter of an hour to fetch it."""
    token = caller("carol", account_id=carol.caller.account_id)
    code = driver.do(token, actions.start_device_login, "laptop", "https://hub.example/device", is_proof=True)
    driver.do(carol.caller, actions.approve_device, code.user_code, knows_proof=True)
    add(driver, carol)
    with pytest.raises(DeviceExpiredError):
        driver.do(None, actions.collect_device_proof, code.device_code)


@pytest.mark.parametrize("use", [actions.open_proof, lambda work, proven: actions.log_in(work, proven, "laptop")])
def test_a_password_that_was_proven_before_there_was_a_factor_opens_nothing_after(
    carol: SignedIn, driver: ActionDriver, use: Callable[[UnitOfWork, ProvenPassword], object]
) -> None:
    """Proving takes transactions of its own, and the factor may come between them and what it is proven for."""
    proven = actions.prove_password(driver.services, "carol", PASSWORD)
    carol.add(SoftwareKey())
    with pytest.raises(SecondFactorNeededError):
        driver.do(None, use, proven)


def test_a_command_for_which_all_was_typed_is_asked_once(driver: ActionDriver, person, phone) -> None:
    proven = actions.prove_password(driver.services, "carol", PASSWORD, phone.code())
    proof = driver.do(None, actions.open_proof, proven).secret
    momentary = driver.ask(None, actions.authenticate, Credentials(token=proof))
    assert momentary is not None
    assert momentary.has_shown_factor
    driver.do(momentary, actions.create_token, TokenCreate(name="by a shell"))


def test_a_shell_gets_its_proof_in_a_browser_where_a_key_answers(carol: SignedIn, driver: ActionDriver) -> None:
    carol.add(SoftwareKey())
    token = caller("carol", account_id=carol.caller.account_id)
    code = driver.do(token, actions.start_device_login, "laptop", "https://hub.example/device", is_proof=True)
    assert driver.ask(carol.caller, actions.waiting_device, code.user_code).asks_for_proof
    with pytest.raises(InvalidRequestError, match="more than"):  # nobody allows it unread
        driver.do(carol.shown(), actions.approve_device, code.user_code)
    assert driver.do(carol.shown(), actions.approve_device, code.user_code, knows_proof=True) == "laptop"
    with pytest.raises(DeviceExpiredError):  # a proof is no token
        driver.do(None, actions.collect_device_token, code.device_code)
    proof = driver.do(None, actions.collect_device_proof, code.device_code)
    momentary = driver.ask(None, actions.authenticate, Credentials(token=proof.secret))
    assert momentary is not None
    driver.do(momentary, actions.create_token, TokenCreate(name="by a shell"))
    with pytest.raises(DeviceExpiredError):
        driver.do(None, actions.collect_device_proof, code.device_code)


def test_nobody_is_lured_into_giving_a_stranger_a_proof(carol: SignedIn, driver: ActionDriver) -> None:
    """A proof is asked for by a token of the account, and no other account can approve it."""
    with pytest.raises(NotAuthenticatedError):
        driver.do(None, actions.start_device_login, "laptop", "https://hub.example/device", is_proof=True)
    mallory = driver.person("mallory")
    code = driver.do(mallory, actions.start_device_login, "laptop", "https://hub.example/device", is_proof=True)
    for decide in (actions.approve_device, actions.deny_device):
        with pytest.raises(TokenNotFoundError):
            driver.do(carol.caller, decide, code.user_code)
    plain = driver.do(None, actions.start_device_login, "laptop", "https://hub.example/device")
    driver.do(mallory, actions.approve_device, plain.user_code)
    with pytest.raises(DeviceExpiredError):  # and a token is no proof
        driver.do(None, actions.collect_device_proof, plain.device_code)


def test_every_scope_makes_no_moderator_and_a_moderator_proves_who_it_is(carol: SignedIn, driver: ActionDriver) -> None:
    for who in (caller("m", is_moderator=True), driver.person("n", is_moderator=True, is_proven=False)):
        with pytest.raises(PasswordNeededError):
            driver.do(who, require_proven_moderator)
    with pytest.raises(NotAllowedError):
        driver.do(driver.person("o"), require_proven_moderator)
    assert driver.do(driver.person("p", is_moderator=True), require_proven_moderator).is_moderator
    assert driver.do(operator(), require_proven_moderator).is_operator
    carol.add(SoftwareKey())
    with pytest.raises(SecondFactorNeededError):
        driver.do(replace(carol.caller, is_moderator=True), require_proven_moderator)
    assert driver.do(replace(carol.shown(), is_moderator=True), require_proven_moderator).is_moderator
