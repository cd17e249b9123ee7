"""A package is private or public as a whole, from its first release on."""

import pytest

from tests.making.hub import Api, make_package

pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)


def publish(api: Api, version: str, visibility: str = "", **more: str) -> tuple[int, str]:
    query = f"?visibility={visibility}" if visibility else ""
    answer = api.post(f"/api/v1/packages{query}", content=make_package("alice/hush", version, **more))
    return answer.status_code, answer.json().get("code", "")


def test_later_releases_are_what_the_first_one_was(api: Api, alice: Api) -> None:
    assert publish(alice, "1.0.0", "private") == (201, "")
    assert publish(alice, "1.0.1") == (201, "")
    assert publish(alice, "1.0.2", "private") == (201, "")
    assert publish(alice, "1.0.3", "public") == (409, "visibility")
    assert api.get("/api/v1/packages/alice/hush").status_code == 404
    assert alice.get("/api/v1/packages/alice/hush").json()["card"]["visibility"] == "private"


def test_what_is_public_cannot_become_private(alice: Api) -> None:
    assert publish(alice, "1.0.0") == (201, "")
    assert publish(alice, "1.0.1", "private") == (409, "visibility")
    assert publish(alice, "1.0.1", "nobody")[0] == 422


def test_a_public_package_needs_no_private_one_and_strangers_learn_nothing_of_it(alice: Api, bob: Api) -> None:
    judge = make_package("alice/hush", manifest=VERIFIER)
    assert alice.post("/api/v1/packages?visibility=private", content=judge).status_code == 201
    users = {owner: make_package(f"{owner}/uses", manifest=USES) for owner in ("alice", "bob")}
    refused = alice.publish(users["alice"])
    assert (refused.status_code, refused.json()["code"]) == (422, "invalid_package")
    assert "which is private" in refused.json()["detail"]
    stranger = bob.publish(users["bob"])
    assert "alice/hush" in stranger.json()["detail"]
    assert "does not have" in stranger.json()["detail"]
    assert alice.post("/api/v1/packages?visibility=private", content=users["alice"]).status_code == 201


def test_private_packages_are_searched_by_those_who_see_them(api: Api, alice: Api) -> None:
    alice.publish(make_package("alice/open"))
    publish(alice, "1.0.0", "private")
    for query in ("", "?q=hush", "?owner=alice", "?q=hush&sort=newest", "?tag=math", "?q=math"):
        ids = [one["id"] for one in alice.get(f"/api/v1/packages{query}").json()["items"]]
        assert "alice/hush" in ids, query
        found = api.get(f"/api/v1/packages{query}").json()
        assert "hush" not in str(found["items"]), query
        assert found["total"] <= 1, query


VERIFIER = """\
format = 1
id = "alice/small-sums"
kind = "verifier"
verifier = "alice_small_sums:verify"

[rewards.correct]
description = "the sum is right"
"""
USES = """\
format = 1
id = "alice/small-sums"
kind = "environment"
tasks = { train = "tasks.jsonl" }
verifier = "alice/hush@1.0.0"
"""
