"""Organisations: several people publish under one name, and none is ever left without an owner."""

import pytest

from tests.making.hub import Api, make_package

TEAM = "/api/v1/organizations/team"


@pytest.fixture
def team(alice: Api) -> Api:
    assert (
        alice.as_person().post("/api/v1/organizations", json={"name": "team", "display_name": "The team"}).status_code
        == 201
    )
    return alice


def join(team: Api, who: Api, name: str = "bob", role: str = "member") -> None:
    asked = team.as_person().request("PUT", f"{TEAM}/members", json={"account": name, "role": role})
    assert asked.status_code == 200
    assert who.as_person().post(f"{TEAM}/invitation", json={"accept": True}).status_code == 200


def test_members_publish_under_its_name_and_strangers_do_not(team: Api, bob: Api) -> None:
    wheel = make_package("team/sums")
    assert bob.publish(wheel).status_code == 403
    team.as_person().request("PUT", f"{TEAM}/members", json={"account": "bob"})
    assert bob.publish(wheel).status_code == 403, "who was asked has not accepted yet"
    assert bob.as_person().get("/api/v1/account/invitations").json()["items"][0]["organization"] == "team"
    assert bob.as_person().post(f"{TEAM}/invitation", json={"accept": True}).status_code == 200
    assert bob.publish(wheel).status_code == 201


def test_whoever_leaves_may_publish_no_more(team: Api, bob: Api) -> None:
    join(team, bob)
    assert bob.as_person().request("DELETE", f"{TEAM}/members/bob").status_code == 200
    assert bob.publish(make_package("team/sums")).status_code == 403


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
    assert team.get(TEAM).json()["members"] == [{"account": "alice", "role": "owner"}]


def test_it_shares_the_namespace_of_accounts(team: Api, api: Api) -> None:
    body = {"name": "team", "email": "x@example.org", "password": "long enough, surely"}
    assert api.post("/api/v1/accounts", json=body).status_code == 409
    assert team.as_person().post("/api/v1/organizations", json={"name": "a1ice"}).status_code == 409
    assert team.get("/api/v1/accounts/team").status_code == 404
    assert team.get("/api/v1/organizations/alice").status_code == 404


def test_nobody_logs_in_as_an_organisation(team: Api, api: Api) -> None:
    assert api.post("/api/v1/login", json={"name": "team", "password": ""}).status_code == 401


def test_an_invitation_is_answered_on_the_account_page(team: Api, bob: Api) -> None:
    team.as_person().request("PUT", f"{TEAM}/members", json={"account": "bob"})
    assert "asks you to be its member" in bob.as_person().get("/account").text
    assert bob.as_person().post("/account/invitations/team", data={"answer": "perhaps"}).status_code == 422
    assert bob.as_person().post("/account/invitations/team", data={"answer": "accept"}).status_code == 303
    assert "asks you to be its member" not in bob.as_person().get("/account").text
    assert bob.publish(make_package("team/sums")).status_code == 201
