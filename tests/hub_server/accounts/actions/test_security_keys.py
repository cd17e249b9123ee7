"""Security keys, from the side of who has the password and sits between the person and the hub."""

from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from hub_server.accounts import actions
from hub_server.accounts.actions.passwords import prove_first, set_password
from hub_server.accounts.actions.security_keys import KeyAnswer, prove_key
from hub_server.accounts.errors import SecondFactorNeededError, SecurityKeyError, TokenNotFoundError
from hub_server.accounts.models import AccountRow
from hub_server.accounts.rules.security_keys import MOST_KEYS
from hub_server.errors import InvalidRequestError, NotAuthenticatedError, PasswordNeededError
from hub_server.kernel.caller import Caller, Credentials, ProvenFactor
from schemas.account import AccountCreate
from tests.hub_server.accounts.actions.test_second_factors import PASSWORD, Phone
from tests.making.action_driver import ActionDriver
from tests.making.security_key import SoftwareKey


@dataclass
class SignedIn:
    """carol at a browser."""

    driver: ActionDriver
    cookie: str
    known: list[SoftwareKey] = field(default_factory=list)

    @property
    def caller(self) -> Caller:
        caller = self.driver.ask(None, actions.authenticate, Credentials(session_secret=self.cookie))
        assert caller is not None
        return caller

    def shown(self, code: str = "") -> Caller:
        """The caller of one request that brought ``code``, or else what the first key answers."""
        factor = actions.prove_factor(self.driver.services, "carol", code) if code else self.factor()
        credentials = Credentials(session_secret=self.cookie, factor=factor)
        caller = self.driver.ask(None, actions.authenticate, credentials)
        assert caller is not None
        return caller

    def factor(self) -> ProvenFactor | None:
        """What the first key that was added answers; None before one was."""
        if not self.known:
            return None
        answer = self.known[0].prove(self.driver.do(self.caller, actions.ask_key, self.cookie))
        return actions.prove_factor(self.driver.services, self.caller.name, "", KeyAnswer(answer, self.cookie))

    def question(self) -> dict[str, Any]:
        return self.driver.do(self.shown(), actions.start_security_key, self.cookie)

    def add(self, key: SoftwareKey, name: str = "blue", **lies: str):
        answer = key.register(self.question(), **lies)
        codes = self.driver.do(self.caller, actions.add_security_key, name, KeyAnswer(answer, self.cookie))
        self.known.append(key)
        return codes


@pytest.fixture
def driver(driver: ActionDriver) -> ActionDriver:
    settings = driver.services.settings.model_copy(update={"public_url": "https://hub.example/"})
    driver.services = replace(driver.services, settings=settings)
    return driver


def sign_up(driver: ActionDriver, name: str) -> None:
    body = AccountCreate(name=name, email=f"{name}@example.org", password=PASSWORD)
    driver.do(None, actions.sign_up, body, actions.hash_password(PASSWORD))


@pytest.fixture
def carol(driver: ActionDriver) -> SignedIn:
    sign_up(driver, "carol")
    proven = actions.prove_password(driver.services, "carol", PASSWORD)
    return SignedIn(driver, driver.do(None, actions.open_web_session, proven)[1])


def ticket_of(driver: ActionDriver, name: str = "carol") -> str:
    return driver.do(None, actions.open_ticket, prove_first(driver.services, name, PASSWORD))


def sign_in(driver: ActionDriver, key: SoftwareKey, ticket: str | None = None, **lies: str) -> None:
    ticket = ticket or ticket_of(driver)
    answer = key.prove(driver.do(None, actions.ask_key, ticket), **lies)
    actions.redeem_ticket(driver.services, ticket, "", answer)


def test_a_key_stands_beside_the_password_and_its_recovery_codes_are_shown_once(
    carol: SignedIn, driver: ActionDriver
) -> None:
    key = SoftwareKey()
    codes = carol.add(key, " blue  key ")
    assert codes is not None
    assert len(codes.codes) == 10
    with pytest.raises(SecondFactorNeededError, match="security key"):
        actions.prove_password(driver.services, "carol", PASSWORD)
    sign_in(driver, key)
    actions.prove_password(driver.services, "carol", PASSWORD, codes.codes[0])
    with pytest.raises(NotAuthenticatedError):
        actions.prove_password(driver.services, "carol", PASSWORD, codes.codes[0])
    assert carol.add(SoftwareKey(), "spare") is None  # the codes stay
    state = driver.ask(carol.caller, actions.get_second_factor)
    assert [(one.name, one.last_used_at is None) for one in state.security_keys] == [
        ("blue key", False),
        ("spare", True),
    ]
    assert (state.recovery_codes_left, state.is_on, state.enabled_at) == (9, True, None)


