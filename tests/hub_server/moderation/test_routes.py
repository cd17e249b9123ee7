"""Moderation over HTTP: what a body may say, and which doors a stranger finds closed."""

import pytest
from fastapi.routing import APIRoute

from hub_server.accounts import actions as accounts
from hub_server.kernel.services import Services
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.moderation.routes import router
from tests.fakes.clock import FakeClock
from tests.making.hub import PASSWORD, Api, make_package

pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
# Every way in which a moderator changes something, with a body that is sound.
ACTS = {
    "/reports/{report_id}/decision": {"state": "acted", "decision": "gone"},
    "/packages/{owner}/{name}/releases/{version}/quarantine": {"reason": "x"},
    "/packages/{owner}/{name}/releases/{version}/unquarantine": {"reason": "x"},
    "/packages/{owner}/{name}/releases/{version}/takedown": {"reason": "x"},
    "/packages/{owner}/{name}/quarantine": {"reason": "x"},
    "/packages/{owner}/{name}/unquarantine": {"reason": "x"},
    "/packages/{owner}/{name}/takedown": {"reason": "x"},
    "/accounts/{name}/suspend": {"reason": "x"},
    "/accounts/{name}/unsuspend": {"reason": "x"},
    "/accounts/{name}/profile/hide": {"reason": "x"},
    "/accounts/{name}/profile/show": {"reason": "x"},
    "/blocked-names": {"name": "evil", "reason": "x"},
    "/blocked-names/unblock": {"name": "evil", "reason": "x"},
    "/packages/{owner}/{name}/cases/{case_id}/settle": {"ruling": "upheld", "reason": "x"},
    "/packages/{owner}/{name}/cases/{case_id}/hide": {"reason": "x"},
    "/packages/{owner}/{name}/cases/{case_id}/show": {"reason": "x"},
    "/collections/{owner}/{name}/hide": {"reason": "x"},
    "/collections/{owner}/{name}/show": {"reason": "x"},
    "/packages/{owner}/{name}/discussions/{discussion_id}/close": {"reason": "x"},
    "/packages/{owner}/{name}/discussions/{discussion_id}/reopen": {"reason": "x"},
    "/packages/{owner}/{name}/discussions/{discussion_id}/posts/{number}/hide": {"reason": "x"},
    "/packages/{owner}/{name}/discussions/{discussion_id}/posts/{number}/show": {"reason": "x"},
}
WRONG = {"id": "h1", "task_id": "t1", "response": "3", "label": "correct"}
FOR_EVERYBODY = {"/packages/{owner}/{name}/reports", "/collections/{owner}/{name}/reports", "/owners/{owner}/reports"}
PACKAGE = "/api/v1/packages/alice/small-sums"
REPORT = {"reason": "malware", "text": "it reads /etc/passwd"}
DOORS = (
    ("GET", "/api/v1/reports", None),
    ("POST", "/api/v1/reports/x/decision", {"state": "acted", "decision": "gone"}),
    ("POST", f"{PACKAGE}/releases/1.0.0/quarantine", {"reason": "x"}),
    ("POST", f"{PACKAGE}/releases/1.0.0/unquarantine", {"reason": "x"}),
    ("POST", f"{PACKAGE}/cases/x/hide", {"reason": "x"}),
    ("POST", f"{PACKAGE}/cases/x/show", {"reason": "x"}),
)


def test_the_moderators_doors_are_closed_to_nobody_and_to_owners(api: Api, alice: Api) -> None:
    alice.publish(make_package())
    for who, status in ((api, 401), (alice, 403)):
        for method, path, body in DOORS:
            assert who.request(method, path, json=body).status_code == status, path
    assert api.get(f"{PACKAGE}/releases/1.0.0").json()["state"] == "active"


def test_a_report_says_why_in_the_words_that_there_are(alice: Api) -> None:
    alice.publish(make_package())
    for change in (
        {"reason": "ugly"},
        {"text": ""},
        {"text": "x" * 4001},
        {"version": "not a version"},
        {"state": "acted"},
    ):
        refused = alice.post(f"{PACKAGE}/reports", json={**REPORT, **change})
        assert (refused.status_code, refused.json()["code"]) == (422, "invalid_request"), change
    assert alice.post("/api/v1/packages/alice/none/reports", json=REPORT).status_code == 404
    made = alice.post(f"{PACKAGE}/reports", json={**REPORT, "version": "1.0.0"})
    assert (made.status_code, made.json()["version"]) == (201, "1.0.0")


