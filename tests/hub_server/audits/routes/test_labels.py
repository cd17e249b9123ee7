"""The labelling queue over HTTP: answers by accounts, others' answers after one's own, a case when people agree."""

from hub_server.catalog import actions as catalog
from tests.hub_server.audits.actions.test_labels import ask_about
from tests.hub_server.audits.judged import BOB, CAROL, SUMS
from tests.hub_server.audits.routes.served import as_account
from tests.making.action_driver import ActionDriver


def test_two_who_agree_make_a_case_that_the_second_is_shown(hedging: ActionDriver) -> None:
    path = f"/api/v1/label/questions/{ask_about(hedging)}/labels"
    bob, carol, stranger = (as_account(hedging, by) for by in (BOB, CAROL, None))
    assert stranger.post(path, json={"answer": "correct"}).status_code == 401
    first = bob.post(path, json={"answer": "incorrect", "note": "it hedges"})
    assert (first.status_code, first.json()["state"], first.json()["my_answer"]) == (201, "open", "incorrect")
    shown = stranger.get("/api/v1/label/next").json()
    assert (shown["left"], shown["item"]["labels"]) == (1, None)
    assert bob.get("/api/v1/label/next").json() == {"item": None, "left": 0}
    settled = carol.post(path, json={"answer": "incorrect"}).json()
    assert (settled["state"], settled["agreed_label"]) == ("settled", "incorrect")
    case = stranger.get(f"/api/v1/packages/{SUMS}/cases/{settled['case_id']}").json()
    assert (case["state"], case["submitted_by"]) == ("reproduced", "carol")
    assert stranger.get(f"/api/v1/packages/{SUMS}/agreement").json()["units"] == 1


def test_what_is_no_answer_is_refused_and_gathering_is_for_accounts(hedging: ActionDriver) -> None:
    path = f"/api/v1/label/questions/{ask_about(hedging)}/labels"
    bob, stranger = as_account(hedging, BOB), as_account(hedging, None)
    for body in ({}, {"answer": "perhaps"}, {"answer": "correct", "note": "x" * 2001}, {"answer": None}, []):
        assert bob.post(path, json=body).status_code == 422, body
    missing = bob.post("/api/v1/label/questions/none/labels", json={"answer": "correct"})
    assert (missing.status_code, missing.json()["code"]) == (404, "question_not_found")
    assert stranger.post(f"/api/v1/packages/{SUMS}/label/gather").status_code == 401
    asked = [bob.post(f"/api/v1/packages/{SUMS}/label/gather") for _ in range(2)]
    assert [one.status_code for one in asked] == [202, 202]
    assert asked[0].json() == asked[1].json()
    for query in ("limit=0", "cursor=x", "package=none"):
        assert stranger.get(f"/api/v1/label/questions?{query}").status_code in (404, 422), query


def test_who_asks_for_the_question_of_a_rollout_gets_it_or_the_reason(hedging: ActionDriver) -> None:
    bob = as_account(hedging, BOB)
    pin = {"package": SUMS, "version": "1.0.0", "digest": "sha256:0"}
    run = bob.post("/api/v1/runs", json={"name": "r", "packages": [pin]}).json()["id"]
    rows = [{"step": 1, "package": SUMS, "task_id": "t1", "response": text, "rewards": {}} for text in ("2 or 3", "2")]
    assert bob.post(f"/api/v1/runs/{run}/rollouts", json={"items": rows}).status_code == 200
    asked, other = (one["id"] for one in bob.get(f"/api/v1/runs/{run}/rollouts").json()["items"])
    stored = hedging.ask(BOB, catalog.find_task, SUMS, "1.0.0", "t1").model_dump(mode="json")
    question = ask_about(hedging, task=stored)
    assert bob.get(f"/api/v1/runs/{run}/rollouts/{asked}/question").json()["id"] == question
    for path, code in ((f"{run}/rollouts/{other}", "question_not_found"), (f"{run}/rollouts/0", "run_not_found")):
        refused = bob.get(f"/api/v1/runs/{path}/question")
        assert (refused.status_code, refused.json()["code"]) == (404, code)