@pytest.mark.parametrize(
    "lies",
    [
        {"origin": "https://hub.example.evil.test"},
        {"origin": "http://hub.example"},
        {"origin": "https://hub.example:8443"},
        {"type": "webauthn.create"},
        {"challenge": "AAAA"},
    ],
)
def test_what_a_key_signed_for_another_site_or_question_opens_nothing(
    carol: SignedIn, driver: ActionDriver, lies
) -> None:
    key = SoftwareKey()
    carol.add(key)
    with pytest.raises(NotAuthenticatedError):
        sign_in(driver, key, **lies)
    lies = {"type": "webauthn.get"} if "type" in lies else lies
    with pytest.raises(SecurityKeyError):
        carol.add(SoftwareKey(), **lies)


def test_a_phishing_site_has_nothing_to_pass_on(carol: SignedIn, driver: ActionDriver) -> None:
    """It has the password, asks the hub, and shows the question on its own page: the browser names that page."""
    key = SoftwareKey()
    carol.add(key)
    ticket = ticket_of(driver)
    question = driver.do(None, actions.ask_key, ticket)
    lured = replace(key, origin="https://hub-example.evil.test")
    with pytest.raises(NotAuthenticatedError):
        actions.redeem_ticket(driver.services, ticket, "", lured.prove(question))
    question = driver.do(None, actions.ask_key, ticket) | {"rpId": "evil.test"}  # what a browser would allow it to ask
    with pytest.raises(NotAuthenticatedError):
        actions.redeem_ticket(driver.services, ticket, "", key.prove(question))


def test_an_answer_is_good_once_and_for_three_minutes(carol: SignedIn, driver: ActionDriver) -> None:
    key = SoftwareKey()
    carol.add(key)
    ticket = ticket_of(driver)
    question = driver.do(None, actions.ask_key, ticket)
    actions.redeem_ticket(driver.services, ticket, "", key.prove(question))
    ticket = ticket_of(driver)
    driver.do(None, actions.ask_key, ticket)
    with pytest.raises(NotAuthenticatedError):  # the question of another ticket
        actions.redeem_ticket(driver.services, ticket, "", key.prove(question))
    with pytest.raises(NotAuthenticatedError):  # a wrong answer has used this question up too
        actions.redeem_ticket(driver.services, ticket, "", key.prove(question))
    question = driver.do(None, actions.ask_key, ticket)
    driver.clock.advance(181)
    with pytest.raises(NotAuthenticatedError):
        actions.redeem_ticket(driver.services, ticket, "", key.prove(question))


def test_the_same_answer_sent_twice_at_once_opens_one_session(carol: SignedIn, driver: ActionDriver) -> None:
    key = SoftwareKey()
    carol.add(key)
    ticket = ticket_of(driver)
    answer = key.prove(driver.do(None, actions.ask_key, ticket))
    prove_key(driver.services, carol.caller.account_id, KeyAnswer(answer, ticket))
    with pytest.raises(NotAuthenticatedError):
        prove_key(driver.services, carol.caller.account_id, KeyAnswer(answer, ticket))


def test_a_question_belongs_to_the_session_that_asked(carol: SignedIn, driver: ActionDriver) -> None:
    """An attacker who fixes the question in his own session gains nothing by an answer that carol gives in hers."""
    key, sly = SoftwareKey(), SoftwareKey()
    carol.add(key)
    sign_up(driver, "mallory")
    proven = actions.prove_password(driver.services, "mallory", PASSWORD)
    his = SignedIn(driver, driver.do(None, actions.open_web_session, proven)[1])
    his.add(sly)
    question = driver.do(None, actions.ask_key, his.cookie)
    ticket = ticket_of(driver)
    for secret in (his.cookie, ticket, "", "made up"):
        with pytest.raises(NotAuthenticatedError):
            actions.prove_password(driver.services, "carol", PASSWORD, "", KeyAnswer(key.prove(question), secret))
    question = driver.do(None, actions.ask_key, ticket)
    with pytest.raises(NotAuthenticatedError):  # his key at her ticket, under his name and under hers
        actions.redeem_ticket(driver.services, ticket, "", sly.prove(question))
    question = driver.do(None, actions.ask_key, ticket)
    with pytest.raises(NotAuthenticatedError):
        actions.redeem_ticket(driver.services, ticket, "", replace(sly, claimed_id=key.credential_id).prove(question))
    for secret in ("made up", ""):
        with pytest.raises(NotAuthenticatedError):
            driver.do(None, actions.ask_key, secret)


