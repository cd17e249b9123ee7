"""The second factor, from the side of who has the password and no app: guesses, codes seen before, ways around."""

import base64

import pytest
from cryptography.hazmat.primitives.hashes import SHA1
from cryptography.hazmat.primitives.twofactor.totp import TOTP

from hub_server.accounts import actions
from hub_server.accounts.actions.authentication import prove_first
from hub_server.accounts.errors import AccountNotFoundError, SecondFactorNeededError
from hub_server.errors import InvalidRequestError, NotAuthenticatedError, PasswordNeededError, TooManyRequestsError
from hub_server.kernel.caller import Credentials
from schemas.account import AccountCreate
from tests.making.desk import Desk, caller

PASSWORD = "correct horse battery"


class Phone:
    """An authenticator app with the hub's secret."""

    def __init__(self, desk: Desk, secret: str) -> None:
        self._desk = desk
        self.recovery: list[str] = []
        self._totp = TOTP(base64.b32decode(secret), 6, SHA1(), 30)

    def code(self, seconds: float = 0) -> str:
        return self._totp.generate(self._desk.clock.now().timestamp() + seconds).decode()


def sign_in(desk: Desk, code: str = "") -> str:
    proven = actions.prove_password(desk.services, "carol", PASSWORD, code)
    return desk.do(None, actions.open_web_session, proven)[1]


@pytest.fixture
def person(desk: Desk):
    """carol, who has just typed her password."""
    body = AccountCreate(name="carol", email="c@example.org", password=PASSWORD)
    desk.do(None, actions.sign_up, body, actions.hash_password(PASSWORD))
    return desk.ask(None, actions.authenticate, Credentials(session_secret=sign_in(desk)))


@pytest.fixture
def phone(desk: Desk, person) -> Phone:
    """Her app; the second factor is on, and its first code is over."""
    phone = Phone(desk, desk.do(person, actions.start_second_factor).secret)
    phone.recovery = desk.do(person, actions.enable_second_factor, phone.code()).codes
    desk.clock.advance(60)
    return phone


def test_a_password_alone_opens_nothing(desk: Desk, phone: Phone) -> None:
    with pytest.raises(SecondFactorNeededError):
        sign_in(desk)
    with pytest.raises(NotAuthenticatedError):  # and without the password nobody learns that there is a factor
        actions.prove_password(desk.services, "carol", "wrong", phone.code())
    assert sign_in(desk, f" {phone.code()[:3]} {phone.code()[3:]} ")


def test_a_code_is_good_once_and_no_older_one_after_it(desk: Desk, phone: Phone) -> None:
    code = phone.code()
    sign_in(desk, code)
    for seen in (code, phone.code(-30)):
        with pytest.raises(NotAuthenticatedError, match="used already"):
            sign_in(desk, seen)
    sign_in(desk, phone.code(30))  # an app whose clock is half a minute ahead


@pytest.mark.parametrize("seconds", [-90, 90])
def test_a_code_of_another_time_is_refused(desk: Desk, phone: Phone, seconds: int) -> None:
    desk.clock.advance(300)
    with pytest.raises(NotAuthenticatedError):
        sign_in(desk, phone.code(seconds))


def test_after_five_wrong_codes_not_even_the_right_one_is_taken_for_a_while(desk: Desk, phone: Phone) -> None:
    for _ in range(5):
        with pytest.raises(NotAuthenticatedError):
            sign_in(desk, "no code")
    for right in (phone.code(), phone.recovery[0]):
        with pytest.raises(TooManyRequestsError):
            sign_in(desk, right)
    desk.clock.advance(15 * 60)
    sign_in(desk, phone.code())


def test_a_recovery_code_is_good_once_and_only_its_hash_is_kept(desk: Desk, phone: Phone, person) -> None:
    assert len(set(phone.recovery)) == 10
    kept = str(desk.rows("SELECT * FROM recovery_codes"))
    assert not [code for code in phone.recovery if code in kept or code.replace("-", "") in kept]
    sign_in(desk, phone.recovery[3].upper())
    with pytest.raises(NotAuthenticatedError):
        sign_in(desk, phone.recovery[3])
    assert desk.ask(person, actions.get_second_factor).recovery_codes_left == 9


def test_a_ticket_opens_nothing_without_a_code_and_is_not_seen(desk: Desk, phone: Phone, person) -> None:
    ticket = desk.do(None, actions.open_ticket, prove_first(desk.services, "carol", PASSWORD))
    for credentials in (Credentials(session_secret=ticket),):
        assert desk.ask(None, actions.authenticate, credentials) is None
    assert len(desk.ask(person, actions.list_web_sessions)) == 1
    with pytest.raises(NotAuthenticatedError):
        actions.redeem_ticket(desk.services, ticket, "000000")
    with pytest.raises(SecondFactorNeededError):
        actions.redeem_ticket(desk.services, ticket, " ")
    proven = actions.redeem_ticket(desk.services, ticket, phone.code())
    assert desk.do(None, actions.open_web_session, proven)
    for other in (ticket, "made up"):
        with pytest.raises(NotAuthenticatedError):
            actions.redeem_ticket(desk.services, other, phone.code(30))


def test_it_is_managed_by_its_person_with_the_password_just_typed(desk: Desk, person) -> None:
    for action in (actions.start_second_factor, actions.disable_second_factor):
        with pytest.raises(PasswordNeededError):
            desk.do(caller("carol", account_id=person.account_id), action)
    with pytest.raises(InvalidRequestError):
        desk.do(person, actions.enable_second_factor, "123456")
    desk.do(person, actions.start_second_factor)
    with pytest.raises(InvalidRequestError):
        desk.do(person, actions.enable_second_factor, "no code")
    assert desk.ask(person, actions.get_second_factor).enabled_at is None
    sign_in(desk)  # begun and not switched on, it is asked for by nobody


def test_a_stolen_browser_neither_replaces_the_secret_nor_switches_it_off(desk: Desk, phone: Phone, person) -> None:
    with pytest.raises(InvalidRequestError):
        desk.do(person, actions.start_second_factor)
    with pytest.raises(NotAuthenticatedError):
        actions.prove_factor(desk.services, "carol", "123")
    actions.prove_factor(desk.services, "carol", phone.code())
    desk.do(person, actions.disable_second_factor)
    assert desk.rows("SELECT count(*) FROM recovery_codes") == [(0,)]
    sign_in(desk)


def test_the_operator_switches_it_off_for_who_has_lost_both(desk: Desk, phone: Phone) -> None:
    cookie = sign_in(desk, phone.code())
    desk.do(None, actions.reset_second_factor, "carol")
    assert desk.ask(None, actions.authenticate, Credentials(session_secret=cookie)) is None
    sign_in(desk)
    with pytest.raises(AccountNotFoundError):
        desk.do(None, actions.reset_second_factor, "nobody")
