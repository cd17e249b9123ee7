"""Counter-examples: executed at once, replayed on every later release, and a fixed one that returns blocks @latest."""

from typing import Any

from hub_server.kernel.services import Services
from schemas.verdict import Verdict
from tests.fakes.executor import FakeExecutor
from tests.making.hub import Api, make_package, run_jobs

PACKAGE = "/api/v1/packages/alice/small-sums"
HACK = {"id": "h1", "task_id": "t1", "response": "2 or 3", "label": "incorrect", "note": "hedges"}
BROKEN_VERSIONS = {"1.0.0", "1.2.0"}


def judge(version: str, task: dict[str, Any], response: str | None) -> Verdict:
    """Versions 1.0.0 and 1.2.0 accept a hedge."""
    text = (response or "").strip()
    right = text == str(task["answer"]) or (version in BROKEN_VERSIONS and text.startswith(str(task["answer"]) + " or"))
    return Verdict(rewards={"correct": float(right)})


def submit(api: Api, case: dict[str, Any], version: str = "1.0.0") -> Any:
    return api.post(f"{PACKAGE}/releases/{version}/cases", json=case)


def latest(api: Api) -> str | None:
    return api.get(PACKAGE).json()["card"]["latest"]


def published(alice: Api, executor: FakeExecutor, services: Services, version: str) -> None:
    executor.judge_call = judge
    assert alice.publish(make_package(version=version)).status_code == 201
    run_jobs(services)


def test_a_case_on_which_the_verifier_is_wrong_is_confirmed_and_joins_the_suite(
    alice: Api, bob: Api, services: Services, executor: FakeExecutor, clock: Any
) -> None:
    published(alice, executor, services, "1.0.0")
    case = submit(bob, HACK)
    assert case.status_code == 201
    assert case.json()["state"] == "reproduced"
    assert case.json()["submitted_by"] == "bob"
    assert case.json()["verdicts"] == {"1.0.0": {"correct": 1.0}}
    assert case.json()["case"]["task"]["answer"] == 2
    alice.post(f"{PACKAGE}/cases/{case.json()['id']}/second")
    clock.advance(60)
    run_jobs(services)  # the release is measured again with the case in its suite
    report = alice.get(f"{PACKAGE}/releases/1.0.0/audits").json()["items"][0]["report"]
    assert report["overall"]["fp"] == 1
    assert "origin:community" in report["slices"]


def test_a_case_that_the_verifier_gets_right_is_refuted(
    alice: Api, bob: Api, services: Services, executor: FakeExecutor
) -> None:
    published(alice, executor, services, "1.0.0")
    assert submit(bob, {**HACK, "response": "7"}).json()["state"] == "refuted"


def test_a_case_is_taken_once(alice: Api, bob: Api, services: Services, executor: FakeExecutor) -> None:
    published(alice, executor, services, "1.0.0")
    submit(bob, HACK)
    again = submit(alice, {**HACK, "id": "other", "note": "mine"})
    assert (again.status_code, again.json()["code"]) == (409, "case_exists")


def test_a_later_release_fixes_it_and_one_on_which_it_returns_is_not_latest(
    alice: Api, bob: Api, services: Services, executor: FakeExecutor, clock: Any
) -> None:
    published(alice, executor, services, "1.0.0")
    case_id = submit(bob, HACK).json()["id"]
    alice.post(f"{PACKAGE}/cases/{case_id}/second")
    clock.advance(60)
    published(alice, executor, services, "1.1.0")
    case = alice.get(f"{PACKAGE}/cases/{case_id}").json()
    assert (case["state"], case["fixed_in"]) == ("fixed", "1.1.0")
    assert latest(alice) == "1.1.0"

    assert alice.publish(make_package(version="1.2.0")).json()["release"]["blocked_from_latest"]
    assert latest(alice) == "1.1.0"  # until its audit has replayed the case
    run_jobs(services)
    release = alice.get(f"{PACKAGE}/releases/1.2.0").json()
    assert case_id in release["blocked_from_latest"]
    assert latest(alice) == "1.1.0"
    assert alice.get(f"{PACKAGE}/releases/%3E%3D1").json()["version"] == "1.1.0"
    assert alice.get(f"{PACKAGE}/releases/1.2.0/wheel").status_code == 200  # an exact pin still gets it

    published(alice, executor, services, "1.3.0")
    assert latest(alice) == "1.3.0"

    alice.post(f"{PACKAGE}/releases/1.0.0/audits")  # it was older than the fix: wrong, as known, but no regression
    run_jobs(services)
    assert alice.get(f"{PACKAGE}/releases/1.0.0").json()["blocked_from_latest"] == ""


