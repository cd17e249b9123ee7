"""Organisations: several people publish under one name, and none is ever left without an owner."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from hub_server.accounts.actions import invitations, organizations
from tests.fakes.clock import FakeClock
from tests.making.hub import PASSWORD, Api, make_package

TEAM = "/api/v1/organizations/team"


@pytest.fixture
def team(alice: Api) -> Api:
    assert (
        alice.as_person().post("/api/v1/organizations", json={"name": "team", "display_name": "The team"}).status_code
        == 201
    )
    return alice


def join(team: Api, who: Api, name: str = "bob", role: str = "maintainer") -> None:
    asked = team.as_person().request("PUT", f"{TEAM}/members", json={"account": name, "role": role})
    assert asked.status_code == 200
    assert who.as_person().post(f"{TEAM}/invitation", json={"accept": True}).status_code == 200


def test_maintainers_publish_under_its_name_and_strangers_do_not(team: Api, bob: Api) -> None:
    wheel = make_package("team/sums")
    assert bob.publish(wheel).status_code == 403
    team.as_person().request("PUT", f"{TEAM}/members", json={"account": "bob", "role": "maintainer"})
    assert bob.publish(wheel).status_code == 403, "who was asked has not accepted yet"
    assert bob.as_person().get("/api/v1/account/invitations").json()["items"][0]["organization"] == "team"
    assert bob.as_person().post(f"{TEAM}/invitation", json={"accept": True}).status_code == 200
    assert bob.publish(wheel).status_code == 201


def test_whoever_leaves_may_publish_no_more(team: Api, bob: Api) -> None:
    join(team, bob)
    assert bob.as_person().request("DELETE", f"{TEAM}/members/bob").status_code == 200
    assert bob.publish(make_package("team/sums")).status_code == 403


def test_a_member_sees_what_is_private_and_publishes_nothing(team: Api, bob: Api) -> None:
    hidden = team.post("/api/v1/packages?visibility=private", content=make_package("team/sums"))
    assert hidden.status_code == 201
    assert bob.get("/api/v1/packages/team/sums").status_code == 404
    join(team, bob, role="member")
    assert bob.get("/api/v1/packages/team/sums").status_code == 200
    assert bob.publish(make_package("team/sums", "1.1.0")).status_code == 403
    yanked = bob.post("/api/v1/packages/team/sums/releases/1.0.0/yank", json={"reason": "mine now"})
    assert yanked.status_code == 403
    assert bob.as_person().post("/api/v1/packages/team/sums/public").status_code == 403


def test_only_owners_change_the_membership(team: Api, bob: Api, api: Api) -> None:
    api.sign_up("carol")
    join(team, bob)
    assert bob.as_person().request("PUT", f"{TEAM}/members", json={"account": "carol"}).status_code == 403
    assert (
        bob.as_person().request("PUT", f"{TEAM}/members", json={"account": "bob", "role": "owner"}).status_code == 403
    )
    assert bob.as_person().request("DELETE", f"{TEAM}/members/alice").status_code == 403


def test_the_last_owner_stays(team: Api, bob: Api) -> None:
    refused = team.as_person().request("DELETE", f"{TEAM}/members/alice")
    assert refused.status_code == 409
    demoted = team.as_person().request("PUT", f"{TEAM}/members", json={"account": "alice", "role": "member"})
    assert demoted.status_code == 409
    assert team.get(TEAM).json()["members"] == [{"account": "alice", "role": "owner", "ends_at": None}]


def test_it_shares_the_namespace_of_accounts(team: Api, api: Api) -> None:
    body = {"name": "team", "email": "x@example.org", "password": "long enough, surely"}
    assert api.post("/api/v1/accounts", json=body).status_code == 409
    assert team.as_person().post("/api/v1/organizations", json={"name": "a1ice"}).status_code == 409
    assert team.get("/api/v1/accounts/team").status_code == 404
    assert team.get("/api/v1/organizations/alice").status_code == 404


def test_nobody_logs_in_as_an_organisation(team: Api, api: Api) -> None:
    assert api.post("/api/v1/login", json={"name": "team", "password": ""}).status_code == 401


def test_an_invitation_is_answered_on_the_account_page(team: Api, bob: Api) -> None:
    team.as_person().request("PUT", f"{TEAM}/members", json={"account": "bob", "role": "maintainer"})
    assert "asks you to be its maintainer" in bob.as_person().get("/account").text
    assert bob.as_person().post("/account/invitations/team", data={"answer": "perhaps"}).status_code == 422
    assert bob.as_person().post("/account/invitations/team", data={"answer": "accept"}).status_code == 303
    assert "asks you to be its maintainer" not in bob.as_person().get("/account").text
    assert bob.publish(make_package("team/sums")).status_code == 201


def test_two_owners_who_remove_each_other_at_once_leave_one(team: Api, bob: Api) -> None:
    join(team, bob, role="owner")
    people = {"alice": team.as_person(), "bob": bob.as_person()}
    with ThreadPoolExecutor(2) as pool:
        removals = [pool.submit(people[by].request, "DELETE", f"{TEAM}/members/{whom}")
                    for by, whom in (("alice", "bob"), ("bob", "alice"))]  # fmt: skip
        answers = sorted(one.result().status_code for one in removals)
    assert answers == [200, 403], "who came second was no owner any more"
    assert [one["role"] for one in team.get(TEAM).json()["members"]] == ["owner"]


def test_nobody_is_asked_over_and_over(team: Api, bob: Api, clock: FakeClock) -> None:
    def ask() -> int:
        return team.as_person().request("PUT", f"{TEAM}/members", json={"account": "bob"}).status_code

    assert ask() == 200
    assert bob.as_person().post(f"{TEAM}/invitation", json={"accept": False}).status_code == 200
    assert bob.as_person().get("/api/v1/account/invitations").json()["items"] == []
    assert ask() == 409
    assert bob.as_person().post(f"{TEAM}/invitation", json={"accept": True}).status_code == 404
    removed = team.as_person().request("DELETE", f"{TEAM}/members/bob")
    assert removed.status_code == 200, "taking a declined invitation back is no way round it"
    assert ask() == 409
    clock.advance(31 * 24 * 3600)
    again = team.as_token(team.post("/api/v1/sudo", json={"name": "alice", "password": PASSWORD}).json()["secret"])
    assert again.request("PUT", f"{TEAM}/members", json={"account": "bob"}).status_code == 200


def test_an_organisation_asks_no_more_people_than_may_be_open(
    team: Api, bob: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    del bob
    monkeypatch.setattr(invitations, "MOST_INVITATIONS", 0)
    asked = team.as_person().request("PUT", f"{TEAM}/members", json={"account": "bob"})
    assert (asked.status_code, asked.json()["code"]) == (409, "membership")


def test_no_role_gives_itself_a_higher_one(team: Api, bob: Api, api: Api) -> None:
    api.sign_up("carol")
    for role in ("member", "maintainer"):
        join(team, bob, role=role) if role == "member" else team.as_person().request(
            "PUT", f"{TEAM}/members", json={"account": "bob", "role": role}
        )
        for body in ({"account": "bob", "role": "owner"}, {"account": "carol", "role": "member"}):
            assert bob.as_person().request("PUT", f"{TEAM}/members", json=body).status_code == 403
        assert bob.as_person().request("DELETE", f"{TEAM}/members/alice").status_code == 403
    roles = {one["account"]: one["role"] for one in team.get(TEAM).json()["members"]}
    assert roles == {"alice": "owner", "bob": "maintainer"}


def test_names_are_not_hoarded(team: Api, bob: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever signs up is slowed down; who has signed up could take twenty names a second."""
    monkeypatch.setattr(organizations, "MOST_ORGANIZATIONS", 2)
    person = team.as_person()
    codes = [
        person.post("/api/v1/organizations", json={"name": name}).status_code for name in ("teama", "teamb", "teamc")
    ]
    assert codes == [201, 409, 409]
    join(team, bob, role="member")
    codes = [
        bob.as_person().post("/api/v1/organizations", json={"name": name}).status_code
        for name in ("boba", "bobb", "bobc")
    ]
    assert codes == [201, 201, 409], "those that one does not own are not counted"
