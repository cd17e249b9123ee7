"""The labelling queue: what verifiers leave open is asked, agreed answers become cases, nobody is led."""

import math
from typing import Any

import pytest

from hub_server.audits.rules.uncertainty import (
    Annotator,
    acceptance_of,
    agreed_label,
    annotator_of,
    entropy_left,
    is_contested,
    person_as_annotator,
)
from hub_server.kernel.services import Services
from schemas.evidence.rates import Measurement, Rate
from schemas.manifest import RewardDeclaration
from schemas.verdict import Verdict
from tests.fakes.executor import FakeExecutor
from tests.making.hub import Api, make_package, run_jobs
from tests.making.kept_hub import HubKeeper

PACKAGE = "/api/v1/packages/alice/small-sums"


def judge(version: str, task: dict[str, Any], response: str | None) -> Verdict:
    """1.0.0 accepts a hedge, and narrowly a word; 1.1.0 and later do neither."""
    text = (response or "").strip()
    if text == "two":
        return Verdict(rewards={"correct": 0.55 if version == "1.0.0" else 0.0})
    right = text == str(task["answer"]) or (version == "1.0.0" and text.startswith(f"{task['answer']} or"))
    return Verdict(rewards={"correct": float(right)})


def rollout(response: str, **more: Any) -> dict[str, Any]:
    return {"step": 3, "package": "alice/small-sums", "task_id": "t1", "response": response, **more}


def log_run(trainer: Api, rollouts: list[dict[str, Any]], *, version: str = "1.0.0") -> str:
    release = trainer.get(f"{PACKAGE}/releases/{version}").json()
    pin = {"package": "alice/small-sums", "version": version, "digest": release["digest"]}
    run = trainer.post("/api/v1/runs", json={"name": "grpo", "packages": [pin]}).json()
    assert trainer.post(f"/api/v1/runs/{run['id']}/rollouts", json={"items": rollouts}).status_code == 200
    assert trainer.request("PATCH", f"/api/v1/runs/{run['id']}", json={"state": "finished"}).status_code == 200
    return run["id"]


@pytest.fixture
def hub(keeper: HubKeeper, alice: Api, api: Api, services: Services, executor: FakeExecutor) -> Api:
    """alice/small-sums 1.0.0 and 1.1.0, and a run of tess on 1.0.0: one hedge, one right, one wrong, one near call."""
    executor.judge_call = judge
    keeper.bring("a run with calls to label", services, lambda: log_calls(alice, api, services), alice=alice)
    return api


def log_calls(alice: Api, api: Api, services: Services) -> None:
    for version in ("1.0.0", "1.1.0"):
        assert alice.publish(make_package(version=version)).status_code == 201
        run_jobs(services)
    hedge, right, wrong = (
        rollout(text, rewards={"correct": value}) for text, value in (("2 or 3", 1.0), ("2", 1.0), ("7", 0.0))
    )
    near = rollout("two", rewards={"correct": 0.55})
    log_run(api.sign_up("tess"), [hedge, hedge, right, wrong, near])
    services.clock.advance(10)
    run_jobs(services)


def queue(api: Api) -> list[dict[str, Any]]:
    return api.get("/api/v1/label/questions").json()["items"]


def give(api: Api, question: dict[str, Any], answer: str, note: str = "") -> dict[str, Any]:
    found = api.post(f"/api/v1/label/questions/{question['id']}/labels", json={"answer": answer, "note": note})
    assert found.status_code == 201, found.text
    return found.json()


def test_only_what_verifiers_leave_open_is_asked_and_each_response_once(hub: Api) -> None:
    found = queue(hub)
    assert [question["response"] for question in found] == ["2 or 3", "two"]
    hedge = found[0]
    assert {verdict["by"]: verdict["accepted"] for verdict in hedge["verdicts"]} == {
        "alice/small-sums@1.0.0": True,
        "alice/small-sums@1.1.0": False,
    }
    assert hedge["bits"] > 0.9
    assert (hedge["step"], hedge["task"]["answer"]) == (3, 2)