def test_a_copy_of_a_key_is_found_by_its_counter(carol: SignedIn, driver: ActionDriver) -> None:
    key = SoftwareKey()
    carol.add(key)
    copy = replace(key)
    sign_in(driver, key)
    sign_in(driver, key)
    with pytest.raises(NotAuthenticatedError):
        sign_in(driver, copy)
    sign_in(driver, key)


def test_a_key_without_a_counter_and_one_that_nobody_touched(carol: SignedIn, driver: ActionDriver) -> None:
    class Passkey(SoftwareKey):
        def prove(self, question: dict[str, Any], **lies: str) -> str:
            self.count = -1
            return super().prove(question, **lies)

    passkey = Passkey()
    carol.add(passkey)
    sign_in(driver, passkey)
    sign_in(driver, passkey)
    passkey.flags = 0  # the flag of a person who was there
    with pytest.raises(NotAuthenticatedError):
        sign_in(driver, passkey)


def test_no_app_that_was_only_begun_is_a_way_around_the_key(carol: SignedIn, driver: ActionDriver) -> None:
    before = Phone(driver, driver.do(carol.caller, actions.start_second_factor).secret)
    carol.add(SoftwareKey())
    with pytest.raises(InvalidRequestError):  # a secret that a thief was given before there was a factor
        driver.do(carol.caller, actions.enable_second_factor, before.code())
    phone = Phone(driver, driver.do(carol.shown(), actions.start_second_factor).secret)
    with pytest.raises(NotAuthenticatedError):
        actions.prove_password(driver.services, "carol", PASSWORD, phone.code())
    driver.do(carol.caller, actions.enable_second_factor, phone.code())
    driver.clock.advance(60)
    actions.prove_password(driver.services, "carol", PASSWORD, phone.code())
    driver.clock.advance(60)
    driver.do(carol.shown(), actions.disable_second_factor)
    with pytest.raises(NotAuthenticatedError):
        actions.prove_password(driver.services, "carol", PASSWORD, phone.code())


def test_with_the_last_factor_the_recovery_codes_go_and_not_before(carol: SignedIn, driver: ActionDriver) -> None:
    carol.add(SoftwareKey())
    phone = Phone(driver, driver.do(carol.shown(), actions.start_second_factor).secret)
    fresh = driver.do(carol.caller, actions.enable_second_factor, phone.code()).codes
    (key,) = driver.ask(carol.caller, actions.get_second_factor).security_keys
    shown = carol.shown()
    driver.do(shown, actions.remove_security_key, key.id)
    with pytest.raises(TokenNotFoundError):  # the second of two clicks
        driver.do(shown, actions.remove_security_key, key.id)
    actions.prove_password(driver.services, "carol", PASSWORD, fresh[0])
    driver.do(carol.shown(fresh[1]), actions.disable_second_factor)
    assert driver.rows("SELECT count(*) FROM recovery_codes") == [(0,)]
    actions.prove_password(driver.services, "carol", PASSWORD)


def test_a_browser_left_open_neither_adds_nor_removes_a_key(carol: SignedIn, driver: ActionDriver) -> None:
    carol.add(SoftwareKey())
    (kept,) = driver.ask(carol.caller, actions.get_second_factor).security_keys
    question = carol.question()
    driver.clock.advance(16 * 60)
    for action, arguments in (
        (actions.start_security_key, (carol.cookie,)),
        (actions.add_security_key, ("x", KeyAnswer(SoftwareKey().register(question), carol.cookie))),
        (actions.remove_security_key, (kept.id,)),
    ):
        with pytest.raises(PasswordNeededError):
            driver.do(carol.caller, action, *arguments)


