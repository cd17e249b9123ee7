"""A stranger's counter-example can break nothing: it is refused, or shown; and a moderator can hide it."""

from typing import Any

import pytest
from sqlalchemy import update

from hub_server.audits.actions import quotas
from hub_server.audits.models import CounterExampleRow
from hub_server.kernel.services import Services
from hub_server.site.rendering.texts import answer_text, expected_text, prompt_text, setting_text
from schemas.evidence.cases import AuditCase
from schemas.evidence.standing import Quotas
from schemas.texts import json_text
from tests.fakes.executor import FakeExecutor
from tests.making.hub import Api, make_package, run_jobs

PACKAGE = "/api/v1/packages/alice/small-sums"
PAGES = ("/", "/packages/alice/small-sums/releases/1.0.0/cases", "/packages/alice/small-sums/releases/1.0.0/audit")
SOUND = {"id": "x", "task": {"prompt": "1+1?", "answer": 2}, "response": "7", "label": "correct"}
CIRCLE: list[Any] = []
CIRCLE.append(CIRCLE)
deep: Any = "end"
for _ in range(5000):
    deep = [deep]


@pytest.fixture
def moda(api: Api) -> Api:
    return api.sign_up("moda")


def submit(api: Api, case: object) -> Any:
    return api.post(f"{PACKAGE}/releases/1.0.0/cases", json=case)


@pytest.mark.parametrize(
    "part",
    [
        {"task": {"prompt": {"a": 1}, "answer": 1}},
        {"task": {"prompt": [1, 2], "answer": 1}},
        {"task": {"prompt": [{"role": "user", "content": [1, None]}], "answer": 1}},
        {"task": {"id": ["x"], "prompt": "p", "answer": 1}},
        {"task": {"prompt": "p", "tags": {"a": 1}}},
        {"response": None, "messages": [{"content": [1, None]}]},
        {"response": None, "messages": [{"role": "assistant", "content": [1, None]}]},
        {"response": None, "messages": [{"role": 7, "content": "x"}]},
    ],
)
def test_a_case_whose_task_or_messages_have_no_sound_shape_is_refused(
    alice: Api, bob: Api, services: Services, part: dict[str, Any]
) -> None:
    alice.publish(make_package())
    run_jobs(services)
    answer = submit(bob, {**SOUND, **part})
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid_case")


@pytest.mark.parametrize(
    "text", ['"answer": NaN', '"answer": 1e999', '"answer": "\\ud800"', '"info": {"a": [-Infinity]}']
)
def test_a_case_that_json_cannot_hold_is_refused(alice: Api, bob: Api, services: Services, text: str) -> None:
    alice.publish(make_package())
    body = f'{{"id": "x", "task": {{"prompt": "p", {text}}}, "response": "7", "label": "correct"}}'
    answer = bob.post(
        f"{PACKAGE}/releases/1.0.0/cases", content=body.encode(), headers={"Content-Type": "application/json"}
    )
    assert answer.status_code == 422


@pytest.mark.parametrize(
    "stored",
    [
        {**SOUND, "task": {"prompt": {"a": 1}, "answer": 1}},
        {**SOUND, "task": {"prompt": [1, {"content": [1, None]}]}},
        {**SOUND, "task": {"prompt": "p", "answer": "\ud800"}},
        {**SOUND, "response": "\ud800"},
        {**SOUND, "response": None, "messages": [{"content": [1, None]}]},
        {**SOUND, "response": None, "messages": [{}]},
        {"label": "correct"},
    ],
)
def test_a_bad_row_of_an_older_hub_breaks_neither_pages_nor_lists_nor_audits(
    alice: Api, bob: Api, moda: Api, services: Services, stored: dict[str, Any]
) -> None:
    alice.publish(make_package())
    run_jobs(services)
    bad = submit(bob, SOUND).json()["id"]
    good = submit(bob, {**SOUND, "task": {"prompt": "2+2?", "answer": 4}, "response": "5"}).json()["id"]
    with services.database.writing() as session:
        session.execute(update(CounterExampleRow).where(CounterExampleRow.id == bad).values(case=stored))
    for page in PAGES:
        for who in (bob, moda):
            assert who.get(page, headers={"accept": "text/html"}).status_code == 200, page
    assert good in [case["id"] for case in bob.get(f"{PACKAGE}/cases").json()["items"]]
    assert bob.get(f"{PACKAGE}/cases/{bad}").status_code in (200, 404)
    alice.publish(make_package(version="1.1.0"))
    run_jobs(services)
    assert alice.get(f"{PACKAGE}/releases/1.1.0/audits").json()["items"][0]["state"] == "done"