def test_a_held_out_verifier_that_parts_from_the_one_in_the_loop_is_a_question(
    alice: Api, api: Api, services: Services, executor: FakeExecutor, clock: Any
) -> None:
    executor.judge_call = judge
    alice.publish(make_package(version="1.1.0"))
    run_jobs(services)
    log_run(alice, [rollout("2", rewards={"correct": 1.0}, held_out={"correct": 0.0})], version="1.1.0")
    clock.advance(10)
    run_jobs(services)
    assert [verdict["accepted"] for verdict in queue(api)[0]["verdicts"]] == [False, True]


def test_a_generated_task_is_made_again_for_the_question(
    alice: Api, api: Api, services: Services, executor: FakeExecutor, clock: Any
) -> None:
    executor.judge_call = judge
    manifest = (
        'format = 1\nid = "alice/small-sums"\nkind = "environment"\ntasks = { test = "alice_small_sums:generate" }\n'
        'verifier = "alice_small_sums:verify"\n[rewards.correct]\ndescription = "right"\n'
    )
    for version in ("1.0.0", "1.1.0"):
        answer = alice.publish(make_package(version=version, manifest=manifest))
        assert answer.status_code == 201, answer.text
        run_jobs(services)
    log_run(alice, [rollout("9 or 8", task_id="test-4-5", rewards={"correct": 1.0})])
    clock.advance(10)
    run_jobs(services)
    assert queue(api)[0]["task"] == {"id": "test-4-5", "prompt": "5+4?", "answer": 9}


def test_others_labels_are_hidden_until_one_has_answered(hub: Api, bob: Api, alice: Api) -> None:
    question = queue(hub)[0]
    mine = give(bob, question, "incorrect", "it hedges")
    assert [label["labelled_by"] for label in mine["labels"]] == ["bob"]
    seen_by_carol = hub.sign_up("carol").get(f"/api/v1/label/questions/{question['id']}").json()
    assert seen_by_carol["labels"] is None
    assert seen_by_carol["label_count"] == 1
    assert "hedges" not in hub.get(f"/label/{question['id']}").text


def test_two_people_who_agree_make_a_case_that_is_executed_at_once(
    hub: Api, bob: Api, alice: Api, services: Services, clock: Any
) -> None:
    question = queue(hub)[1]  # "two": the newest release rejects it
    give(bob, question, "correct", "it is a numeral")
    settled = give(hub.sign_up("carol"), question, "correct")
    assert (settled["state"], settled["agreed_label"]) == ("settled", "correct")
    case = hub.get(f"{PACKAGE}/cases/{settled['case_id']}").json()
    assert (case["state"], case["case"]["label"]) == ("reproduced", "correct")
    assert case["verdicts"] == {"1.1.0": {"correct": 0.0}}
    assert case["case"]["note"] == "it is a numeral (bob)"
    assert case["case"]["source"].startswith("run ")
    assert [(event["what"], event["by"], event["reason"]) for event in case["history"]] == [
        ("labelled", "carol", "agreed by bob, carol")
    ]
    assert [one["response"] for one in queue(hub)] == ["2 or 3"]
    assert case["counted_by"] == "", "two fresh accounts agree: run and shown, but it counts for nothing yet"
    alice.post(f"{PACKAGE}/cases/{case['id']}/second")
    clock.advance(10)
    run_jobs(services)
    report = hub.get(f"{PACKAGE}/releases/1.1.0/audits").json()["items"][0]["report"]
    assert report["overall"]["fn"] == 1


