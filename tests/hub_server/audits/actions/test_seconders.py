"""A counter-example is reproduced, seconded, and only then counts: lies of one account or of ten move no grade."""

from typing import Any

from hub_server.kernel.services import Services
from tests.fakes.executor import FakeExecutor
from tests.hub_server.audits.test_cases import HACK, PACKAGE, published, submit
from tests.making.hub import Api, run_jobs


def report(alice: Api, version: str = "1.0.0") -> Any:
    return alice.get(f"{PACKAGE}/releases/{version}/audits").json()["items"][0]["report"]


def measured_again(services: Services, clock: Any) -> None:
    clock.advance(60)
    run_jobs(services)


def test_a_reproduced_case_is_run_and_shown_and_counts_for_nothing(
    alice: Api, bob: Api, services: Services, executor: FakeExecutor, clock: Any
) -> None:
    published(alice, executor, services, "1.0.0")
    before = report(alice)
    case = submit(bob, HACK).json()
    assert (case["state"], case["counted_by"]) == ("reproduced", "")
    measured_again(services, clock)
    after = report(alice)
    assert after["overall"] == before["overall"]
    assert after["grade"] == before["grade"]
    assert after["slices"]["origin:reported"]["fp"] == 1


def test_it_counts_as_soon_as_the_owner_seconds_it(
    alice: Api, bob: Api, services: Services, executor: FakeExecutor, clock: Any
) -> None:
    published(alice, executor, services, "1.0.0")
    case_id = submit(bob, HACK).json()["id"]
    assert bob.post(f"{PACKAGE}/cases/{case_id}/second").status_code == 409, "nobody seconds an own case"
    seconded = alice.post(f"{PACKAGE}/cases/{case_id}/second").json()
    assert (seconded["seconded_by"], seconded["counted_by"]) == (["alice"], "owner")
    measured_again(services, clock)
    found = report(alice)
    assert found["slices"]["origin:community"]["fp"] == 1
    assert found["overall"]["fp"] == 1
    assert found["grading"]["first_look"] is not None, "the release was frozen before the case was submitted"


def test_a_member_who_may_only_read_does_not_speak_for_the_owner(
    alice: Api, bob: Api, api: Api, services: Services, executor: FakeExecutor
) -> None:
    published(alice, executor, services, "1.0.0")
    case_id = submit(bob, HACK).json()["id"]
    owner, carol = alice.as_person(), api.sign_up("carol")
    assert owner.post("/api/v1/organizations", json={"name": "lab"}).status_code == 201
    asked = owner.request("PUT", "/api/v1/organizations/lab/members", json={"account": "carol", "role": "member"})
    joined = carol.as_person().post("/api/v1/organizations/lab/invitation", json={"accept": True})
    assert (asked.status_code, joined.status_code) == (200, 200)
    assert owner.post(f"{PACKAGE}/transfer", json={"to": "lab"}).status_code == 201
    assert owner.post(f"{PACKAGE}/transfer/answer", json={"accept": True}).status_code == 200
    assert carol.post(f"{PACKAGE}/cases/{case_id}/second").json()["counted_by"] == ""
    assert alice.post(f"{PACKAGE}/cases/{case_id}/second").json()["counted_by"] == "owner"


def test_lies_of_one_new_account_and_friends_that_second_them_move_no_grade(
    alice: Api, bob: Api, api: Api, services: Services, executor: FakeExecutor, clock: Any
) -> None:
    """Thirty mislabelled cases of one fresh account took a release from D to F in twenty seconds."""
    published(alice, executor, services, "1.0.0")
    before = report(alice)
    right = {"task": {"id": "t", "prompt": "?", "answer": 2}, "label": "incorrect"}
    answers = [submit(bob, {**right, "id": f"l{n}", "response": "2" + " " * n}) for n in range(6)]
    assert [answer.status_code for answer in answers] == [201] * 5 + [409]
    ids = [answer.json()["id"] for answer in answers[:5]]
    for name in ("carol", "dora", "emil"):
        friend = api.sign_up(name)
        assert {friend.post(f"{PACKAGE}/cases/{one}/second").json()["counted_by"] for one in ids} == {""}
    measured_again(services, clock)
    after = report(alice)
    assert (after["overall"], after["grade"]) == (before["overall"], before["grade"])
    disputed = alice.post(f"{PACKAGE}/cases/dispute", json={"reason": "2 is the answer"}).json()["items"]
    assert len(disputed) == 5
    assert bob.post(f"{PACKAGE}/cases/dispute", json={"reason": "no"}).status_code == 403