def test_a_text_that_no_database_holds_is_refused_or_mended_and_never_a_fault(alice: Api) -> None:
    alice.publish(make_package())
    half = b'{"reason": "malware", "text": "\\ud800"}'
    refused = alice.post(f"{PACKAGE}/reports", content=half, headers={"Content-Type": "application/json"})
    assert (refused.status_code, refused.json()["code"]) == (422, "invalid_request")
    assert "unicode" in refused.json()["detail"]
    made = alice.post(f"{PACKAGE}/reports", json={**REPORT, "text": "a\x00b"})
    assert made.status_code == 201
    assert alice.get(f"/api/v1/reports/{made.json()['id']}").json()["text"] == "a\ufffdb"


def test_a_report_cannot_be_reopened_by_a_decision(api: Api, alice: Api) -> None:
    moda = api.sign_up("moda")
    alice.publish(make_package())
    path = f"/api/v1/reports/{alice.post(f'{PACKAGE}/reports', json=REPORT).json()['id']}/decision"
    for state in ("open", "", "closed"):
        assert moda.post(path, json={"state": state, "decision": "x"}).status_code == 422
    assert moda.post(path, json={"state": "acted", "decision": ""}).status_code == 422
    assert moda.post(path, json={"state": "acted", "decision": "quarantined"}).json()["state"] == "acted"


def test_the_log_is_public_and_has_pages(api: Api, alice: Api) -> None:
    moda = api.sign_up("moda")
    alice.publish(make_package())
    for change in ("quarantine", "unquarantine"):
        assert moda.post(f"{PACKAGE}/releases/1.0.0/{change}", json={"reason": change}).status_code == 200
    first = api.get("/api/v1/moderation/events?limit=1").json()
    second = api.get(f"/api/v1/moderation/events?limit=1&cursor={first['next']}").json()
    assert [page["items"][0]["action"] for page in (first, second)] == ["release", "quarantine"]
    for query in ("limit=0", "limit=101", "cursor=nonsense", "limit=x"):
        assert api.get(f"/api/v1/moderation/events?{query}").status_code == 422


def test_no_act_of_a_moderator_is_left_out_of_the_list_above(api: Api) -> None:
    changing = {
        route.path.removeprefix("/api/v1")
        for route in api.app.routes
        if isinstance(route, APIRoute) and route in router.routes and route.methods != {"GET"}
    }
    assert changing == {*ACTS, *FOR_EVERYBODY}


@pytest.mark.parametrize("by", ["token", "lapsed"])
def test_each_act_needs_a_password_that_was_just_typed_and_leaves_nothing_without(
    api: Api, alice: Api, bob: Api, services: Services, clock: FakeClock, by: str
) -> None:
    """By a token with the scope, and by a browser that was left open."""
    moda = api.sign_up("moda")
    alice.publish(make_package())
    report = bob.post(f"{PACKAGE}/reports", json=REPORT).json()["id"]
    case = bob.post(f"{PACKAGE}/releases/1.0.0/cases", json=WRONG).json()["id"]
    discussion = bob.post(f"{PACKAGE}/discussions", json={"title": "t", "text": "t"}).json()["id"]
    closed = bob.post(f"{PACKAGE}/discussions", json={"title": "u", "text": "u"}).json()["id"]
    assert bob.post(f"{PACKAGE}/discussions/{closed}/close", json={}).status_code == 200
    if by == "token":
        made = moda.post("/api/v1/tokens", json={"name": "bot", "scopes": ["moderate", "cases"]}).json()
        who, headers = moda.as_token(made["secret"]), dict[str, str]()
    else:
        proven = accounts.prove_password(services, "moda", PASSWORD)
        with services.database.writing() as session:
            secret = accounts.open_web_session(UnitOfWork(session, services), proven, "test")[1]
        clock.advance(16 * 60)
        who, headers = api, {"Cookie": f"verihub-session={secret}", "Origin": "http://hub.test"}
    assert who.get("/api/v1/reports", headers=headers).status_code == 200
    for path, body in ACTS.items():
        name = "mallory" if path.startswith("/accounts") else "small-sums"
        filled = path.format(report_id=report, owner="alice", name=name, version="1.0.0", case_id=case,
                             discussion_id=closed if path.endswith("reopen") else discussion, number=1)  # fmt: skip
        answer = who.post(f"/api/v1{filled}", json=body, headers=headers)
        assert (answer.status_code, answer.json()["code"]) == (403, "password_needed"), path
    assert api.get("/api/v1/moderation/events").json()["items"] == []
