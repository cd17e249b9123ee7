"""A token reads what is private only by the scope ``read``; what it writes by another scope stays private all the same."""

import pytest

from schemas.account import Scope
from tests.making.hub import Api, make_package

HUSH = "/api/v1/packages/alice/hush"
PIN = {"package": "alice/hush", "version": "1.0.0", "digest": "sha256:" + "0" * 64}


@pytest.fixture
def hush(alice: Api) -> Api:
    assert alice.post("/api/v1/packages?visibility=private", content=make_package("alice/hush")).status_code == 201
    return alice


def token(alice: Api, *scopes: Scope) -> Api:
    made = alice.as_person().post("/api/v1/tokens", json={"name": "t", "scopes": [scope.value for scope in scopes]})
    return alice.as_token(made.json()["secret"])


@pytest.mark.parametrize("scope", [Scope.PUBLISH, Scope.RUNS, Scope.CASES, Scope.MODERATE])
def test_no_other_scope_reads_what_is_private(hush: Api, scope: Scope) -> None:
    narrow = token(hush, scope)
    for path in (HUSH, f"{HUSH}/releases/1.0.0/wheel", f"{HUSH}/releases/1.0.0/files", "/simple/alice-hush/"):
        assert narrow.get(path).status_code == 404, path
    assert narrow.get("/api/v1/packages").json()["items"] == []
    assert token(hush, Scope.READ).get(HUSH).status_code == 200


def test_a_token_for_publishing_publishes_and_yanks_what_it_does_not_read(hush: Api) -> None:
    narrow = token(hush, Scope.PUBLISH)
    assert narrow.publish(make_package("alice/hush", "1.1.0")).status_code == 201
    assert narrow.post(f"{HUSH}/releases/1.1.0/yank", json={"reason": "x"}).status_code == 200
    assert narrow.get(HUSH).status_code == 404


def test_a_run_that_names_a_private_package_is_private_though_its_token_does_not_see_it(hush: Api, bob: Api) -> None:
    narrow = token(hush, Scope.RUNS)
    run = {"name": "r", "kind": "training", "model": "m", "packages": [PIN]}
    made = narrow.post("/api/v1/runs", json=run).json()["id"]
    point = {"step": 1, "values": {"loss": 1.0}}
    assert narrow.post(f"/api/v1/runs/{made}/metrics", json={"items": [point]}).status_code < 300
    for who in (bob, narrow):
        assert who.get(f"/api/v1/runs/{made}").status_code == 404
    assert hush.get(f"/api/v1/runs/{made}").json()["is_private"] is True
    public = narrow.post("/api/v1/runs", json=run | {"packages": []}).json()["id"]
    rollout = {
        "step": 1,
        "package": "alice/hush",
        "task_id": "t",
        "prompt": "p",
        "response": "r",
        "rewards": {"c": 1.0},
    }
    assert narrow.post(f"/api/v1/runs/{public}/rollouts", json={"items": [rollout]}).status_code < 300
    assert bob.get(f"/api/v1/runs/{public}").status_code == 404


def test_archiving_takes_sight(hush: Api) -> None:
    """It answers with the package, so a token without ``read`` is told nothing."""
    assert token(hush, Scope.PUBLISH).post(f"{HUSH}/archive", json={"reason": "x"}).status_code == 404
    assert hush.post(f"{HUSH}/archive", json={"reason": "x"}).status_code == 200


def test_lists_of_ones_own_name_nothing_private_to_a_token_that_may_not_read(hush: Api, bob: Api) -> None:
    alice = hush.as_person()
    assert alice.request("PUT", "/api/v1/account/watches/alice/hush").status_code == 204
    assert alice.post(f"{HUSH}/transfer", json={"to": "bob"}).status_code == 201
    for who, path in ((alice, "/api/v1/account/watches"), (bob, "/api/v1/account/transfers")):
        assert "alice/hush" in token(who, Scope.READ).get(path).text
        for scope in (Scope.PUBLISH, Scope.RUNS, Scope.CASES):
            answer = token(who, scope).get(path)
            assert answer.status_code == 403, path
            assert "hush" not in answer.text


def test_a_token_for_publishing_replaces_the_private_collection_that_it_does_not_read(hush: Api) -> None:
    path, narrow = "/api/v1/collections/alice/drafts", token(hush, Scope.PUBLISH)
    body = {"title": "Drafts", "visibility": "private", "entries": [{"package": "alice/hush"}]}
    assert hush.request("PUT", path, json=body).status_code == 200
    assert narrow.request("PUT", path, json=body).status_code == 404, "it does not see the package"
    hush.publish(make_package("alice/open"))
    again = narrow.request("PUT", path, json=body | {"entries": [{"package": "alice/open"}]})
    assert (again.status_code, again.json()["revision"], again.json()["entry_count"]) == (200, 2, 1), again.text
    assert (narrow.get(path).status_code, hush.get(path).json()["entry_count"]) == (404, 1)


def test_a_token_that_does_not_read_counts_private_collections_too(hush: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hub_server.collections.actions.changes.MOST_OF_AN_OWNER", 2)
    narrow = token(hush, Scope.PUBLISH)
    codes = [
        narrow.request(
            "PUT", f"/api/v1/collections/alice/c{n}", json={"title": "t", "visibility": "private"}
        ).status_code
        for n in range(3)
    ]
    assert codes == [200, 200, 422]
