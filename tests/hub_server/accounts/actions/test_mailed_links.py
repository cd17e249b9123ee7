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
from tests.making.desk import Desk, caller

PASSWORD, NEW = "correct horse battery", "another long password"


@pytest.fixture
def mailer(desk: Desk) -> FakeMailer:
    mailer = FakeMailer()
    desk.services = replace(desk.services, mailer=mailer)
    return mailer


@pytest.fixture
def carol(desk: Desk, mailer: FakeMailer) -> str:
    """Her token."""
    body = AccountCreate(name="carol", email="Carol@example.org", password=PASSWORD)
    return desk.do(None, actions.sign_up, body, actions.hash_password(PASSWORD)).token


def person(desk: Desk, password: str = PASSWORD):
    _, cookie = desk.do(None, actions.open_web_session, actions.prove_password(desk.services, "carol", password))
    return desk.ask(None, actions.authenticate, Credentials(session_secret=cookie))


def mail_reset(desk: Desk, account: str = "carol") -> None:
    desk.do(None, actions.ask_for_reset, account)
    desk.run_jobs()


def test_a_link_sets_a_password_once_and_ends_what_the_old_one_opened(desk: Desk, mailer, carol: str) -> None:
    _, cookie = desk.do(None, actions.open_web_session, actions.prove_password(desk.services, "carol", PASSWORD))
    mail_reset(desk, " carol@EXAMPLE.org ")
    assert [mail.to for mail in mailer.sent] == ["Carol@example.org"]
    desk.ask(None, actions.check_reset, mailer.code)  # to look uses nothing up
    assert desk.do(None, actions.reset_password, mailer.code, actions.hash_password(NEW)) == "carol"
    assert desk.ask(None, actions.authenticate, Credentials(session_secret=cookie)) is None
    with pytest.raises(NotAuthenticatedError):
        desk.ask(None, actions.authenticate, Credentials(token=carol))
    with pytest.raises(TokenNotFoundError):
        desk.do(None, actions.reset_password, mailer.code, actions.hash_password(PASSWORD))
    assert desk.ask(person(desk, NEW), actions.get_email).confirmed_at is not None  # the mail has arrived


def test_only_the_hash_of_a_secret_is_kept_and_no_job_knows_it(desk: Desk, mailer, carol: str) -> None:
    mail_reset(desk)
    for table in ("mailed_secrets", "jobs"):
        assert mailer.code not in str(desk.rows(f"SELECT * FROM {table}"))


def test_unknown_known_and_unusable_accounts_are_asked_for_alike(desk: Desk, mailer, carol: str) -> None:
    desk.person("dave")  # has neither password nor address
    sent: list[list[str]] = []
    for account in ("carol", "nobody", "dave", "no@example.org", "x\x00y"):
        with desk.statements() as statements:
            desk.do(None, actions.ask_for_reset, account)
        sent.append([one.split(" ")[0] for one in statements])
    assert all(one == sent[0] for one in sent)
    desk.run_jobs()
    assert len(mailer.sent) == 1
    with pytest.raises(InvalidRequestError):
        desk.do(None, actions.ask_for_reset, "\ud800")


def test_a_link_ends_with_its_hour_with_another_address_and_with_another_purpose(desk: Desk, mailer, carol) -> None:
    mail_reset(desk)
    with pytest.raises(TokenNotFoundError):
        desk.do(None, actions.confirm_email, mailer.code)
    desk.clock.advance(3601)
    with pytest.raises(TokenNotFoundError):
        desk.do(None, actions.reset_password, mailer.code, "")
    mail_reset(desk)
    fresh = mailer.code
    desk.do(person(desk), actions.change_email, "new@example.org")
    with pytest.raises(TokenNotFoundError):
        desk.do(None, actions.reset_password, fresh, "")


def test_a_mailbox_is_not_flooded_and_an_older_link_stays_good(desk: Desk, mailer, carol: str) -> None:
    mail_reset(desk)
    first = mailer.code
    mail_reset(desk)
    assert len(mailer.sent) == 1
    desk.clock.advance(300)
    mail_reset(desk)
    assert len(mailer.sent) == 2
    desk.ask(None, actions.check_reset, first)


