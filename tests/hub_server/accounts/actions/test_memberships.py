"""Members of an organisation: who may change them, that nobody is one unasked, and that an owner is always left."""

import pytest

from hub_server.accounts.actions import (
    answer_invitation,
    get_organization,
    invite_member,
    remove_member,
)
from hub_server.accounts.errors import (
    AccountNotFoundError,
)
from hub_server.errors import ConflictError, NotAllowedError, NotAuthenticatedError
from hub_server.kernel.caller import Caller
from schemas.account import Member, Scope
from tests.making.action_driver import ActionDriver, caller, person
from tests.making.team import MEMBER, NOBODY, OWNER, STRANGER


def roles(driver: ActionDriver) -> dict[str, str]:
    return {one.account: one.role for one in driver.ask(None, get_organization, "team").members}


@pytest.mark.parametrize(
    ("by", "add", "remove_other", "leave"),
    [
        (OWNER, None, None, ConflictError),
        (MEMBER, NotAllowedError, NotAllowedError, None),
        (STRANGER, NotAllowedError, NotAllowedError, None),
        (NOBODY, NotAuthenticatedError, NotAuthenticatedError, NotAuthenticatedError),
        (caller("ann", scopes=frozenset({Scope.PUBLISH})), NotAllowedError, NotAllowedError, NotAllowedError),
        (person("moda", is_moderator=True), NotAllowedError, NotAllowedError, AccountNotFoundError),
    ],
    ids=["owner", "member", "stranger", "nobody", "narrow token", "moderator"],
)
def test_who_may_do_what(team: ActionDriver, by: Caller | None, add, remove_other, leave) -> None:
    before = roles(team)
    acts = [
        (add, invite_member, ("team", Member(account="cleo"))),
        (remove_other, remove_member, ("team", "ben" if by != MEMBER else "ann")),
        (leave, remove_member, ("team", by.name if by is not None else "ann")),
    ]
    for error, act, rest in acts:
        if error is None:
            team.do(by, act, *rest)
            continue
        with pytest.raises(error):
            team.do(by, act, *rest)
    if add is remove_other is leave:
        assert roles(team) == before


def test_an_owner_makes_an_owner_and_may_then_leave(team: ActionDriver) -> None:
    team.do(OWNER, invite_member, "team", Member(account="ben", role="owner"))
    team.do(OWNER, remove_member, "team", "ann")
    assert roles(team) == {"ben": "owner"}
    with pytest.raises(NotAllowedError):
        team.do(OWNER, invite_member, "team", Member(account="ann"))


@pytest.mark.parametrize(
    "act",
    [
        lambda d: d.do(OWNER, remove_member, "team", "ann"),
        lambda d: d.do(OWNER, invite_member, "team", Member(account="ann", role="member")),
    ],
)
def test_the_last_owner_can_neither_leave_nor_step_down(team: ActionDriver, act) -> None:
    with pytest.raises(ConflictError, match="without an owner"):
        act(team)
    assert roles(team) == {"ann": "owner", "ben": "member"}, "what was refused was rolled back"


def test_adding_somebody_twice_changes_the_role_and_makes_no_second_row(team: ActionDriver) -> None:
    for role in ("member", "owner", "member"):
        asked = team.do(OWNER, invite_member, "team", Member(account="cleo", role=role))
    assert asked.invited == [Member(account="cleo", role="member")]
    assert len(team.rows("SELECT * FROM invitations")) == 1


def test_removing_who_is_no_member_changes_nothing(team: ActionDriver) -> None:
    assert team.do(OWNER, remove_member, "team", "cleo").members == team.ask(None, get_organization, "team").members


def test_a_member_is_a_person_who_exists(team: ActionDriver) -> None:
    team.organization("other")
    for name in ("nobody", "other", "team"):
        with pytest.raises(AccountNotFoundError):
            team.do(OWNER, invite_member, "team", Member(account=name))


def test_who_joins_and_who_leaves_has_what_it_concerns_measured_again(team: ActionDriver) -> None:
    team.do(OWNER, invite_member, "team", Member(account="cleo"))
    jobs = "SELECT count(*) FROM jobs WHERE name = 'audits.measure_after_membership'"
    assert team.rows(jobs) == [(0,)]
    team.do(person("cleo"), answer_invitation, "team", accept=True)
    team.do(OWNER, remove_member, "team", "ben")
    team.do(OWNER, remove_member, "team", "stranger")
    assert team.rows(jobs) == [(2,)]
