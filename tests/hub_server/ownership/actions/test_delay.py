"""A package that is offered waits: whoever takes an account over does not have its packages at once."""

from dataclasses import replace

import pytest
from sqlalchemy import text

from hub_server.accounts import actions as accounts
from hub_server.ownership import actions
from hub_server.ownership.errors import TransferError, TransferNotFoundError
from hub_server.settings import MailSettings
from schemas.account import Member, Role
from schemas.ownership import TransferCreate
from tests.fakes.mailer import FakeMailer
from tests.making.action_driver import ActionDriver, person

SUMS = "lab/sums"
OFFER = TransferCreate(to="mallory")


@pytest.fixture
def lab(driver: ActionDriver) -> ActionDriver:
    mail = MailSettings(host="mail.example", sender="hub@example.org")
    more = {"mail": mail, "public_url": "https://hub.example", "owner_change_hours": 72.0}
    driver.services = replace(
        driver.services, settings=driver.services.settings.model_copy(update=more), mailer=FakeMailer()
    )
    for name in ("alice", "bob", "mallory"):
        driver.person(name)
    driver.organization("lab", alice="owner", bob="owner")
    driver.publish(person("alice", maintained=frozenset({"lab"}), organizations=frozenset({"lab"})), SUMS)
    with driver.writing() as work:
        work.session.execute(text("UPDATE accounts SET email = name || '@example.org' WHERE kind = 'person'"))
    return driver


def owner(driver: ActionDriver) -> str:
    return str(driver.rows("SELECT owner FROM packages")[0][0])


def test_a_package_changes_hands_days_after_the_offer_and_each_owner_can_stop_it(lab: ActionDriver) -> None:
    offer = lab.do(person("alice"), actions.offer_package, SUMS, OFFER)
    assert offer.acceptable_at is not None
    lab.run_jobs()
    assert {mail.to for mail in lab.services.mailer.sent} == {"alice@example.org", "bob@example.org"}
    assert "/packages/lab/sums/settings" in lab.services.mailer.sent[0].text
    lab.clock.advance(71 * 3600)
    with pytest.raises(TransferError, match="UTC on: until then"):
        lab.do(person("mallory"), actions.answer_transfer, SUMS, accept=True)
    lab.do(person("bob"), actions.take_back_offer, SUMS)
    lab.clock.advance(72 * 3600)
    with pytest.raises(TransferNotFoundError):
        lab.do(person("mallory"), actions.answer_transfer, SUMS, accept=True)
    lab.do(person("alice"), actions.offer_package, SUMS, OFFER)
    lab.clock.advance(72 * 3600)
    lab.do(person("mallory"), actions.answer_transfer, SUMS, accept=True)
    assert owner(lab) == "mallory"


def test_an_offer_is_declined_at_once(lab: ActionDriver) -> None:
    lab.do(person("alice"), actions.offer_package, SUMS, OFFER)
    lab.do(person("mallory"), actions.answer_transfer, SUMS, accept=False)
    assert owner(lab) == "lab"


@pytest.mark.parametrize("what", ["suspended", "left", "stepped down"])
def test_what_was_offered_by_somebody_who_may_not_any_more_is_void(lab: ActionDriver, what: str) -> None:
    lab.clock.advance(72 * 3600 + 1)  # bob is no fresh owner: alice can leave at once
    lab.do(person("alice"), actions.offer_package, SUMS, OFFER)
    if what == "suspended":
        lab.do(None, accounts.suspend_account, "alice", "taken over", hide_content=False)
    elif what == "left":
        lab.do(person("alice"), accounts.remove_member, "lab", "alice")
    else:
        lab.do(person("alice"), accounts.invite_member, "lab", Member(account="alice", role=Role.MAINTAINER))
    lab.clock.advance(72 * 3600)
    with pytest.raises(TransferNotFoundError):
        lab.do(person("mallory"), actions.answer_transfer, SUMS, accept=True)
    assert owner(lab) == "lab"


def test_all_owners_hear_of_what_is_archived_or_deleted(lab: ActionDriver) -> None:
    alice = person("alice", maintained=frozenset({"lab"}), organizations=frozenset({"lab"}))
    lab.do(alice, actions.archive_package, SUMS, "over")
    lab.do(alice, actions.archive_package, SUMS, "still over")
    lab.do(alice, actions.delete_release, SUMS, "1.0.0")
    lab.run_jobs()
    told = sorted((mail.to, mail.subject) for mail in lab.services.mailer.sent)
    assert told == [
        ("alice@example.org", "A release of lab/sums was deleted"),
        ("alice@example.org", "lab/sums is archived"),
        ("bob@example.org", "A release of lab/sums was deleted"),
        ("bob@example.org", "lab/sums is archived"),
    ]
