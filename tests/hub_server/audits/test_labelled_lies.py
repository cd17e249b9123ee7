"""Two accounts of standing that label the responses of a run as they like: their word alone moves no rate."""

from typing import Any

import pytest
from sqlalchemy import text

from hub_server.audits.actions import standing
from hub_server.kernel.services import Services
from hub_server.kernel.unit_of_work import UnitOfWork
from tests.fakes.executor import FakeExecutor
from tests.hub_server.audits.test_labelling import PACKAGE, give, judge, log_run, queue, rollout
from tests.making.hub import Api, make_package, run_jobs

RIGHT = ["2" + " " * number for number in range(12)]
"""One right answer, as twelve responses that the verifier accepts."""


def measured(services: Services, clock: Any) -> None:
    clock.advance(60)
    run_jobs(services)


def report(api: Api) -> dict[str, Any]:
    return api.get(f"{PACKAGE}/releases/1.1.0/audits").json()["items"][0]["report"]


def case_of(api: Api, case_id: str) -> dict[str, Any]:
    return api.get(f"{PACKAGE}/cases/{case_id}").json()


@pytest.fixture
def lies(
    alice: Api,
    bob: Api,
    services: Services,
    executor: FakeExecutor,
    clock: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> list[str]:
    """Cases by bob and carol: twelve right answers of tess's run, labelled wrong."""
    monkeypatch.setattr(standing, "points", lambda *_: 99)
    executor.judge_call = judge
    assert alice.publish(make_package(version="1.1.0")).status_code == 201
    run_jobs(services)
    tess, carol = (alice.as_token(None).sign_up(name) for name in ("tess", "carol"))
    log_run(tess, [rollout(one, rewards={"correct": 1.0}, held_out={"correct": 0.0}) for one in RIGHT], version="1.1.0")
    measured(services, clock)
    settled = []
    for question in queue(carol):
        give(bob, question, "incorrect")
        settled.append(give(carol, question, "incorrect")["case_id"])
    measured(services, clock)
    assert len(settled) == len(RIGHT)
    return settled


def test_more_errors_than_the_other_evidence_explains_wait_and_are_said_to(alice: Api, lies: list[str]) -> None:
    found = report(alice)
    assert (found["overall"]["fp"], found["slices"]["origin:reported"]["fp"]) == (0, 12)
    assert "Of 12 rollouts that people labelled wrong, it accepts 12" in found["grading"]["waiting"][0]
    case = case_of(alice, lies[0])
    assert (case["counted_by"], case["corroborated_by"], case["waits"]) == ("labels", "", True)
    page = alice.get("/packages/alice/small-sums/releases/1.1.0/audit", headers={"Accept": "text/html"}).text
    assert "Labels that wait" in page
    shown = alice.get("/packages/alice/small-sums/releases/1.1.0/cases", headers={"Accept": "text/html"}).text
    assert "Counts in the rates" not in shown
    assert "Waits: too many like it" in shown


def test_a_moderator_confirms_as_many_as_are_too_many_and_all_count(
    alice: Api, api: Api, lies: list[str], services: Services, clock: Any
) -> None:
    """Its own two cases explain nine of twelve."""
    moda = api.as_token(None).sign_up("moda")
    counted = []
    for case_id in lies[:3]:
        assert moda.post(f"{PACKAGE}/cases/{case_id}/second").json()["counted_by"] == "moderator"
        measured(services, clock)
        counted.append(report(alice)["overall"]["fp"])
    assert counted == [1, 2, 12]
    assert case_of(alice, lies[-1])["waits"] is False
    assert not report(alice)["grading"].get("waiting")


def test_the_owner_confirms_a_label_that_counts_already(
    alice: Api, lies: list[str], services: Services, clock: Any
) -> None:
    """The word of two accounts of standing hid the owner's, and the case went on waiting."""
    seconded = alice.post(f"{PACKAGE}/cases/{lies[0]}/second").json()
    assert (seconded["counted_by"], seconded["corroborated_by"]) == ("labels", "owner")
    measured(services, clock)
    assert report(alice)["overall"]["fp"] == 1
    assert [event["what"] for event in case_of(alice, lies[0])["history"]][-2:] == ["seconded", "corroborated"]


def test_a_moderator_among_those_who_label_confirms(
    alice: Api, api: Api, lies: list[str], services: Services, clock: Any
) -> None:
    """Of those who label a response beside twelve that wait."""
    tess, bob, moda = (api.as_token(None).sign_up(name) for name in ("ada", "bea", "moda"))
    log_run(tess, [rollout("\t2", rewards={"correct": 1.0}, held_out={"correct": 0.0})], version="1.1.0")
    measured(services, clock)
    [question] = [one for one in queue(moda) if one["response"] == "\t2"]
    give(bob, question, "incorrect")
    case = case_of(alice, give(moda, question, "incorrect")["case_id"])
    assert (case["counted_by"], case["corroborated_by"]) == ("labels", "moderator")


def test_what_waits_holds_no_release_back(
    alice: Api, lies: list[str], services: Services, executor: FakeExecutor, clock: Any
) -> None:
    """Labelled wrong, a release that rejected them "fixed" them, and the next one was held back for accepting."""
    for version, is_strict in (("1.2.0", True), ("1.3.0", False)):
        executor.judge_call = judge if not is_strict else lambda *_: judge("1.1.0", {"answer": "-"}, "x")
        assert alice.publish(make_package(version=version)).status_code == 201
        measured(services, clock)
    release = alice.get(f"{PACKAGE}/releases/1.3.0").json()
    assert not release["blocked_from_latest"], release["blocked_from_latest"]


def test_a_moderator_who_labels_after_others_agreed_confirms(
    alice: Api, api: Api, lies: list[str], services: Services
) -> None:
    """The question was settled, and a moderator's answer then said nothing."""
    moda = api.as_token(None).sign_up("moda")
    with services.database.reading() as session:
        ids = session.execute(text("SELECT id FROM label_questions WHERE case_id = :case"), {"case": lies[0]}).one()
    give(moda, {"id": ids[0]}, "incorrect")
    assert case_of(alice, lies[0])["corroborated_by"] == "moderator"


def test_labels_agree_with_the_case_that_says_the_same_and_no_more(
    alice: Api,
    bob: Api,
    services: Services,
    executor: FakeExecutor,
    clock: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """An older case with the same label expected a value of one reward beside it, and counted by the labels."""
    executor.judge_call = judge
    assert alice.publish(make_package(version="1.1.0")).status_code == 201
    run_jobs(services)
    tess, carol, dora = (bob.as_token(None).sign_up(name) for name in ("tess", "carol", "dora"))
    log_run(tess, [rollout("2", rewards={"correct": 1.0}, held_out={"correct": 0.0})], version="1.1.0")
    measured(services, clock)
    [question] = queue(carol)
    whole = {"task": question["task"], "response": "2", "label": "incorrect"}
    sent = [{**whole, "id": "a", "expect": {"correct": 0.0}}, {**whole, "id": "b"}]
    first, second = (
        who.post(f"{PACKAGE}/releases/1.1.0/cases", json=case).json()["id"]
        for who, case in zip((dora, tess), sent, strict=True)
    )
    monkeypatch.setattr(standing, "points", lambda *_: 99)
    give(bob, question, "incorrect")
    give(carol, question, "incorrect")
    assert (case_of(alice, first)["counted_by"], case_of(alice, second)["counted_by"]) == ("", "labels")


def test_what_waits_earns_nothing_and_a_label_that_a_moderator_refuses_costs_all_who_agreed(
    alice: Api, api: Api, lies: list[str], services: Services
) -> None:
    """Twelve lies were twelve points for who agreed last, and refusing one cost the other liar nothing."""

    def points_now() -> list[int]:
        with services.database.reading() as session:
            work = UnitOfWork(session, services)
            return [sum(one.points for _, one in standing.changes_of(work, name)) for name in ("bob", "carol")]

    assert points_now() == [0, 0]
    moda = api.as_token(None).sign_up("moda")
    assert moda.post(f"{PACKAGE}/cases/{lies[0]}/second").status_code == 200
    assert points_now() == [1, 1]
    assert moda.post(f"{PACKAGE}/cases/{lies[1]}/dispute", json={"reason": "it is right"}).status_code == 200
    gone = moda.post(f"{PACKAGE}/cases/{lies[1]}/settle", json={"ruling": "withdrawn"})
    assert gone.status_code == 200, gone.text
    assert points_now() == [-2, -2]