def test_a_settled_question_whose_request_was_cut_off_still_becomes_a_case(
    hub: Api, bob: Api, services: Services, executor: FakeExecutor, clock: Any
) -> None:
    question = queue(hub)[1]
    give(bob, question, "correct")

    def cut_off(_version: str, _task: dict[str, Any], _response: str | None) -> Verdict:
        raise RuntimeError("the process was killed here")

    executor.judge_call = cut_off
    carol = hub.sign_up("carol")
    body = {"answer": "correct"}
    assert carol.post(f"/api/v1/label/questions/{question['id']}/labels", json=body).status_code == 500
    executor.judge_call = judge
    assert carol.get(f"/api/v1/label/questions/{question['id']}").json()["case_id"] is None
    clock.advance(120)
    run_jobs(services)
    case_id = carol.get(f"/api/v1/label/questions/{question['id']}").json()["case_id"]
    case = hub.get(f"{PACKAGE}/cases/{case_id}").json()
    assert (case["state"], case["submitted_by"]) == ("reproduced", "carol")
    clock.advance(120)
    run_jobs(services)
    assert len(hub.get(f"{PACKAGE}/cases").json()["items"]) == 1


def test_an_agreed_case_that_the_verifier_gets_right_holds_and_a_release_that_loses_it_is_held_back(
    hub: Api, bob: Api, alice: Api, services: Services, executor: FakeExecutor, clock: Any
) -> None:
    question = queue(hub)[0]  # the hedge: 1.1.0 rejects it, rightly
    give(bob, question, "incorrect")
    case_id = give(hub.sign_up("carol"), question, "incorrect")["case_id"]
    assert hub.get(f"{PACKAGE}/cases/{case_id}").json()["state"] == "agreed"
    alice.post(f"{PACKAGE}/cases/{case_id}/second")
    executor.judge_call = lambda version, task, response: judge("1.0.0", task, response)
    clock.advance(10)
    alice.publish(make_package(version="1.2.0"))
    run_jobs(services)
    release = hub.get(f"{PACKAGE}/releases/1.2.0").json()
    assert case_id in release["blocked_from_latest"]
    assert hub.get(PACKAGE).json()["card"]["latest"] == "1.1.0"
    assert "Held back from" in hub.get("/packages/alice/small-sums/releases/1.2.0").text


def test_the_owners_labels_settle_nothing_and_cannot_tell_is_no_label(hub: Api, bob: Api, alice: Api) -> None:
    question = queue(hub)[0]
    give(bob, question, "incorrect")
    assert give(alice, question, "incorrect")["state"] == "open"
    assert give(hub.sign_up("carol"), question, "unsure")["state"] == "open"
    assert give(hub.sign_up("dora"), question, "incorrect")["state"] == "settled"


def test_a_second_answer_replaces_the_first_which_stays_on_record(hub: Api, bob: Api) -> None:
    question = queue(hub)[0]
    give(bob, question, "correct")
    labels = give(bob, question, "incorrect")["labels"]
    assert [(label["answer"], label["counts"]) for label in labels] == [("correct", False), ("incorrect", True)]


def test_a_label_lowers_a_questions_priority_and_the_next_is_another(hub: Api, bob: Api) -> None:
    first = bob.get("/api/v1/label/next").json()
    assert (first["item"]["response"], first["left"]) == ("2 or 3", 2)
    give(bob, first["item"], "incorrect")
    second = bob.get("/api/v1/label/next?package=alice/small-sums").json()
    assert (second["item"]["response"], second["left"]) == ("two", 1)
    assert [one["response"] for one in queue(hub)] == ["two", "2 or 3"]


def test_agreement_is_shown_on_the_audit_page_with_people_and_units(hub: Api, bob: Api) -> None:
    people = [bob, *(hub.sign_up(name) for name in ("carol", "dora"))]
    hedge, near = queue(hub)
    for person, answers in zip(
        people, (("incorrect", "correct"), ("correct", "correct"), ("unsure", "incorrect")), strict=True
    ):
        for question, answer in zip((hedge, near), answers, strict=True):
            give(person, question, answer)
    found = hub.get(f"{PACKAGE}/agreement").json()
    assert (found["annotators"], found["units"], found["labels"]) == (3, 2, 5)
    assert found["alpha"] is not None
    page = hub.get("/packages/alice/small-sums/releases/1.1.0/audit").text
    assert "Krippendorff’s α" in page
    assert "/packages/alice/small-sums/label" in page


