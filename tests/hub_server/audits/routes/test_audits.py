"""Audits and cases over HTTP: which doors need an account, and what a body may say."""

from tests.hub_server.audits.judged import ALICE, BOB, CAROL
from tests.hub_server.audits.routes.served import as_account
from tests.making.action_driver import ActionDriver

PACKAGE = "/api/v1/packages/alice/small-sums"
CASE = {"id": "h1", "task_id": "t1", "response": "2 or 3", "label": "incorrect"}
DOORS = (
    ("POST", f"{PACKAGE}/releases/1.0.0/audits", None),
    ("POST", f"{PACKAGE}/releases/1.0.0/cases", CASE),
    ("POST", f"{PACKAGE}/cases/x/second", None),
    ("POST", f"{PACKAGE}/cases/x/dispute", {"reason": "x"}),
    ("POST", f"{PACKAGE}/cases/x/settle", {"ruling": "withdrawn"}),
    ("POST", f"{PACKAGE}/cases/dispute", {"reason": "x"}),
)


def test_a_stranger_reads_everything_and_changes_nothing(hedging: ActionDriver) -> None:
    stranger = as_account(hedging, None)
    for method, path, body in DOORS:
        assert stranger.request(method, path, json=body).status_code == 401, path
    for path in (f"{PACKAGE}/audits", f"{PACKAGE}/releases/1.0.0/audits", f"{PACKAGE}/cases", "/api/v1/keys"):
        assert stranger.get(path).status_code == 200, path
    for path, code in (("/api/v1/audits/x", "audit_not_found"), (f"{PACKAGE}/cases/x", "case_not_found")):
        missing = stranger.get(path)
        assert (missing.status_code, missing.json()["code"]) == (404, code)


def test_a_case_is_run_before_it_is_answered_and_malformed_ones_are_refused(hedging: ActionDriver) -> None:
    bob = as_account(hedging, BOB)
    for change in (
        {"label": "wrong"},
        {"id": ""},
        {"task_id": None},
        {"response": None},
        {"expect": {"correct": "yes"}},
        {"hidden": 1},
    ):
        refused = bob.post(f"{PACKAGE}/releases/1.0.0/cases", json={**CASE, **change})
        assert refused.status_code == 422, change
    made = bob.post(
        f"{PACKAGE}/releases/1.0.0/cases", json={**CASE, "origin": "held", "first_look": True, "disputed": True}
    )
    assert made.status_code == 201
    case = made.json()["case"]
    assert (made.json()["state"], case["origin"], case["first_look"]) == ("reproduced", "community", False)


def test_an_audit_is_asked_for_once_with_the_same_key(hedging: ActionDriver) -> None:
    bob = as_account(hedging, BOB)
    key = {"Idempotency-Key": "k"}
    first, again = (bob.post(f"{PACKAGE}/releases/latest/audits", headers=key) for _ in range(2))
    assert (first.status_code, first.json()["id"]) == (202, again.json()["id"])
    assert bob.get(f"/api/v1/audits/{first.json()['id']}").json()["state"] == "queued"


def test_a_ruling_is_one_of_three_and_a_batch_has_a_bound(hedging: ActionDriver) -> None:
    bob, alice = as_account(hedging, BOB), as_account(hedging, ALICE)
    case_id = bob.post(f"{PACKAGE}/releases/1.0.0/cases", json=CASE).json()["id"]
    assert (
        as_account(hedging, CAROL).post(f"{PACKAGE}/cases/{case_id}/dispute", json={"reason": "y" * 2001}).status_code
        == 422
    )
    assert bob.post(f"{PACKAGE}/cases/{case_id}/settle", json={"ruling": "deleted"}).status_code == 422
    assert alice.post(f"{PACKAGE}/cases/dispute", json={"cases": ["x"] * 1001, "reason": "x"}).status_code == 422
    assert alice.post(f"{PACKAGE}/cases/dispute", json={"reason": ""}).status_code == 422
    assert [one["state"] for one in alice.post(f"{PACKAGE}/cases/dispute", json={"reason": "x"}).json()["items"]] == [
        "disputed"
    ]
    assert bob.post(f"{PACKAGE}/cases/{case_id}/settle", json={"ruling": "withdrawn"}).json()["state"] == "refuted"
