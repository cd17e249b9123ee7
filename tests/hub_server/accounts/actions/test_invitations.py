"""Invitations to an organisation: nobody is a member unasked, and nobody answers for another."""

import pytest

from hub_server.accounts.actions import (
    answer_invitation,
    get_organization,
    invite_member,
    list_invitations,
    list_organizations_of,
    remove_member,
)
from hub_server.accounts.errors import InvitationNotFoundError
from hub_server.kernel.caller import Caller
from schemas.account import Member
from tests.making.action_driver import ActionDriver, person
from tests.making.team import MEMBER, OWNER, STRANGER


def roles(driver: ActionDriver) -> dict[str, str]:
    return {one.account: one.role for one in driver.ask(None, get_organization, "team").members}


def test_nobody_is_a_member_who_has_not_accepted(team: ActionDriver) -> None:
    """Members are behind every package of an organisation, so whoever was added unasked lost a voice there."""
    asked = team.do(OWNER, invite_member, "team", Member(account="cleo"))
    assert (roles(team), asked.invited) == ({"ann": "owner", "ben": "member"}, [Member(account="cleo")])
    assert team.ask(None, list_organizations_of, "cleo") == []
    assert [(one.organization, one.invited_by) for one in team.ask(person("cleo"), list_invitations)] == [
        ("team", "ann")
    ]
    team.do(person("cleo"), answer_invitation, "team", accept=True)
    assert roles(team)["cleo"] == "member"
    assert team.ask(person("cleo"), list_invitations) == []


def test_who_declines_is_asked_no_more_and_joins_nothing(team: ActionDriver) -> None:
    team.do(OWNER, invite_member, "team", Member(account="cleo", role="owner"))
    team.do(person("cleo"), answer_invitation, "team", accept=False)
    assert "cleo" not in roles(team)
    with pytest.raises(InvitationNotFoundError):
        team.do(person("cleo"), answer_invitation, "team", accept=True)


@pytest.mark.parametrize("by", [OWNER, MEMBER, STRANGER], ids=["owner", "member", "stranger"])
def test_nobody_accepts_for_another(team: ActionDriver, by: Caller) -> None:
    team.do(OWNER, invite_member, "team", Member(account="cleo"))
    with pytest.raises(InvitationNotFoundError):
        team.do(by, answer_invitation, "team", accept=True)
    assert "cleo" not in roles(team)


def test_an_invitation_is_taken_back_and_shown_to_members_alone(team: ActionDriver) -> None:
    team.do(OWNER, invite_member, "team", Member(account="cleo"))
    assert team.ask(None, get_organization, "team").invited == []
    assert team.ask(STRANGER, get_organization, "team").invited == []
    assert team.ask(MEMBER, get_organization, "team").invited == [Member(account="cleo")]
    team.do(OWNER, remove_member, "team", "cleo")
    with pytest.raises(InvitationNotFoundError):
        team.do(person("cleo"), answer_invitation, "team", accept=True)


@pytest.mark.parametrize("why", ["suspended", "no owner", "left"])
def test_an_invitation_lapses_with_who_sent_it(team: ActionDriver, why: str) -> None:
    """Who broke into an owner's account invited an accomplice, who became an owner after the account was stopped."""
    team.do(OWNER, invite_member, "team", Member(account="cleo", role="owner"))
    change = {
        "suspended": "UPDATE accounts SET suspended_reason = 'stolen' WHERE name = 'ann'",
        "no owner": f"UPDATE memberships SET role = 'member' WHERE account_id = '{OWNER.account_id}'",
        "left": f"DELETE FROM memberships WHERE account_id = '{OWNER.account_id}'",
    }[why]
    with team.writing() as work:
        work.session.connection().exec_driver_sql(change)
    assert team.ask(person("cleo"), list_invitations) == []
    with pytest.raises(InvitationNotFoundError, match="ask another owner"):
        team.do(person("cleo"), answer_invitation, "team", accept=True)
    assert "cleo" not in roles(team)
    team.do(person("cleo"), answer_invitation, "team", accept=False)