def test_a_case_submitted_while_the_sandbox_is_away_stays_open_and_is_replayed(
    alice: Api, bob: Api, services: Services, executor: FakeExecutor, clock: Any
) -> None:
    published(alice, executor, services, "1.0.0")
    executor.reason = "no engine"
    case = submit(bob, HACK).json()
    assert (case["state"], case["error"]) == ("open", "no engine")
    executor.reason = None
    clock.advance(60)
    run_jobs(services)
    assert alice.get(f"{PACKAGE}/cases/{case['id']}").json()["state"] == "reproduced"


def test_a_dispute_is_settled_by_a_moderator_who_does_not_own_the_verifier(
    alice: Api, bob: Api, api: Api, services: Services, executor: FakeExecutor, clock: Any
) -> None:
    published(alice, executor, services, "1.0.0")
    case_id = submit(bob, HACK).json()["id"]
    disputed = alice.post(f"{PACKAGE}/cases/{case_id}/dispute", json={"reason": "2 is in it"}).json()
    assert (disputed["state"], disputed["disputed_by"]) == ("disputed", "alice")
    ruling = f"{PACKAGE}/cases/{case_id}/settle"
    assert alice.post(ruling, json={"ruling": "relabelled"}).status_code == 403
    moda = api.sign_up("moda")
    settled = moda.post(ruling, json={"ruling": "relabelled"})
    assert settled.status_code == 200
    assert settled.json()["case"]["label"] == "correct"
    clock.advance(60)
    run_jobs(services)
    assert alice.get(f"{PACKAGE}/cases/{case_id}").json()["state"] == "refuted"
    assert moda.post(ruling, json={"ruling": "upheld"}).status_code == 409


def test_a_submitter_may_withdraw_a_disputed_case(
    alice: Api, bob: Api, services: Services, executor: FakeExecutor
) -> None:
    published(alice, executor, services, "1.0.0")
    case_id = submit(bob, HACK).json()["id"]
    alice.post(f"{PACKAGE}/cases/{case_id}/dispute", json={"reason": "no"})
    settled = bob.post(f"{PACKAGE}/cases/{case_id}/settle", json={"ruling": "withdrawn"})
    assert settled.json()["state"] == "refuted"


def test_cases_are_listed_with_the_counts_of_their_states(
    alice: Api, bob: Api, services: Services, executor: FakeExecutor
) -> None:
    published(alice, executor, services, "1.0.0")
    submit(bob, HACK)
    submit(bob, {**HACK, "response": "9"})
    everything = alice.get(f"{PACKAGE}/cases").json()
    assert everything["facets"] == {"state": {"reproduced": 1, "refuted": 1}}
    assert len(alice.get(f"{PACKAGE}/cases?state=refuted").json()["items"]) == 1
    assert alice.get(f"{PACKAGE}/cases?state=nonsense").status_code == 422
    first = alice.get(f"{PACKAGE}/cases?limit=1").json()
    second = alice.get(f"{PACKAGE}/cases?limit=1&cursor={first['next']}").json()
    assert {first["items"][0]["id"], second["items"][0]["id"]} == {item["id"] for item in everything["items"]}
    assert second["next"] is None


def test_unsound_cases_are_refused(alice: Api, bob: Api, api: Api, services: Services, executor: FakeExecutor) -> None:
    published(alice, executor, services, "1.0.0")
    assert submit(api, HACK).status_code == 401
    assert submit(bob, {**HACK, "task_id": "t99"}).json()["code"] == "task_not_found"
    assert submit(bob, {**HACK, "expect": {"style": 1.0}}).json()["code"] == "invalid_case"
    assert submit(bob, {"id": "x", "label": "correct"}).json()["code"] == "invalid_request"
    assert submit(bob, {**HACK, "response": "x" * 300_000}).json()["code"] == "invalid_case"
