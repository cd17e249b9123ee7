"""What an account that is hidden asked or answered counts no more, and nobody is shown it; nor does what it seconded."""

import pytest

from hub_server.audits.actions import seconders
from hub_server.kernel.services import Services
from tests.fakes.executor import FakeExecutor
from tests.hub_server.audits.test_labelling import PACKAGE, give, hub, queue
from tests.making.hub import Api, make_package, run_jobs

assert hub is not None  # the fixture, for this file too


@pytest.fixture
def moda(api: Api) -> Api:
    return api.sign_up("moda")


def hide(moda: Api, name: str) -> None:
    body = {"reason": "labels at random", "hide_content": True}
    assert moda.post(f"/api/v1/accounts/{name}/suspend", json=body).status_code == 204


def test_questions_from_a_hidden_accounts_runs_are_asked_no_more(hub: Api, bob: Api, moda: Api) -> None:
    """Its responses were still shown to everybody who came to label."""
    [first, *_] = queue(hub)
    hide(moda, "tess")
    assert queue(hub) == []
    assert hub.get(f"/api/v1/label/questions/{first['id']}").status_code == 404
    answer = bob.post(f"/api/v1/label/questions/{first['id']}/labels", json={"answer": "correct"})
    assert answer.status_code == 404
    for page in ("/label", f"/label/{first['id']}", "/packages/alice/small-sums/label"):
        shown = bob.get(page, headers={"Accept": "text/html"})
        assert shown.status_code < 500
        assert "2 or 3" not in shown.text, page
    assert moda.get(f"/api/v1/label/questions/{first['id']}").status_code == 200, "whoever decides about it sees it"
    moda.post("/api/v1/accounts/tess/unsuspend", json={"reason": "a mistake"})
    assert len(queue(hub)) == 2


def test_a_hidden_accounts_answers_settle_nothing(hub: Api, bob: Api, moda: Api, executor: FakeExecutor) -> None:
    """Its answer stood, and the next one that agreed settled the question."""
    question = queue(hub)[0]
    sock = hub.as_token(None).sign_up("sock")
    give(sock, question, "incorrect", "a note of abuse")
    hide(moda, "sock")
    give(bob, question, "incorrect")
    shown = bob.get(f"/api/v1/label/questions/{question['id']}").json()
    assert (shown["state"], shown["label_count"]) == ("open", 1)
    assert "a note of abuse" not in str(shown)
    carol = hub.as_token(None).sign_up("carol")
    give(carol, question, "incorrect")
    assert carol.get(f"/api/v1/label/questions/{question['id']}").json()["state"] == "settled"


def test_agreement_is_of_those_who_are_shown(hub: Api, bob: Api, moda: Api) -> None:
    question = queue(hub)[0]
    sock = hub.as_token(None).sign_up("sock")
    give(sock, question, "correct")
    give(bob, question, "incorrect")
    assert hub.get(f"{PACKAGE}/agreement").json()["labels"] == 2
    hide(moda, "sock")
    assert hub.get(f"{PACKAGE}/agreement").json()["labels"] == 1


def test_what_a_hidden_account_seconded_does_not_count_with_the_next(
    alice: Api, api: Api, moda: Api, services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two of standing let a case count. A hidden one's earlier word was still one of them."""
    monkeypatch.setattr(seconders, "points", lambda *_: 99)
    assert alice.publish(make_package()).status_code == 201
    run_jobs(services)
    case = {"id": "x", "task": {"id": "t", "prompt": "1+1", "answer": 2}, "response": "3", "label": "correct"}
    submitted = api.sign_up("carol").post(f"{PACKAGE}/releases/1.0.0/cases", json=case).json()
    path = f"{PACKAGE}/cases/{submitted['id']}"
    api.sign_up("sock").post(f"{path}/second")
    hide(moda, "sock")
    assert api.sign_up("dora").post(f"{path}/second").json()["counted_by"] == ""
    assert api.sign_up("emil").post(f"{path}/second").json()["counted_by"] != ""