@pytest.mark.parametrize(
    "value",
    [None, 1, 1.5, True, "text", [], {}, [1, None], {"prompt": {"a": 1}}, {"prompt": [1, [2], {"content": {"x": 1}}]},
     {"prompt": None, "answer": [1]}, {"content": [{"text": 1}, {"type": 2}, None]}, {"answer": {"b": [None]}}, deep,
     {"prompt": deep, "answer": deep}, CIRCLE],
    ids=lambda value: type(value).__name__,
)  # fmt: skip
def test_text_for_people_can_be_made_of_any_json(value: Any) -> None:
    for function in (prompt_text, expected_text, json_text, setting_text):
        assert isinstance(function(value), str)
    case = AuditCase.model_construct(response=None, messages=[value], files=None, state=None)
    assert isinstance(answer_text(case), str)


def test_an_account_adds_only_so_many_cases_to_a_release(
    alice: Api, bob: Api, services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every case is run again by every later audit: without a limit one account can make them last for days."""
    few = Quotas(waiting=9, cases=2, labels=9, words=9)
    monkeypatch.setattr(quotas, "quotas_by_rank", lambda _: dict.fromkeys(("new", "standing", "trusted"), few))
    alice.publish(make_package())
    run_jobs(services)
    answers = [submit(bob, {**SOUND, "response": f"number {k}"}) for k in range(3)]
    assert [answer.status_code for answer in answers] == [201, 201, 409]
    assert answers[-1].json()["code"] == "case_limit"
    assert submit(alice, {**SOUND, "response": "mine"}).status_code == 201
    alice.publish(make_package(version="1.1.0"))
    answer = bob.post(f"{PACKAGE}/releases/1.1.0/cases", json={**SOUND, "response": "another"})
    assert answer.status_code == 201


def test_a_moderator_hides_a_case_and_shows_it_again(
    alice: Api, bob: Api, moda: Api, services: Services, executor: FakeExecutor, clock: Any
) -> None:
    alice.publish(make_package())
    run_jobs(services)
    case = submit(bob, {**SOUND, "response": "insulting words"}).json()
    assert case["state"] == "reproduced"
    path = f"{PACKAGE}/cases/{case['id']}"
    assert bob.post(f"{path}/hide", json={"reason": "x"}).status_code == 403
    assert moda.post(f"{path}/hide", json={"reason": " "}).status_code == 422
    assert moda.post(f"{path}/hide", json={"reason": "an insult"}).json()["hidden_reason"] == "an insult"
    assert bob.get(path).status_code == 404
    assert bob.get(f"{PACKAGE}/cases").json()["items"] == []
    assert bob.get(f"{PACKAGE}/cases").json()["facets"]["state"] == {}
    assert "insulting" not in bob.get("/", headers={"accept": "text/html"}).text
    assert [one["id"] for one in moda.get(f"{PACKAGE}/cases").json()["items"]] == [case["id"]]
    (event,) = bob.get("/api/v1/moderation/events").json()["items"]
    assert (event["action"], event["case_id"], event["reason"]) == ("hide_case", case["id"], "an insult")

    clock.advance(60)
    run_jobs(services)  # measured again without it
    assert alice.get(f"{PACKAGE}/releases/1.0.0/audits").json()["items"][0]["report"]["overall"]["fn"] == 0

    assert moda.post(f"{path}/show", json={"reason": "it was a quotation"}).json()["hidden_reason"] is None
    assert bob.get(path).status_code == 200


def test_an_owner_who_moderates_hides_no_case_of_their_own_verifier(
    api: Api, bob: Api, moda: Api, services: Services
) -> None:
    moda.publish(make_package("moda/small-sums"))
    run_jobs(services)
    base = "/api/v1/packages/moda/small-sums"
    case = bob.post(f"{base}/releases/1.0.0/cases", json=SOUND).json()
    assert moda.post(f"{base}/cases/{case['id']}/hide", json={"reason": "I dislike it"}).status_code == 403


def test_a_moderators_page_has_the_button(alice: Api, bob: Api, moda: Api, services: Services) -> None:
    alice.publish(make_package())
    run_jobs(services)
    case = submit(bob, SOUND).json()
    page = "/packages/alice/small-sums/releases/1.0.0/cases"
    assert "Hide this case" in moda.get(page, headers={"accept": "text/html"}).text
    assert "Hide this case" not in bob.get(page, headers={"accept": "text/html"}).text
    answer = moda.post(
        f"/packages/alice/small-sums/cases/{case['id']}/hide",
        data={"reason": "an insult", "act": "begin"},
        headers={"accept": "text/html"},
    )
    assert answer.status_code == 303
    assert bob.get(f"{PACKAGE}/cases").json()["items"] == []
