"""Whoever loses something, and whoever shares it, is mailed; a hub without a mail server queues nothing."""

from dataclasses import replace

import pytest
from sqlalchemy import text

from hub_server.accounts import actions
from hub_server.accounts.actions.mailed_links import change_email
from hub_server.settings import MailSettings
from schemas.account import Member
from tests.fakes.mailer import FakeMailer
from tests.making.action_driver import ActionDriver, person


@pytest.fixture
def lab(driver: ActionDriver) -> ActionDriver:
    mail = MailSettings(host="mail.example", sender="hub@example.org")
    settings = driver.services.settings.model_copy(update={"mail": mail, "public_url": "https://hub.example"})
    driver.services = replace(driver.services, settings=settings, mailer=FakeMailer())
    for name in ("alice", "bob", "carol", "dave"):
        driver.person(name)
    driver.organization("lab", alice="owner", bob="owner", carol="member", dave="member")
    with driver.writing() as work:
        work.session.execute(text("UPDATE accounts SET email = name || '@example.org' WHERE kind = 'person'"))
    return driver


def sent(driver: ActionDriver) -> list[tuple[str, str]]:
    driver.run_jobs()
    mailer = driver.services.mailer
    assert isinstance(mailer, FakeMailer)
    return sorted((mail.to.partition("@")[0], mail.subject) for mail in mailer.sent)


def test_all_owners_and_who_is_removed_hear_of_it(lab: ActionDriver) -> None:
    lab.do(person("alice"), actions.remove_member, "lab", "bob")
    assert sent(lab) == [("alice", "A member of lab was removed"), ("bob", "A member of lab was removed")]
    mail = lab.services.mailer.sent[0]
    assert "alice has removed bob" in mail.text
    assert "https://hub.example/account" in mail.text


def test_a_changed_role_is_told_and_an_unchanged_one_is_not(lab: ActionDriver) -> None:
    lab.do(person("alice"), actions.invite_member, "lab", Member(account="carol", role="member"))
    assert sent(lab) == []
    lab.do(person("alice"), actions.invite_member, "lab", Member(account="carol", role="owner"))
    assert [name for name, _ in sent(lab)] == ["alice", "bob", "carol"]


def test_a_changed_address_is_told_to_the_old_one(lab: ActionDriver) -> None:
    lab.do(person("dave"), change_email, "thief@example.org")
    assert ("dave", "The address of your account was changed") in sent(lab)


def test_a_change_that_is_refused_is_told_to_nobody(lab: ActionDriver) -> None:
    for name in ("alice", "bob"):
        with pytest.raises(Exception, match="Only an owner"):
            lab.do(person("dave"), actions.remove_member, "lab", name)
    assert sent(lab) == []


def test_without_a_mail_server_nothing_is_queued(driver: ActionDriver) -> None:
    for name in ("alice", "bob"):
        driver.person(name)
    driver.organization("lab", alice="owner", bob="member")
    driver.do(person("alice"), actions.remove_member, "lab", "bob")
    assert driver.rows("SELECT name FROM jobs WHERE name = 'accounts.send_notice'") == []
