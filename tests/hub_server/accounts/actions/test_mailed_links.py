"""Links by mail, from the side of who tries to misuse them: guessed, used twice, late, sent to an address of before."""

from dataclasses import replace

import pytest

from hub_server.accounts import actions
from hub_server.accounts.errors import AccountSuspendedError, TokenNotFoundError
from hub_server.errors import InvalidRequestError, NotAllowedError, NotAuthenticatedError, PasswordNeededError
from hub_server.kernel.caller import Credentials, require_caller
from hub_server.kernel.unit_of_work import UnitOfWork
from schemas.account import AccountCreate, Scope
from tests.fakes.mailer import FakeMailer
from tests.making.action_driver import ActionDriver, caller

PASSWORD, NEW = "correct horse battery", "another long password"


@pytest.fixture
def mailer(driver: ActionDriver) -> FakeMailer:
    mailer = FakeMailer()
    driver.services = replace(driver.services, mailer=mailer)
    return mailer


@pytest.fixture
def carol(driver: ActionDriver, mailer: FakeMailer) -> str:
    """Her token."""
    body = AccountCreate(name="carol", email="Carol@example.org", password=PASSWORD)
    return driver.do(None, actions.sign_up, body, actions.hash_password(PASSWORD)).token


def person(driver: ActionDriver, password: str = PASSWORD):
    _, cookie = driver.do(None, actions.open_web_session, actions.prove_password(driver.services, "carol", password))
    return driver.ask(None, actions.authenticate, Credentials(session_secret=cookie))


def mail_reset(driver: ActionDriver, account: str = "carol") -> None:
    driver.do(None, actions.ask_for_reset, account)
    driver.run_jobs()


def test_a_link_sets_a_password_once_and_ends_what_the_old_one_opened(driver: ActionDriver, mailer, carol: str) -> None:
    _, cookie = driver.do(None, actions.open_web_session, actions.prove_password(driver.services, "carol", PASSWORD))
    mail_reset(driver, " carol@EXAMPLE.org ")
    assert [mail.to for mail in mailer.sent] == ["Carol@example.org"]
    driver.ask(None, actions.check_reset, mailer.code)  # to look uses nothing up
    assert driver.do(None, actions.reset_password, mailer.code, actions.hash_password(NEW)) == "carol"
    assert driver.ask(None, actions.authenticate, Credentials(session_secret=cookie)) is None
    with pytest.raises(NotAuthenticatedError):
        driver.ask(None, actions.authenticate, Credentials(token=carol))
    with pytest.raises(TokenNotFoundError):
        driver.do(None, actions.reset_password, mailer.code, actions.hash_password(PASSWORD))
    assert driver.ask(person(driver, NEW), actions.get_email).confirmed_at is not None  # the mail has arrived


def test_only_the_hash_of_a_secret_is_kept_and_no_job_knows_it(driver: ActionDriver, mailer, carol: str) -> None:
    mail_reset(driver)
    for table in ("mailed_secrets", "jobs"):
        assert mailer.code not in str(driver.rows(f"SELECT * FROM {table}"))


def test_unknown_known_and_unusable_accounts_are_asked_for_alike(driver: ActionDriver, mailer, carol: str) -> None:
    driver.person("dave")  # has neither password nor address
    sent: list[list[str]] = []
    for account in ("carol", "nobody", "dave", "no@example.org", "x\x00y"):
        with driver.statements() as statements:
            driver.do(None, actions.ask_for_reset, account)
        sent.append([one.split(" ")[0] for one in statements])
    assert all(one == sent[0] for one in sent)
    driver.run_jobs()
    assert len(mailer.sent) == 1
    with pytest.raises(InvalidRequestError):
        driver.do(None, actions.ask_for_reset, "\ud800")


def test_a_link_ends_with_its_hour_with_another_address_and_with_another_purpose(
    driver: ActionDriver, mailer, carol
) -> None:
    mail_reset(driver)
    with pytest.raises(TokenNotFoundError):
        driver.do(None, actions.confirm_email, mailer.code)
    driver.clock.advance(3601)
    with pytest.raises(TokenNotFoundError):
        driver.do(None, actions.reset_password, mailer.code, "")
    mail_reset(driver)
    fresh = mailer.code
    driver.do(person(driver), actions.change_email, "new@example.org")
    with pytest.raises(TokenNotFoundError):
        driver.do(None, actions.reset_password, fresh, "")


