"""Losing an owner takes days: an account that was taken over has the organisation no sooner than others hear of it."""

from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import text

from hub_server.accounts import actions
from hub_server.accounts.errors import MembershipError
from hub_server.errors import NotAllowedError
from hub_server.settings import MailSettings, ServerSettings
from schemas.account import Member, Role
from tests.fakes.mailer import FakeMailer
from tests.making.action_driver import ActionDriver, person

WAIT = 72 * 3600


@pytest.fixture
def lab(driver: ActionDriver) -> ActionDriver:
    """lab, of alice and bob; mallory has alice's account."""
    mail = MailSettings(host="mail.example", sender="hub@example.org")
    more = {"mail": mail, "public_url": "https://hub.example", "owner_change_hours": 72.0}
    settings = driver.services.settings.model_copy(update=more)
    driver.services = replace(driver.services, settings=settings, mailer=FakeMailer())
    for name in ("alice", "bob", "carol"):
        driver.person(name)
    driver.organization("lab", alice="owner", bob="owner", carol="member")
    with driver.writing() as work:
        work.session.execute(text("UPDATE accounts SET email = name || '@example.org' WHERE kind = 'person'"))
    driver.clock.advance(WAIT + 1)
    return driver


def roles(driver: ActionDriver) -> dict[str, str]:
    found = driver.ask(None, actions.get_organization, "lab")
    return {member.account: member.role.value for member in found.members}


def later(driver: ActionDriver, seconds: float = WAIT + 1) -> None:
    driver.clock.advance(seconds)
    driver.run_jobs()


def test_the_usual_time_is_three_days(lab: ActionDriver) -> None:
    assert ServerSettings().owner_change_hours == 72


def test_an_owner_is_removed_days_later_and_each_owner_can_stop_it(lab: ActionDriver) -> None:
    found = lab.do(person("alice"), actions.remove_member, "lab", "bob")
    (bob,) = [member for member in found.members if member.account == "bob"]
    assert bob.role is Role.OWNER
    assert bob.ends_at is not None
    assert timedelta(0) <= lab.clock.now() + timedelta(seconds=WAIT) - bob.ends_at < timedelta(seconds=1)
    assert lab.ask(None, actions.get_organization, "lab").members[1].ends_at is None  # strangers are not told
    lab.run_jobs()
    mails = {mail.to: mail.text for mail in lab.services.mailer.sent}
    assert set(mails) == {"alice@example.org", "bob@example.org"}
    assert "https://hub.example/owners/lab" in mails["bob@example.org"]
    later(lab, WAIT - 7200)
    assert roles(lab)["bob"] == "owner"
    lab.do(person("bob"), actions.invite_member, "lab", Member(account="bob", role=Role.OWNER))
    later(lab)
    assert roles(lab)["bob"] == "owner"
    lab.do(person("alice"), actions.remove_member, "lab", "bob")
    later(lab)
    assert roles(lab) == {"alice": "owner", "carol": "member"}
    assert "A member of lab was removed" in [mail.subject for mail in lab.services.mailer.sent]


def test_the_role_of_an_owner_is_taken_days_later_too(lab: ActionDriver) -> None:
    lab.do(person("alice"), actions.invite_member, "lab", Member(account="bob", role=Role.MEMBER))
    assert roles(lab)["bob"] == "owner"
    later(lab)
    assert roles(lab)["bob"] == "member"


def test_who_asks_again_neither_puts_it_off_nor_sends_more_mail(lab: ActionDriver) -> None:
    lab.do(person("alice"), actions.remove_member, "lab", "bob")
    lab.run_jobs()
    sent = len(lab.services.mailer.sent)
    later(lab, 3600)
    for _ in range(3):
        lab.do(person("alice"), actions.remove_member, "lab", "bob")
    lab.run_jobs()
    assert len(lab.services.mailer.sent) == sent
    later(lab, WAIT - 3599)
    assert "bob" not in roles(lab)


def test_members_go_and_owners_leave_at_once(lab: ActionDriver) -> None:
    lab.do(person("alice"), actions.remove_member, "lab", "carol")
    lab.do(person("bob"), actions.remove_member, "lab", "bob")
    assert roles(lab) == {"alice": "owner"}


def test_what_a_suspended_owner_asked_for_does_not_happen(lab: ActionDriver) -> None:
    lab.do(person("alice"), actions.remove_member, "lab", "bob")
    lab.do(None, actions.suspend_account, "alice", "taken over", hide_content=False)
    later(lab)
    assert roles(lab)["bob"] == "owner"
    lab.do(person("bob"), actions.remove_member, "lab", "alice")  # whom a moderator has suspended goes at once
    assert roles(lab) == {"bob": "owner", "carol": "member"}


