"""Guesses at one account's password come to an end, from however many addresses, and lock nobody out."""

from dataclasses import replace

import pytest

from hub_server.accounts import actions
from hub_server.accounts.actions.password_tries import give_try_back, known_of, take_try
from hub_server.accounts.actions.passwords import prove_password
from hub_server.accounts.rules.passwords import WRONG_PASSWORDS
from hub_server.errors import NotAuthenticatedError, TooManyRequestsError
from hub_server.settings import MailSettings
from tests.making.action_driver import ActionDriver, person
from tests.making.credentials import NEW, OLD, session_of, signed_up, who


def guess_until_refused(driver: ActionDriver, name: str, known: str = "") -> int:
    for number in range(WRONG_PASSWORDS + 1):
        try:
            prove_password(driver.services, name, f"guess {number}", known=known)
        except TooManyRequestsError as error:
            return number if 0 < error.retry_after_seconds <= 900 else -1
        except NotAuthenticatedError:
            continue
    return WRONG_PASSWORDS + 1


def test_guesses_end_for_an_account_and_for_a_name_that_nobody_has_alike(driver: ActionDriver) -> None:
    signed_up(driver)
    assert guess_until_refused(driver, "carol") == guess_until_refused(driver, "nobody") == WRONG_PASSWORDS
    with pytest.raises(TooManyRequestsError):  # the right one too, or an answer would say which it is
        prove_password(driver.services, "carol", OLD)
    driver.services.clock.advance(3600)  # type: ignore[attr-defined]
    assert guess_until_refused(driver, "carol") == 4


def test_whoever_is_known_goes_on_while_others_guess(driver: ActionDriver) -> None:
    token, cookie = signed_up(driver), session_of(driver)
    for number in range(WRONG_PASSWORDS):
        take_try(driver.services, "carol", "")
        assert number < WRONG_PASSWORDS
    for credential in ({"token": token}, {"session_secret": cookie}):
        known = known_of(who(driver, **credential), "carol")
        assert known
        assert prove_password(driver.services, "carol", OLD, known=known)
    with pytest.raises(TooManyRequestsError):
        prove_password(driver.services, "carol", OLD)


def test_a_copied_session_guesses_within_a_limit_of_its_own(driver: ActionDriver) -> None:
    signed_up(driver)
    known = known_of(who(driver, session_secret=session_of(driver)), "carol")
    assert guess_until_refused(driver, "carol", known) == WRONG_PASSWORDS
    assert prove_password(driver.services, "carol", OLD)


def test_an_account_of_the_attacker_s_own_makes_it_known_to_no_other(driver: ActionDriver) -> None:
    assert known_of(driver.person("mallory"), "carol") == known_of(None, "carol") == ""


def test_a_right_password_costs_no_try_and_forgives_none(driver: ActionDriver) -> None:
    signed_up(driver)
    for _ in range(WRONG_PASSWORDS - 1):
        take_try(driver.services, "carol", "")
    for _ in range(3):
        assert prove_password(driver.services, "carol", OLD)
    assert guess_until_refused(driver, "carol") == 1
    give_try_back(driver.services, "nobody", "")  # of a bucket that has no row


def test_a_new_password_lets_its_person_in_at_once(driver: ActionDriver) -> None:
    signed_up(driver)
    proven = prove_password(driver.services, "carol", OLD)
    guess_until_refused(driver, "carol")
    driver.do(person("carol"), actions.change_password, proven, actions.hash_password(NEW))
    assert prove_password(driver.services, "carol", NEW)


def test_guesses_at_a_name_that_nobody_has_do_not_meet_whoever_takes_it(driver: ActionDriver) -> None:
    guess_until_refused(driver, "carol")
    signed_up(driver)
    assert prove_password(driver.services, "carol", OLD)


def test_the_person_is_told_once_a_day_and_nobody_else_is(driver: ActionDriver) -> None:
    mail = MailSettings(host="mail.example", sender="hub@example.org")
    settings = driver.services.settings.model_copy(update={"mail": mail})
    driver.services = replace(driver.services, settings=settings)
    signed_up(driver)
    for name in ("carol", "nobody"):
        for _ in range(WRONG_PASSWORDS):
            take_try(driver.services, name, "")
        for _ in range(2):
            with pytest.raises(TooManyRequestsError):
                take_try(driver.services, name, "")
    told = driver.rows("SELECT payload FROM jobs WHERE name = 'accounts.send_notice'")
    assert len(told) == 1
    assert "passwords_guessed" in str(told[0])
