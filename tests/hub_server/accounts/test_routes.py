"""Accounts over HTTP: what is never cached, what bodies are refused, who is asked for an account."""

import pytest

from tests.making.hub import PASSWORD, Api

pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
NEEDS_AN_ACCOUNT = (
    ("GET", "/api/v1/account", None),
    ("POST", "/api/v1/account/password", {"old": PASSWORD, "new": PASSWORD}),
    ("GET", "/api/v1/tokens", None),
    ("POST", "/api/v1/tokens", {"name": "ci"}),
    ("DELETE", "/api/v1/tokens/x", None),
    ("POST", "/api/v1/organizations", {"name": "lab"}),
    ("PUT", "/api/v1/organizations/lab/members", {"account": "bob"}),
    ("DELETE", "/api/v1/organizations/lab/members/bob", None),
)
MALFORMED = (
    ("/api/v1/accounts", {"name": "carol", "email": "no at sign", "password": PASSWORD}),
    ("/api/v1/accounts", {"name": "carol", "email": "a@b c", "password": PASSWORD}),
    ("/api/v1/accounts", {"name": "carol", "email": "x@example.org", "password": "x" * 1025}),
    ("/api/v1/accounts", {"name": "carol", "email": "x@example.org", "password": PASSWORD, "is_moderator": True}),
    ("/api/v1/login", {"name": "carol"}),
    ("/api/v1/login", {"name": ["carol"], "password": PASSWORD}),
    ("/api/v1/tokens", {"name": "ci", "scopes": ["everything"]}),
    ("/api/v1/tokens", {"name": "ci", "expires_days": 1e9}),
    ("/api/v1/device/code", {"client_name": ""}),
    ("/api/v1/device/code", {"client_name": "x" * 81}),
    ("/api/v1/device/token", {}),
    ("/api/v1/tokens/revoke", {"token": None}),
    ("/api/v1/organizations", {"name": "Not A Name"}),
)


def test_whatever_manages_an_account_asks_for_one(api: Api) -> None:
    for method, path, body in NEEDS_AN_ACCOUNT:
        refused = api.request(method, path, json=body)
        assert (refused.status_code, refused.json()["code"]) == (401, "not_authenticated"), path
        assert refused.headers["WWW-Authenticate"].startswith("Bearer"), path


def test_what_is_malformed_is_refused_and_no_secret_is_repeated(alice: Api) -> None:
    for path, body in MALFORMED:
        refused = alice.post(path, json=body)
        assert refused.status_code == 422, (path, body, refused.text)
        assert PASSWORD not in refused.text


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"null", b"\xff\xfe", b'{"name": NaN}', b"[" * 50_000])
def test_a_body_that_is_no_object_is_refused(api: Api, body: bytes) -> None:
    for path in ("/api/v1/accounts", "/api/v1/login", "/api/v1/device/token", "/api/v1/tokens/revoke"):
        answer = api.post(path, content=body, headers={"Content-Type": "application/json"})
        assert answer.status_code in (400, 422), (path, answer.text)


def test_no_answer_that_holds_a_secret_may_be_cached(api: Api, alice: Api) -> None:
    answers = [
        api.post("/api/v1/accounts", json={"name": "carol", "email": "c@example.org", "password": PASSWORD}),
        api.post("/api/v1/login", json={"name": "alice", "password": PASSWORD}),
        alice.as_person().post("/api/v1/tokens", json={"name": "ci"}),
    ]
    for answer in answers:
        assert answer.status_code < 300
        assert "verihub_pat_" in answer.text
        assert answer.headers["Cache-Control"] == "no-store"


def test_an_account_is_read_by_anybody_without_what_is_private(api: Api, alice: Api) -> None:
    shown = api.get("/api/v1/accounts/alice").json()
    assert set(shown) == {"name", "created_at", "is_moderator", "suspended_reason"}
    missing = api.get("/api/v1/accounts/nobody")
    assert (missing.status_code, missing.json()["code"]) == (404, "account_not_found")


def test_a_device_is_led_to_the_page_of_this_hub(api: Api) -> None:
    asked = api.post("/api/v1/device/code", json={"client_name": "laptop"}).json()
    assert asked["verification_uri"].endswith("/device")
    assert asked["verification_uri"].startswith("http://hub.test")


def test_membership_is_managed_by_put_and_delete(alice: Api, bob: Api) -> None:
    assert alice.as_person().post("/api/v1/organizations", json={"name": "lab"}).status_code == 201
    members = "/api/v1/organizations/lab/members"
    assert alice.as_person().request("PUT", members, json={"account": "bob", "role": "boss"}).status_code == 422
    asked = alice.as_person().request("PUT", members, json={"account": "bob"}).json()
    assert [(one["account"], one["role"]) for one in asked["members"]] == [("alice", "owner")]
    joined = bob.as_person().post("/api/v1/organizations/lab/invitation", json={"accept": True}).json()
    assert [(one["account"], one["role"]) for one in joined["members"]] == [("alice", "owner"), ("bob", "member")]
    assert bob.as_person().request("DELETE", f"{members}/bob").json()["members"] == [
        {"account": "alice", "role": "owner", "ends_at": None}
    ]
    assert bob.as_person().request("DELETE", f"{members}/bob").status_code in (200, 404), (
        "leaving twice is no fault of the hub"
    )