def test_what_somebody_asked_for_who_left_does_not_happen(lab: ActionDriver) -> None:
    lab.do(person("alice"), actions.remove_member, "lab", "bob")
    lab.do(person("alice"), actions.remove_member, "lab", "alice")
    later(lab)
    assert roles(lab) == {"bob": "owner", "carol": "member"}


def test_two_owners_who_remove_each_other_leave_one(lab: ActionDriver) -> None:
    lab.do(person("alice"), actions.remove_member, "lab", "bob")
    lab.do(person("bob"), actions.remove_member, "lab", "alice")
    later(lab)
    assert list(roles(lab).values()).count("owner") == 1


def test_a_stopped_removal_is_not_revived_by_its_old_job(lab: ActionDriver) -> None:
    lab.do(person("alice"), actions.remove_member, "lab", "bob")
    later(lab, 3600)
    lab.do(person("bob"), actions.invite_member, "lab", Member(account="bob", role=Role.OWNER))
    lab.do(person("alice"), actions.remove_member, "lab", "bob")  # again: its time begins anew
    later(lab, WAIT - 3599)
    assert roles(lab)["bob"] == "owner"
    later(lab, 3600)
    assert "bob" not in roles(lab)


def test_nobody_else_stops_or_asks_for_it(lab: ActionDriver) -> None:
    lab.do(person("alice"), actions.remove_member, "lab", "bob")
    for action, argument in (
        (actions.remove_member, "alice"),
        (actions.invite_member, Member(account="bob", role=Role.OWNER)),
    ):
        with pytest.raises(NotAllowedError):
            lab.do(person("carol"), action, "lab", argument)


@pytest.mark.parametrize("steps_down", [False, True])
def test_who_has_an_account_takes_no_friend_in_and_has_it_leave_at_once(lab: ActionDriver, steps_down: bool) -> None:
    """The account's person, who gets it back tomorrow, would find the organisation gone."""
    lab.person("mallory")
    lab.organization("solo", alice="owner")
    lab.clock.advance(WAIT + 1)
    lab.do(person("alice"), actions.invite_member, "solo", Member(account="mallory", role=Role.OWNER))
    lab.do(person("mallory"), actions.answer_invitation, "solo", accept=True)
    if steps_down:
        lab.do(person("alice"), actions.invite_member, "solo", Member(account="alice", role=Role.MEMBER))
    else:
        lab.do(person("alice"), actions.remove_member, "solo", "alice")
    later(lab, WAIT - 3600)
    lab.do(person("alice"), actions.invite_member, "solo", Member(account="alice", role=Role.OWNER))  # has it back
    later(lab)
    found = {one.account: one.role for one in lab.ask(None, actions.get_organization, "solo").members}
    assert found["alice"] is Role.OWNER


def test_who_hands_an_organisation_over_and_leaves_is_gone_days_later(lab: ActionDriver) -> None:
    lab.organization("solo", alice="owner", bob="owner")
    lab.do(person("alice"), actions.remove_member, "solo", "alice")
    later(lab)
    assert [one.account for one in lab.ask(None, actions.get_organization, "solo").members] == ["bob"]


def test_the_only_owner_still_cannot_leave(lab: ActionDriver) -> None:
    lab.organization("solo", alice="owner", carol="member")
    with pytest.raises(MembershipError, match="without an owner"):
        lab.do(person("alice"), actions.remove_member, "solo", "alice")


def test_who_asks_after_another_takes_not_over_the_time_that_is_gone(lab: ActionDriver) -> None:
    """alice's account is suspended for it in the last hour: an accomplice must not stand in with an hour to wait."""
    lab.organization("trio", alice="owner", bob="owner", carol="owner")
    lab.do(person("alice"), actions.remove_member, "trio", "bob")
    later(lab, WAIT - 3600)
    lab.do(person("carol"), actions.remove_member, "trio", "bob")
    lab.do(None, actions.suspend_account, "alice", "taken over", hide_content=False)
    later(lab, 3601)
    assert "bob" in {one.account for one in lab.ask(None, actions.get_organization, "trio").members}
    lab.do(person("carol"), actions.remove_member, "trio", "bob")
    later(lab)
    assert "bob" not in {one.account for one in lab.ask(None, actions.get_organization, "trio").members}