def test_a_mailbox_is_not_flooded_and_an_older_link_stays_good(driver: ActionDriver, mailer, carol: str) -> None:
    mail_reset(driver)
    first = mailer.code
    mail_reset(driver)
    assert len(mailer.sent) == 1
    driver.clock.advance(300)
    mail_reset(driver)
    assert len(mailer.sent) == 2
    driver.ask(None, actions.check_reset, first)


def test_what_the_server_refuses_is_sent_again_with_a_link_of_its_own(driver: ActionDriver, mailer, carol: str) -> None:
    mailer.refusals = 2
    mail_reset(driver)
    assert len(mailer.sent) == 1
    assert driver.rows("SELECT count(*) FROM mailed_secrets") == [(1,)]
    driver.ask(None, actions.check_reset, mailer.code)


def test_a_suspended_account_gets_no_mail_and_sets_no_password(driver: ActionDriver, mailer, carol: str) -> None:
    mail_reset(driver)
    driver.do(caller("moda"), actions.suspend_account, "carol", "spam", hide_content=False)
    with pytest.raises((AccountSuspendedError, TokenNotFoundError)):
        driver.do(None, actions.reset_password, mailer.code, "")
    driver.clock.advance(3600)
    mail_reset(driver)
    assert len(mailer.sent) == 1


def test_where_it_is_needed_publishing_and_cases_wait_for_a_confirmed_address(
    driver: ActionDriver, mailer, carol: str
) -> None:
    needed = driver.services.settings.model_copy(update={"confirmed_email_needed": True})
    driver.services = replace(driver.services, settings=needed)

    def who():
        return driver.ask(None, actions.authenticate, Credentials(token=carol))

    for scope in (Scope.PUBLISH, Scope.CASES):
        with pytest.raises(NotAllowedError, match="confirmed e-mail"):
            require_caller(who(), scope)
    require_caller(who(), Scope.RUNS)
    with pytest.raises(PasswordNeededError):
        driver.do(who(), actions.ask_for_confirmation)
    driver.do(replace(who(), by_session=True), actions.ask_for_confirmation)
    driver.run_jobs()
    assert driver.do(None, actions.confirm_email, mailer.code) == "carol"
    require_caller(who(), Scope.PUBLISH)
    with pytest.raises(TokenNotFoundError):
        driver.do(None, actions.confirm_email, mailer.code)
    driver.do(person(driver), actions.change_email, "other@example.org")
    with pytest.raises(NotAllowedError, match="confirmed e-mail"):
        require_caller(who(), Scope.PUBLISH)


def test_an_address_is_its_persons_to_see_and_to_change_with_the_password(driver: ActionDriver, carol: str) -> None:
    token = driver.ask(None, actions.authenticate, Credentials(token=carol))
    with pytest.raises(PasswordNeededError):
        driver.ask(token, actions.get_email)
    with pytest.raises(PasswordNeededError):
        driver.do(token, actions.change_email, "mallory@example.org")


def test_a_sign_up_is_mailed_its_link_where_mail_goes_out(driver: ActionDriver, mailer: FakeMailer) -> None:
    mail = driver.services.settings.mail.model_copy(update={"host": "mail.example.org"})
    settings = driver.services.settings.model_copy(update={"mail": mail, "public_url": "https://hub.example.org/"})
    driver.services = replace(driver.services, settings=settings)
    body = AccountCreate(name="erin", email="erin@example.org", password=PASSWORD)
    with driver.services.database.writing() as session:
        actions.sign_up(UnitOfWork(session, driver.services), body, actions.hash_password(PASSWORD))
    driver.run_jobs()
    assert "\nhttps://hub.example.org/account/email/confirmation?code=" in mailer.sent[0].text


def test_no_new_password_is_mailed_to_an_address_of_yesterday(driver: ActionDriver, mailer, carol: str) -> None:
    """Whoever has her browser while her password counts as just typed would keep the account by such a link."""
    driver.do(person(driver), actions.change_email, "mallory@example.org")
    driver.run_jobs()
    mailer.sent.clear()
    mail_reset(driver)
    mail_reset(driver, "mallory@example.org")
    driver.clock.advance(3 * 86400 - 900)
    mail_reset(driver)
    assert mailer.sent == []
    driver.clock.advance(900)
    mail_reset(driver)
    assert [mail.to for mail in mailer.sent] == ["mallory@example.org"]