def test_who_erred_withdraws_and_the_release_is_measured_again(
    alice: Api, bob: Api, services: Services, executor: FakeExecutor, clock: Any
) -> None:
    published(alice, executor, services, "1.0.0")
    case_id = submit(bob, HACK).json()["id"]
    alice.post(f"{PACKAGE}/cases/{case_id}/second")
    measured_again(services, clock)
    assert report(alice)["overall"]["fp"] == 1
    gone = bob.post(f"{PACKAGE}/cases/{case_id}/settle", json={"ruling": "withdrawn", "reason": "my mistake"})
    assert gone.json()["state"] == "refuted"
    measured_again(services, clock)
    assert report(alice)["overall"]["fp"] == 0


def test_a_relabelled_lie_leaves_the_rates_at_once(
    alice: Api, bob: Api, api: Api, services: Services, executor: FakeExecutor, clock: Any
) -> None:
    """It stayed in the published rates until something else triggered an audit."""
    published(alice, executor, services, "1.0.0")
    lie = {"id": "lie", "task": {"id": "t", "prompt": "?", "answer": 2}, "response": "2", "label": "incorrect"}
    case_id = submit(bob, lie).json()["id"]
    alice.post(f"{PACKAGE}/cases/{case_id}/second")
    measured_again(services, clock)
    assert report(alice)["overall"]["fp"] == 1
    alice.post(f"{PACKAGE}/cases/{case_id}/dispute", json={"reason": "2 is right"})
    moda = api.sign_up("moda")
    assert moda.post(f"{PACKAGE}/cases/{case_id}/settle", json={"ruling": "relabelled"}).status_code == 200
    run_jobs(services)
    measured_again(services, clock)
    assert report(alice)["overall"]["fp"] == 0


def test_a_case_is_seconded_on_its_page(alice: Api, bob: Api, services: Services, executor: FakeExecutor) -> None:
    published(alice, executor, services, "1.0.0")
    case_id = submit(bob, HACK).json()["id"]
    page = "/packages/alice/small-sums/releases/1.0.0/cases"
    assert "Not in the rates until it is seconded" in bob.get(page).text
    answer = alice.post(f"/packages/alice/small-sums/cases/{case_id}/second")
    assert answer.status_code == 303
    assert "Counts in the rates." in alice.get(page).text
    assert "Seconded by alice" in alice.get(page).text


def test_what_the_owner_alone_seconded_never_speaks_for_the_next_release(
    alice: Api, bob: Api, services: Services, executor: FakeExecutor, clock: Any
) -> None:
    """Friends submitted hundreds of easy cases that one release got wrong; the next, right on all, had a B for them."""
    published(alice, executor, services, "1.0.0")
    case_id = submit(bob, HACK).json()["id"]
    alice.post(f"{PACKAGE}/cases/{case_id}/second")
    measured_again(services, clock)
    assert report(alice)["grading"]["independent"]["fp"] == 1, "against the release it counts"
    published(alice, executor, services, "1.1.0")
    mended = report(alice, "1.1.0")
    assert mended["slices"]["origin:community"]["tn"] == 1, "it is shown"
    assert mended["grading"]["independent"] is None, "and is nobody's word for it"
    assert mended["grading"]["is_hollow"]