def test_the_page_asks_one_at_a_time_and_goes_on(hub: Api) -> None:
    strangers = hub.get("/label").text
    assert "You are not signed in" in strangers
    assert "2 or 3" in strangers
    bob = hub.sign_up("bob")
    page = bob.get("/label").text
    assert "2 or 3" in page
    assert "2 questions wait for you" in page.replace("\u00a0", " ")
    question = queue(hub)[0]
    gone_on = bob.post(
        f"/label/{question['id']}", data={"answer": "incorrect", "note": "x", "back": "alice/small-sums"}
    )
    assert gone_on.status_code == 303
    assert gone_on.headers["location"].startswith("/packages/alice/small-sums/label?answered=")
    following = bob.get(gone_on.headers["location"]).text
    assert "bob said wrong" in following
    assert ">two<" in following


def test_skipping_shows_the_one_after(hub: Api, bob: Api) -> None:
    first = queue(hub)[0]
    assert ">two<" in bob.get(f"/label?skip={first['id']}").text


def test_a_quarantined_packages_questions_wait_out_of_sight(hub: Api, bob: Api) -> None:
    moda = hub.sign_up("moda")
    for version in ("1.0.0", "1.1.0"):
        reason = {"reason": "under review"}
        assert moda.post(f"{PACKAGE}/releases/{version}/quarantine", json=reason).status_code == 200
    assert queue(hub) == []
    assert bob.get("/api/v1/label/next").json() == {"item": None, "left": 0}
    assert "No question waits for you" in bob.get("/label?answered=nothing").text


def test_what_cannot_be_is_refused(hub: Api, bob: Api) -> None:
    assert bob.get("/api/v1/label/questions/none").json()["code"] == "question_not_found"
    assert bob.post("/api/v1/label/questions/none/labels", json={"answer": "correct"}).status_code == 404
    question = queue(hub)[0]
    assert bob.post(f"/api/v1/label/questions/{question['id']}/labels", json={"answer": "maybe"}).status_code == 422
    assert hub.post(f"/api/v1/label/questions/{question['id']}/labels", json={"answer": "correct"}).status_code == 401
    assert hub.post(f"{PACKAGE}/label/gather").status_code == 401
    assert bob.post(f"{PACKAGE}/label/gather").status_code == 202


def test_gathering_again_asks_nothing_twice_and_brings_newer_verdicts(
    hub: Api, bob: Api, alice: Api, services: Services, clock: Any
) -> None:
    alice.publish(make_package(version="1.3.0"))
    run_jobs(services)
    clock.advance(10)
    run_jobs(services)
    assert [question["response"] for question in queue(hub)] == ["2 or 3", "two"]
    assert "alice/small-sums@1.3.0" in {verdict["by"] for verdict in queue(hub)[0]["verdicts"]}


def test_a_question_that_verifiers_settle_among_themselves_goes(
    hub: Api, bob: Api, alice: Api, services: Services, executor: FakeExecutor, clock: Any
) -> None:
    give(bob, queue(hub)[0], "incorrect")
    executor.judge_call = lambda _version, task, response: judge("2", task, response)  # all releases agree now
    clock.advance(10)
    bob.post(f"{PACKAGE}/label/gather")
    clock.advance(10)
    run_jobs(services)
    assert [question["response"] for question in queue(hub)] == ["2 or 3"]  # somebody has spent time on this one


SCORE = RewardDeclaration()
STEEP = RewardDeclaration(range=(-1.0, 3.0), threshold=1.0)