def test_what_the_server_refuses_is_sent_again_with_a_link_of_its_own(desk: Desk, mailer, carol: str) -> None:
    mailer.refusals = 2
    mail_reset(desk)
    assert len(mailer.sent) == 1
    assert desk.rows("SELECT count(*) FROM mailed_secrets") == [(1,)]
    desk.ask(None, actions.check_reset, mailer.code)


def test_a_suspended_account_gets_no_mail_and_sets_no_password(desk: Desk, mailer, carol: str) -> None:
    mail_reset(desk)
    desk.do(caller("moda"), actions.suspend_account, "carol", "spam", hide_content=False)
    with pytest.raises((AccountSuspendedError, TokenNotFoundError)):
        desk.do(None, actions.reset_password, mailer.code, "")
    desk.clock.advance(3600)
    mail_reset(desk)
    assert len(mailer.sent) == 1


def test_where_it_is_needed_publishing_and_cases_wait_for_a_confirmed_address(desk: Desk, mailer, carol: str) -> None:
    needed = desk.services.settings.model_copy(update={"confirmed_email_needed": True})
    desk.services = replace(desk.services, settings=needed)

    def who():
        return desk.ask(None, actions.authenticate, Credentials(token=carol))

    for scope in (Scope.PUBLISH, Scope.CASES):
        with pytest.raises(NotAllowedError, match="confirmed e-mail"):
            require_caller(who(), scope)
    require_caller(who(), Scope.RUNS)
    desk.do(who(), actions.ask_for_confirmation)
    desk.run_jobs()
    assert desk.do(None, actions.confirm_email, mailer.code) == "carol"
    require_caller(who(), Scope.PUBLISH)
    with pytest.raises(TokenNotFoundError):
        desk.do(None, actions.confirm_email, mailer.code)
    desk.do(person(desk), actions.change_email, "other@example.org")
    with pytest.raises(NotAllowedError, match="confirmed e-mail"):
        require_caller(who(), Scope.PUBLISH)


def test_an_address_is_its_persons_to_see_and_to_change_with_the_password(desk: Desk, carol: str) -> None:
    token = desk.ask(None, actions.authenticate, Credentials(token=carol))
    with pytest.raises(PasswordNeededError):
        desk.ask(token, actions.get_email)
    with pytest.raises(PasswordNeededError):
        desk.do(token, actions.change_email, "mallory@example.org")


def test_a_sign_up_is_mailed_its_link_where_mail_goes_out(desk: Desk, mailer: FakeMailer) -> None:
    mail = desk.services.settings.mail.model_copy(update={"host": "mail.example.org"})
    settings = desk.services.settings.model_copy(update={"mail": mail, "public_url": "https://hub.example.org/"})
    desk.services = replace(desk.services, settings=settings)
    body = AccountCreate(name="erin", email="erin@example.org", password=PASSWORD)
    with desk.services.database.writing() as session:
        actions.sign_up(UnitOfWork(session, desk.services), body, actions.hash_password(PASSWORD))
    desk.run_jobs()
    assert "\nhttps://hub.example.org/account/email/confirmation?code=" in mailer.sent[0].text


def test_no_new_password_is_mailed_to_an_address_of_yesterday(desk: Desk, mailer, carol: str) -> None:
    """Whoever has her browser while her password counts as just typed would keep the account by such a link."""
    desk.do(person(desk), actions.change_email, "mallory@example.org")
    desk.run_jobs()
    mailer.sent.clear()
    mail_reset(desk)
    mail_reset(desk, "mallory@example.org")
    desk.clock.advance(3 * 86400 - 900)
    mail_reset(desk)
    assert mailer.sent == []
    desk.clock.advance(900)
    mail_reset(desk)
    assert [mail.to for mail in mailer.sent] == ["mallory@example.org"]
