"""A device is let in by a person, once, in time, and by nobody who stole something smaller than a login."""

import pytest

from hub_server.accounts.actions import approve_device, authenticate, collect_device_token, deny_device
from hub_server.accounts.actions.devices import start_device_login
from hub_server.accounts.errors import DeviceDeniedError, DeviceExpiredError, DevicePendingError, TokenNotFoundError
from hub_server.accounts.rules.secrets import DEVICE_LIFETIME
from hub_server.errors import NotAllowedError, NotAuthenticatedError
from hub_server.kernel.caller import Credentials
from schemas.account import DeviceCode, Scope
from tests.making.action_driver import ActionDriver, caller, person

PAGE = "https://hub.example/device"


@pytest.fixture
def waiting(driver: ActionDriver) -> DeviceCode:
    driver.person("alice")
    driver.person("bob")
    return driver.do(None, start_device_login, "laptop", PAGE)


def test_the_answer_leads_a_person_to_the_page_and_tells_the_device_how_long_to_poll(waiting: DeviceCode) -> None:
    assert waiting.verification_uri == PAGE
    assert waiting.verification_uri_complete == f"{PAGE}?code={waiting.user_code}"
    assert waiting.expires_in == DEVICE_LIFETIME.total_seconds()
    assert 0 < waiting.interval < waiting.expires_in
    assert len(waiting.device_code) >= 40, "what a stranger must not guess"


def test_the_code_that_lets_in_is_not_in_the_database(driver: ActionDriver, waiting: DeviceCode) -> None:
    assert waiting.device_code not in str(driver.rows("SELECT * FROM device_logins"))


def test_the_token_is_of_whoever_approved_and_carries_the_devices_name(
    driver: ActionDriver, waiting: DeviceCode
) -> None:
    assert driver.do(person("bob"), approve_device, waiting.user_code) == "laptop"
    made = driver.do(None, collect_device_token, waiting.device_code)
    assert made.token.name == "laptop"
    who = driver.ask(None, authenticate, Credentials(token=made.secret))
    assert who is not None
    assert who.name == "bob"


def test_a_code_gives_one_token_to_whoever_comes_first(driver: ActionDriver, waiting: DeviceCode) -> None:
    driver.do(person("alice"), approve_device, waiting.user_code)
    driver.do(None, collect_device_token, waiting.device_code)
    with pytest.raises(DeviceExpiredError):
        driver.do(None, collect_device_token, waiting.device_code)
    assert len(driver.rows("SELECT id FROM tokens")) == 1


def test_until_somebody_decides_the_device_is_told_to_wait(driver: ActionDriver, waiting: DeviceCode) -> None:
    with pytest.raises(DevicePendingError):
        driver.do(None, collect_device_token, waiting.device_code)


def test_what_was_denied_stays_denied_even_if_somebody_else_would_approve(
    driver: ActionDriver, waiting: DeviceCode
) -> None:
    driver.do(person("alice"), deny_device, waiting.user_code)
    with pytest.raises(TokenNotFoundError):
        driver.do(person("bob"), approve_device, waiting.user_code)
    with pytest.raises(DeviceDeniedError):
        driver.do(None, collect_device_token, waiting.device_code)


def test_a_second_person_cannot_take_over_what_the_first_approved(driver: ActionDriver, waiting: DeviceCode) -> None:
    driver.do(person("alice"), approve_device, waiting.user_code)
    with pytest.raises(TokenNotFoundError):
        driver.do(person("bob"), approve_device, waiting.user_code)
    assert driver.do(None, collect_device_token, waiting.device_code).token.name == "laptop"
    assert driver.rows("SELECT account_id FROM tokens") == [("id-alice",)]


@pytest.mark.parametrize("decide", [approve_device, deny_device])
def test_nobody_and_a_token_of_limited_scope_decide_nothing(driver: ActionDriver, waiting: DeviceCode, decide) -> None:
    with pytest.raises(NotAuthenticatedError):
        driver.do(None, decide, waiting.user_code)
    with pytest.raises(NotAllowedError):
        driver.do(caller("alice", scopes=frozenset({Scope.PUBLISH})), decide, waiting.user_code)
    assert driver.rows("SELECT state FROM device_logins") == [("waiting",)]


@pytest.mark.parametrize("typed", ["", "----", "WDJB", "12345678", "x" * 10_000, "\x00", "' OR 1=1 --"])
def test_what_is_no_code_of_a_waiting_device_is_not_found(
    driver: ActionDriver, waiting: DeviceCode, typed: str
) -> None:
    with pytest.raises(TokenNotFoundError, match="start the command again"):
        driver.do(person("alice"), approve_device, typed)


@pytest.mark.parametrize("code", ["", "nonsense", "\x00", "é" * 100])
def test_a_made_up_device_code_is_told_to_start_over(driver: ActionDriver, waiting: DeviceCode, code: str) -> None:
    with pytest.raises(DeviceExpiredError):
        driver.do(None, collect_device_token, code)


def test_after_its_time_a_code_can_neither_be_approved_nor_collected(driver: ActionDriver, waiting: DeviceCode) -> None:
    driver.clock.advance(waiting.expires_in + 1)
    with pytest.raises(TokenNotFoundError):
        driver.do(person("alice"), approve_device, waiting.user_code)
    with pytest.raises(DeviceExpiredError):
        driver.do(None, collect_device_token, waiting.device_code)


def test_approved_in_time_but_collected_too_late_gives_no_token(driver: ActionDriver, waiting: DeviceCode) -> None:
    driver.do(person("alice"), approve_device, waiting.user_code)
    driver.clock.advance(waiting.expires_in + 1)
    with pytest.raises(DeviceExpiredError):
        driver.do(None, collect_device_token, waiting.device_code)
    assert driver.rows("SELECT id FROM tokens") == []