@pytest.mark.parametrize(
    ("rewards", "declared", "acceptance"),
    [
        ({"a": 1.0}, {"a": SCORE}, 1.0),
        ({"a": 0.5}, {"a": SCORE}, 0.5),
        ({"a": 0.25}, {"a": SCORE}, 0.25),
        ({"a": 2.0}, {"a": STEEP}, 0.75),
        ({"a": 0.0}, {"a": STEEP}, 0.25),
        ({"a": 1.0, "b": 0.0}, {"a": SCORE, "b": RewardDeclaration(role="gate")}, 0.0),
        ({"a": 1.0, "b": 0.0}, {"a": SCORE, "b": RewardDeclaration(role="metric")}, 1.0),
        ({"a": None}, {"a": SCORE}, None),
        ({}, {}, None),
    ],
)
def test_the_weakest_deciding_reward_says_how_clearly_a_verdict_accepts(rewards, declared, acceptance) -> None:
    assert acceptance_of(Verdict(rewards=rewards), declared) == acceptance


def measured(tp: int, fn: int, fp: int, tn: int) -> Measurement:
    unknown = Rate(value=None, low=0, high=1)
    return Measurement(tp=tp, fn=fn, fp=fp, tn=tn, unscored=0, fpr=unknown, fnr=unknown)


def test_verifiers_of_equal_worth_that_part_leave_a_whole_bit() -> None:
    assert entropy_left([Annotator(1.0), Annotator(0.0)]) == 1.0
    assert entropy_left([]) == 1.0
    assert entropy_left([Annotator(1.0), Annotator(None)]) == pytest.approx(0.7219, abs=1e-4)  # 80 %: H(0.8)


def test_the_dissent_of_a_poor_verifier_opens_little() -> None:
    good = annotator_of(1.0, measured(500, 2, 2, 500))
    poor = annotator_of(0.0, measured(13, 187, 7, 193))  # rejects nearly everything
    assert entropy_left([good, poor]) < 0.1
    assert entropy_left([good, annotator_of(0.0, measured(500, 2, 2, 500))]) == 1.0


def test_near_its_threshold_a_verdict_says_little() -> None:
    assert entropy_left([Annotator(0.55)]) > 0.99
    assert entropy_left([Annotator(0.55)]) > entropy_left([Annotator(0.7)]) > entropy_left([Annotator(1.0)])


def test_releases_of_one_package_speak_with_one_voice() -> None:
    alone = entropy_left([Annotator(1.0)])
    assert entropy_left([Annotator(1.0, share=0.5), Annotator(1.0, share=0.5)]) == pytest.approx(alone)


def test_the_bits_are_those_of_bayes_rule() -> None:
    """Two independent verifiers accept, by hand: 0.9·0.7 / (0.9·0.7 + 0.1·0.4) = 0.9403."""
    bits = entropy_left([Annotator(1.0, 0.9, 0.1), Annotator(1.0, 0.7, 0.4)])
    chance = 0.63 / 0.67
    assert bits == pytest.approx(-chance * math.log2(chance) - (1 - chance) * math.log2(1 - chance))


def test_two_labels_that_part_open_a_question_again() -> None:
    verdicts = [Annotator(1.0), Annotator(0.0)]
    one = entropy_left([*verdicts, person_as_annotator("correct")])
    assert one == pytest.approx(0.469, abs=1e-3)
    assert entropy_left([*verdicts, person_as_annotator("correct"), person_as_annotator("incorrect")]) == pytest.approx(
        1.0
    )
    assert entropy_left([*verdicts, person_as_annotator("unsure")]) == 1.0


@pytest.mark.parametrize(
    ("acceptances", "contested"),
    [([1.0, 0.0], True), ([1.0, 0.9], False), ([0.0, None], False), ([0.6], True), ([None], False), ([0.5, 0.4], True)],
)
def test_only_what_is_contested_is_asked(acceptances: list[float | None], contested: bool) -> None:
    assert is_contested(acceptances) is contested


def test_a_label_must_lead() -> None:
    assert agreed_label({"a": "correct"}, 2) is None
    assert agreed_label({"a": "correct", "b": "incorrect", "c": "correct"}, 2) is None
    assert agreed_label({"a": "correct", "b": "unsure", "c": "correct"}, 2) == "correct"
