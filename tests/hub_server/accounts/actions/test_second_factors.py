"""The second factor, from the side of who has the password and no app: guesses, codes seen before, ways around."""

import base64
from dataclasses import replace

import pytest
from cryptography.hazmat.primitives.hashes import SHA1
from cryptography.hazmat.primitives.twofactor.totp import TOTP

from hub_server.accounts import actions
from hub_server.accounts.actions import passwords
from hub_server.accounts.actions.passwords import prove_first
from hub_server.accounts.errors import AccountNotFoundError, SecondFactorNeededError
from hub_server.accounts.queries import accounts as account_queries
from hub_server.errors import InvalidRequestError, NotAuthenticatedError, PasswordNeededError, TooManyRequestsError
from hub_server.kernel.caller import Credentials
from hub_server.settings import MailSettings
from schemas.account import AccountCreate
from tests.fakes.mailer import FakeMailer
from tests.making.action_driver import ActionDriver, caller

PASSWORD = "correct horse battery"


class Phone:
    """An authenticator app with the hub's secret."""

    def __init__(self, driver: ActionDriver, secret: str) -> None:
        self._desk = driver
        self.recovery: list[str] = []
        self._totp = TOTP(base64.b32decode(secret), 6, SHA1(), 30)

    def code(self, seconds: float = 0) -> str:
        return self._totp.generate(self._desk.clock.now().timestamp() + seconds).decode()


def sign_in(driver: ActionDriver, code: str = "") -> str:
    proven = actions.prove_password(driver.services, "carol", PASSWORD, code)
    return driver.do(None, actions.open_web_session, proven)[1]


@pytest.fixture
def person(driver: ActionDriver):
    """carol, who has just typed her password."""
    body = AccountCreate(name="carol", email="c@example.org", password=PASSWORD)
    driver.do(None, actions.sign_up, body, actions.hash_password(PASSWORD))
    return driver.ask(None, actions.authenticate, Credentials(session_secret=sign_in(driver)))


@pytest.fixture
def phone(driver: ActionDriver, person) -> Phone:
    """Her app; the second factor is on, and its first code is over."""
    phone = Phone(driver, driver.do(person, actions.start_second_factor).secret)
    phone.recovery = driver.do(person, actions.enable_second_factor, phone.code()).codes
    driver.clock.advance(60)
    return phone


def test_a_password_alone_opens_nothing(driver: ActionDriver, phone: Phone) -> None:
    with pytest.raises(SecondFactorNeededError):
        sign_in(driver)
    with pytest.raises(NotAuthenticatedError):  # and without the password nobody learns that there is a factor
        actions.prove_password(driver.services, "carol", "wrong", phone.code())
    assert sign_in(driver, f" {phone.code()[:3]} {phone.code()[3:]} ")


def test_a_code_is_good_once_and_no_older_one_after_it(driver: ActionDriver, phone: Phone) -> None:
    code = phone.code()
    sign_in(driver, code)
    for seen in (code, phone.code(-30)):
        with pytest.raises(NotAuthenticatedError, match="used already"):
            sign_in(driver, seen)
    sign_in(driver, phone.code(30))  # an app whose clock is half a minute ahead


@pytest.mark.parametrize("seconds", [-90, 90])
def test_a_code_of_another_time_is_refused(driver: ActionDriver, phone: Phone, seconds: int) -> None:
    driver.clock.advance(300)
    with pytest.raises(NotAuthenticatedError):
        sign_in(driver, phone.code(seconds))


def guess(driver: ActionDriver) -> None:
    for _ in range(5):
        with pytest.raises(NotAuthenticatedError):
            sign_in(driver, "no code")


def test_after_five_wrong_codes_not_even_the_right_one_is_taken_for_a_while(driver: ActionDriver, phone: Phone) -> None:
    guess(driver)
    for code in (phone.code(), "no code"):
        with pytest.raises(TooManyRequestsError, match="or use a recovery code or a security key"):
            sign_in(driver, code)
    driver.clock.advance(15 * 60)
    sign_in(driver, phone.code())


@pytest.mark.parametrize("way_out", ["recovery code", "new password"])
def test_who_knows_the_password_and_types_wrong_codes_locks_nobody_out(
    driver: ActionDriver, phone: Phone, way_out: str
) -> None:
    """The account's person is in again at once, and an attacker's next five guesses are counted as the first."""
    guess(driver)
    if way_out == "recovery code":
        sign_in(driver, phone.recovery[0])
    else:
        with driver.writing() as work:
            row = account_queries.find_account(work.session, "carol")
            assert row is not None
            passwords.set_password(work, row, actions.hash_password(PASSWORD))
    sign_in(driver, phone.code())
    guess(driver)
    with pytest.raises(TooManyRequestsError):
        sign_in(driver, phone.code(60))