def test_who_sat_elsewhere_with_the_password_alone_types_it_again_with_the_key(
    carol: SignedIn, driver: ActionDriver
) -> None:
    proven = actions.prove_password(driver.services, "carol", PASSWORD)
    elsewhere = SignedIn(driver, driver.do(None, actions.open_web_session, proven)[1])
    proof = driver.do(None, actions.open_proof, proven).secret
    carol.add(SoftwareKey())
    (key,) = driver.ask(carol.caller, actions.get_second_factor).security_keys
    with pytest.raises(PasswordNeededError):
        driver.do(elsewhere.caller, actions.remove_security_key, key.id)
    with pytest.raises(NotAuthenticatedError):
        driver.ask(None, actions.authenticate, Credentials(token=proof))


def test_a_key_belongs_to_one_account_and_an_account_has_few(carol: SignedIn, driver: ActionDriver) -> None:
    key = SoftwareKey()
    carol.add(key)
    with pytest.raises(SecurityKeyError, match="registered already"):
        carol.add(key)
    sign_up(driver, "mallory")
    proven = actions.prove_password(driver.services, "mallory", PASSWORD)
    his = SignedIn(driver, driver.do(None, actions.open_web_session, proven)[1])
    with pytest.raises(SecurityKeyError, match="registered already"):  # a key of his that calls itself as hers
        his.add(SoftwareKey(credential_id=key.credential_id))
    (hers,) = driver.ask(carol.caller, actions.get_second_factor).security_keys
    with pytest.raises(TokenNotFoundError):
        driver.do(his.shown(), actions.remove_security_key, hers.id)
    for number in range(MOST_KEYS):
        his.add(SoftwareKey(), f"key {number}")
    with pytest.raises(SecurityKeyError, match="at most"):
        his.add(SoftwareKey())


@pytest.mark.parametrize("name", ["", "  ", "x" * 61, "a\u202eb", "\ud800"])
def test_a_name_that_no_list_can_show_is_refused(carol: SignedIn, name: str) -> None:
    with pytest.raises(InvalidRequestError):
        carol.add(SoftwareKey(), name)


@pytest.mark.parametrize("url", ["", "http://hub.example", "https://192.0.2.1", "https://[::1]", "not an address"])
def test_a_hub_without_a_name_and_https_has_no_keys_and_says_so(
    carol: SignedIn, driver: ActionDriver, url: str
) -> None:
    settings = driver.services.settings.model_copy(update={"public_url": url})
    driver.services = replace(driver.services, settings=settings)
    assert not actions.keys_work_here(driver.services)
    with pytest.raises(SecurityKeyError, match="public address"):
        carol.question()


def test_the_operator_takes_the_keys_of_who_has_lost_them(carol: SignedIn, driver: ActionDriver) -> None:
    carol.add(SoftwareKey())
    driver.do(None, actions.reset_second_factor, "carol")
    actions.prove_password(driver.services, "carol", PASSWORD)
    assert driver.rows("SELECT count(*) FROM security_keys") == [(0,)]


def test_a_new_password_by_mail_leaves_the_key_in_its_place(carol: SignedIn, driver: ActionDriver) -> None:
    carol.add(SoftwareKey())
    with driver.writing() as work:
        row = work.session.get(AccountRow, carol.caller.account_id)
        assert row is not None
        set_password(work, row, actions.hash_password(PASSWORD + "!"))
    with pytest.raises(SecondFactorNeededError):
        actions.prove_password(driver.services, "carol", PASSWORD + "!")


@pytest.mark.parametrize(
    "answer", ["{}", "[]", "null", "", "{", '{"id": 1}', '{"id": "\\ud800"}', "[" * 5000, "x" * 20_000]
)
def test_an_answer_that_is_none_is_refused(carol: SignedIn, driver: ActionDriver, answer: str) -> None:
    carol.add(SoftwareKey())
    carol.question()
    with pytest.raises(SecurityKeyError):
        driver.do(carol.caller, actions.add_security_key, "x", KeyAnswer(answer, carol.cookie))
    driver.do(carol.caller, actions.ask_key, carol.cookie)
    with pytest.raises((NotAuthenticatedError, SecondFactorNeededError)):
        actions.prove_password(driver.services, "carol", PASSWORD, "", KeyAnswer(answer, carol.cookie))
