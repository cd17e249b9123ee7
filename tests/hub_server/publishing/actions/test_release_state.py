"""Yank and deprecate: what they change, who may, and that each is undone alone."""

import pytest

from tests.making.hub import Api, make_package

RELEASE = "/api/v1/packages/alice/small-sums/releases"
WHY = {"reason": "its answers are wrong"}


@pytest.fixture(autouse=True)
def published(alice: Api) -> None:
    for version in ("1.0.0", "1.1.0"):
        assert alice.publish(make_package(version=version)).status_code == 201


def release(api: Api, version: str) -> dict:
    return api.get(f"{RELEASE}/{version}").json()


def test_a_yanked_release_is_found_by_its_exact_version_alone_with_the_reason(alice: Api) -> None:
    yanked = alice.post(f"{RELEASE}/1.1.0/yank", json=WHY).json()
    assert (yanked["state"], yanked["state_reason"]) == ("yanked", WHY["reason"])
    assert release(alice, "1.1.0")["yanked_reason"] == WHY["reason"]
    assert release(alice, "latest")["version"] == release(alice, ">=1")["version"] == "1.0.0"


def test_it_says_who_yanked_and_when_until_that_is_undone(alice: Api) -> None:
    moment = alice.post(f"{RELEASE}/1.1.0/yank", json=WHY).json()["yanked_at"]
    found = release(alice, "1.1.0")
    assert (found["yanked_by"], found["yanked_at"]) == ("alice", moment)
    assert (found["deprecated_by"], found["deprecated_at"]) == (None, None)
    for path in ("/releases", "/releases/1.1.0"):
        page = alice.get(f"/packages/alice/small-sums{path}", headers={"accept": "text/html"}).text
        assert 'by <a href="/owners/alice">alice</a> on ' in page, path
    undone = alice.post(f"{RELEASE}/1.1.0/unyank").json()
    assert (undone["yanked_by"], undone["yanked_at"]) == (None, None)


def test_undoing_a_yank_leaves_a_deprecation_as_it_is(alice: Api) -> None:
    alice.post(f"{RELEASE}/1.1.0/deprecate", json={"reason": "use 2"})
    alice.post(f"{RELEASE}/1.1.0/yank", json=WHY)
    undone = alice.post(f"{RELEASE}/1.1.0/unyank").json()
    assert (undone["state"], undone["state_reason"]) == ("deprecated", "use 2")
    assert release(alice, "latest")["version"] == "1.1.0"
    assert alice.post(f"{RELEASE}/1.1.0/undeprecate").json()["state"] == "active"


@pytest.mark.parametrize("act", ["yank", "unyank", "deprecate", "undeprecate"])
def test_nobody_but_the_owner_changes_a_status(alice: Api, bob: Api, act: str) -> None:
    reason = None if act.startswith("un") else WHY
    assert bob.post(f"{RELEASE}/1.1.0/{act}", json=reason).status_code == 403
    made = alice.as_person().post("/api/v1/tokens", json={"name": "t", "scopes": ["read", "cases", "runs"]}).json()
    assert alice.as_token(made["secret"]).post(f"{RELEASE}/1.1.0/{act}", json=reason).status_code == 403
    assert release(alice, "1.1.0")["state"] == "active"


def test_the_owner_cannot_lift_a_quarantine_by_changing_something_else(api: Api, alice: Api) -> None:
    moda = api.sign_up("moda")
    done = moda.post(f"{RELEASE}/1.1.0/quarantine", json={"reason": "malware"})
    assert done.status_code < 300, done.text
    for act, body in (("unyank", None), ("yank", WHY), ("undeprecate", None)):
        assert alice.post(f"{RELEASE}/1.1.0/{act}", json=body).status_code == 410
    assert release(alice, "1.1.0")["state"] == "quarantined"