def test_the_person_is_told_once_a_pause_that_somebody_guesses(driver: ActionDriver, phone: Phone) -> None:
    mail = MailSettings(host="mail.example", sender="hub@example.org")
    settings = driver.services.settings.model_copy(update={"mail": mail, "public_url": "https://hub.example"})
    driver.services = replace(driver.services, settings=settings, mailer=FakeMailer())
    guess(driver)
    for _ in range(3):
        with pytest.raises(TooManyRequestsError):
            sign_in(driver, "no code")
    driver.run_jobs()
    mailer = driver.services.mailer
    assert isinstance(mailer, FakeMailer)
    [mail_sent] = mailer.sent
    assert (mail_sent.to, mail_sent.subject) == ("c@example.org", "Somebody guesses codes of your account carol")
    assert "https://hub.example/account/recovery" in mail_sent.text


def test_a_recovery_code_is_good_once_and_only_its_hash_is_kept(driver: ActionDriver, phone: Phone, person) -> None:
    assert len(set(phone.recovery)) == 10
    kept = str(driver.rows("SELECT * FROM recovery_codes"))
    assert not [code for code in phone.recovery if code in kept or code.replace("-", "") in kept]
    sign_in(driver, phone.recovery[3].upper())
    with pytest.raises(NotAuthenticatedError):
        sign_in(driver, phone.recovery[3])
    assert driver.ask(person, actions.get_second_factor).recovery_codes_left == 9


def test_a_ticket_opens_nothing_without_a_code_and_is_not_seen(driver: ActionDriver, phone: Phone, person) -> None:
    ticket = driver.do(None, actions.open_ticket, prove_first(driver.services, "carol", PASSWORD))
    for credentials in (Credentials(session_secret=ticket),):
        assert driver.ask(None, actions.authenticate, credentials) is None
    assert len(driver.ask(person, actions.list_web_sessions)) == 1
    with pytest.raises(NotAuthenticatedError):
        actions.redeem_ticket(driver.services, ticket, "000000")
    with pytest.raises(SecondFactorNeededError):
        actions.redeem_ticket(driver.services, ticket, " ")
    proven = actions.redeem_ticket(driver.services, ticket, phone.code())
    assert driver.do(None, actions.open_web_session, proven)
    for other in (ticket, "made up"):
        with pytest.raises(NotAuthenticatedError):
            actions.redeem_ticket(driver.services, other, phone.code(30))


def test_it_is_managed_by_its_person_with_the_password_just_typed(driver: ActionDriver, person) -> None:
    for action in (actions.start_second_factor, actions.disable_second_factor):
        with pytest.raises(PasswordNeededError):
            driver.do(caller("carol", account_id=person.account_id), action)
    with pytest.raises(InvalidRequestError):
        driver.do(person, actions.enable_second_factor, "123456")
    driver.do(person, actions.start_second_factor)
    with pytest.raises(InvalidRequestError):
        driver.do(person, actions.enable_second_factor, "no code")
    assert driver.ask(person, actions.get_second_factor).enabled_at is None
    sign_in(driver)  # begun and not switched on, it is asked for by nobody


def test_a_stolen_browser_neither_replaces_the_secret_nor_switches_it_off(
    driver: ActionDriver, phone: Phone, person
) -> None:
    with pytest.raises(SecondFactorNeededError):
        driver.do(person, actions.start_second_factor)
    with pytest.raises(NotAuthenticatedError):
        actions.prove_factor(driver.services, "carol", "123")
    with pytest.raises(SecondFactorNeededError):
        driver.do(person, actions.disable_second_factor)
    actions.prove_factor(driver.services, "carol", phone.code())
    driver.do(replace(person, has_shown_factor=True), actions.disable_second_factor)
    assert driver.rows("SELECT count(*) FROM recovery_codes") == [(0,)]
    sign_in(driver)


def test_the_operator_switches_it_off_for_who_has_lost_both(driver: ActionDriver, phone: Phone) -> None:
    cookie = sign_in(driver, phone.code())
    driver.do(None, actions.reset_second_factor, "carol")
    assert driver.ask(None, actions.authenticate, Credentials(session_secret=cookie)) is None
    sign_in(driver)
    with pytest.raises(AccountNotFoundError):
        driver.do(None, actions.reset_second_factor, "nobody")
