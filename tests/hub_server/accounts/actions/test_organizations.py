"""Organisations: their names, and who is in which."""

import pytest

from hub_server.accounts.actions import (
    create_organization,
    get_organization,
    get_own_account,
    invite_member,
    list_organizations_of,
    remove_member,
)
from hub_server.accounts.errors import (
    NameTakenError,
    OrganizationNotFoundError,
)
from schemas.account import Member, Membership, OrganizationCreate
from tests.making.action_driver import ActionDriver
from tests.making.team import MEMBER, OWNER


def test_the_founder_is_its_owner(driver: ActionDriver) -> None:
    made = driver.do(driver.person("ann"), create_organization, OrganizationCreate(name="lab", display_name="The lab"))
    assert (made.name, made.display_name) == ("lab", "The lab")
    assert made.members == [Membership(account="ann", role="owner")]


@pytest.mark.parametrize("name", ["ann", "team", "c1eo", "api"])
def test_names_come_from_the_accounts_namespace(team: ActionDriver, name: str) -> None:
    with pytest.raises(NameTakenError):
        team.do(OWNER, create_organization, OrganizationCreate(name=name))


@pytest.mark.parametrize("name", ["ann", "none", "", "\x00"])
def test_a_person_is_no_organisation(team: ActionDriver, name: str) -> None:
    for act, rest in ((get_organization, ()), (invite_member, (Member(account="cleo"),)), (remove_member, ("ann",))):
        with pytest.raises(OrganizationNotFoundError):
            team.do(OWNER, act, name, *rest)


def test_organisations_of_an_account_come_by_name_and_nobody_has_none(team: ActionDriver) -> None:
    team.organization("alpha", ben="owner")
    assert team.ask(None, list_organizations_of, "ben") == ["alpha", "team"]
    assert team.ask(None, list_organizations_of, "stranger") == []
    assert team.ask(None, list_organizations_of, "unheard of") == []


def test_who_i_am_says_where_i_am_and_in_which_role(team: ActionDriver) -> None:
    found = team.ask(MEMBER, get_own_account)
    assert [(one.organization, one.role.value) for one in found.organizations] == [("team", "member")]
