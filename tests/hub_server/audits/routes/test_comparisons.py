"""Comparisons over HTTP: asked for by accounts, read by all, and words for what was not compared yet."""

from tests.hub_server.audits.judged import ALICE, BOB, SUMS
from tests.hub_server.audits.routes.served import as_account
from tests.making.action_driver import ActionDriver

PAIR = {"left": SUMS, "right": "alice/other"}


def test_a_comparison_is_asked_for_by_accounts_and_read_by_all(hedging: ActionDriver) -> None:
    hedging.publish(ALICE, "alice/other")
    stranger, bob = as_account(hedging, None), as_account(hedging, BOB)
    assert stranger.post("/api/v1/comparisons", json=PAIR).status_code == 401
    missing = stranger.get("/api/v1/comparisons", params=PAIR)
    assert (missing.status_code, missing.json()["code"]) == (404, "comparison_not_found")
    assert "POST /comparisons" in missing.json()["detail"]
    made = bob.post("/api/v1/comparisons", json=PAIR)
    assert (made.status_code, made.json()["state"]) == (202, "queued")
    assert stranger.get("/api/v1/comparisons", params=PAIR).json()["id"] == made.json()["id"]
    assert stranger.get(f"/api/v1/comparisons/{made.json()['id']}").status_code == 200
    assert stranger.get("/api/v1/comparisons/none").status_code == 404
    assert stranger.get("/api/v1/packages/alice/small-sums/releases/latest/neighbours").json() == {"items": []}


def test_malformed_questions_are_refused(hedging: ActionDriver) -> None:
    bob = as_account(hedging, BOB)
    for body in (
        {"left": SUMS},
        {**PAIR, "left": "x" * 301},
        {**PAIR, "again": "perhaps"},
        {**PAIR, "extra": 1},
        [],
        {"left": SUMS, "right": SUMS},
    ):
        assert bob.post("/api/v1/comparisons", json=body).status_code == 422, body
    for query in ("", "left=alice/x", "left=%00&right=%00", "left=//&right=//"):
        assert bob.get(f"/api/v1/comparisons?{query}").status_code in (404, 422), query
