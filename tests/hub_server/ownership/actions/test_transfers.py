"""What changes with the owner and what does not: whose evidence is independent, who sees what is private, who publishes."""

from typing import Any

import pytest

from hub_server.audits.actions.standing import owners_of
from hub_server.catalog import actions as catalog
from hub_server.kernel.services import Services
from hub_server.ownership import actions
from hub_server.ownership.actions import transfers
from hub_server.ownership.errors import TransferError
from hub_server.settings import JudgeSettings
from schemas.ownership import TransferCreate
from tests.fakes.clock import FakeClock
from tests.fakes.executor import FakeExecutor
from tests.hub_server.audits.actions.test_evidence import exact, lenient, measured, suite_of
from tests.hub_server.test_settings import ASKING
from tests.making.action_driver import ActionDriver
from tests.making.hub import Api, make_package, run_jobs

VERIFIER, SUITE = "alice/small-sums", "moda/numbers"
PRIVATELY = "/api/v1/packages?visibility=private"
BENCHMARK = 'format = 1\nid = "{id}"\nkind = "benchmark"\nenvironments = ["{needs}@1.0.0"]\nsplit = "train"\n'


def give(package: str, giver: Api, receiver: Api, to: str) -> None:
    path = f"/api/v1/packages/{package}/transfer"
    assert giver.as_person().post(path, json={"to": to}).status_code == 201
    answer = receiver.as_person().post(f"{path}/answer", json={"accept": True})
    assert answer.status_code == 200, answer.text


def newest(alice: Api) -> Any:
    return alice.get(f"/api/v1/packages/{VERIFIER}/releases/1.0.0/audits").json()["items"][0]["report"]


@pytest.fixture
def judged(alice: Api, moda: Api, services: Services, executor: FakeExecutor) -> dict[str, Api]:
    """alice/small-sums, measured on moda/numbers, a suite that counts; it accepts every wrong answer of it."""
    executor.judge_call = lenient
    assert moda.publish(suite_of("moda")).status_code == 201
    assert measured(alice, services)["slices"]["origin:suite"]["fp"] == 40
    return {"alice": alice, "moda": moda}


@pytest.fixture
def moda(api: Api) -> Api:
    return api.sign_up("moda")


def jobs(services: Services, clock: FakeClock) -> None:
    for _ in range(4):
        clock.advance(60)
        run_jobs(services)


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
class TestEvidence:
    """A suite is independent of a verifier only if nobody who has or had the one has or had the other."""

    def test_a_suite_whose_owner_gets_the_verifier_is_its_authors(
        self, judged: dict[str, Api], services: Services, clock: FakeClock
    ) -> None:
        give(VERIFIER, judged["alice"], judged["moda"], "moda")
        jobs(services, clock)
        assert "origin:suite" not in newest(judged["alice"])["slices"]

    def test_a_suite_that_the_verifiers_owner_gets_is_its_authors(
        self, judged: dict[str, Api], services: Services, clock: FakeClock
    ) -> None:
        give(SUITE, judged["moda"], judged["alice"], "alice")
        jobs(services, clock)
        assert "origin:suite" not in newest(judged["alice"])["slices"]

    def test_an_organisation_that_gets_it_brings_its_members(
        self, judged: dict[str, Api], bob: Api, services: Services, clock: FakeClock
    ) -> None:
        person = bob.as_person()
        assert person.post("/api/v1/organizations", json={"name": "lab"}).status_code == 201
        asked = {"account": "moda", "role": "member"}
        assert person.request("PUT", "/api/v1/organizations/lab/members", json=asked).status_code == 200
        accept = {"accept": True}
        assert judged["moda"].as_person().post("/api/v1/organizations/lab/invitation", json=accept).status_code == 200
        give(VERIFIER, judged["alice"], bob, "lab")
        jobs(services, clock)
        assert "origin:suite" not in newest(judged["alice"])["slices"]

    def test_a_suite_that_was_given_to_a_stranger_is_still_of_who_wrote_it(
        self, moda: Api, bob: Api, services: Services, clock: FakeClock, executor: FakeExecutor
    ) -> None:
        """moda has standing. By giving the suite to bob it would have counted for moda's own verifier."""
        executor.judge_call = exact
        assert moda.publish(suite_of("moda")).status_code == 201
        give(SUITE, moda, bob, "bob")
        manifest = 'format = 1\nid = "moda/sums"\nkind = "environment"\ntasks = { train = "tasks.jsonl" }\n'
        manifest += 'verifier = "moda_sums:verify"\naudit = ["audit.jsonl"]\n[rewards.correct]\n[judges.short-number]\n'
        assert moda.publish(make_package("moda/sums", manifest=manifest)).status_code == 201
        jobs(services, clock)
        report = moda.get("/api/v1/packages/moda/sums/releases/1.0.0/audits").json()["items"][0]["report"]
        assert "origin:suite" not in report["slices"]
        assert report["grading"]["independent"] is None


def test_a_former_owner_is_behind_a_package_and_does_not_speak_for_it(driver: ActionDriver) -> None:
    alice, bob = driver.person("alice"), driver.person("bob")
    driver.publish(alice)
    driver.do(alice, actions.offer_package, VERIFIER, TransferCreate(to="bob"))
    driver.do(bob, actions.answer_transfer, VERIFIER, accept=True)
    with driver.reading() as work:
        assert owners_of(work, VERIFIER) == {"bob"}, "or alice could let a wrong case count against bob's package"
        assert catalog.people_behind(work, [VERIFIER]) == {VERIFIER: {"alice", "bob"}}


def test_nobody_who_is_behind_it_settles_its_cases_as_a_moderator(alice: Api, moda: Api, bob: Api) -> None:
    assert moda.publish(make_package("moda/sums")).status_code == 201
    give("moda/sums", moda, bob, "bob")
    wrong = {"id": "c", "task": {"id": "t", "prompt": "?", "answer": 4}, "response": "five", "label": "incorrect"}
    case = alice.post("/api/v1/packages/moda/sums/releases/1.0.0/cases", json=wrong).json()["id"]
    hidden = moda.as_person().post(f"/api/v1/packages/moda/sums/cases/{case}/hide", json={"reason": "mine once"})
    assert hidden.status_code == 403


@pytest.fixture
def hushed(alice: Api, services: Services) -> Api:
    """alice, who has alice/hush, private and measured."""
    assert alice.post(PRIVATELY, content=make_package("alice/hush")).status_code == 201
    run_jobs(services)
    return alice


def audits_of(who: Api, package: str) -> list[str]:
    answer = who.get(f"/api/v1/packages/{package}/releases/1.0.0/audits")
    return [one["state"] for one in answer.json()["items"]] if answer.status_code == 200 else []


def test_a_private_package_is_seen_by_who_has_it(hushed: Api, bob: Api, services: Services, clock: FakeClock) -> None:
    assert audits_of(hushed, "alice/hush") == ["done"]
    path = "/api/v1/packages/alice/hush"
    assert hushed.as_person().post(f"{path}/transfer", json={"to": "bob"}).status_code == 201
    assert bob.get(path).status_code == 404, "an offer shows its name and no more"
    assert bob.get(f"{path}/transfers").status_code == 404
    [offer] = bob.get("/api/v1/account/transfers").json()["items"]
    assert offer["package"] == "alice/hush"
    assert bob.as_person().post(f"{path}/transfer/answer", json={"accept": True}).status_code == 200
    assert (hushed.get(path).status_code, bob.get(path).status_code) == (404, 200)
    assert audits_of(bob, "alice/hush") == [], "its reports may name the former owner's other private packages"
    jobs(services, clock)
    assert audits_of(bob, "alice/hush") == ["done"]
    entries = bob.get("/api/v1/journal/entries").json()["items"]
    assert entries == [], "what is private stands in no journal"
    again = hushed.publish(make_package("alice/hush", "2.0.0"))
    assert again.status_code == 403, "though alice does not see that it is there"


@pytest.mark.parametrize("given", ["alice/hush", "alice/exam"])
def test_private_packages_that_need_one_another_are_not_parted(hushed: Api, bob: Api, given: str) -> None:
    files = {"__init__.py": "", "tasks.jsonl": "", "audit.jsonl": ""}
    manifest = BENCHMARK.format(id="alice/exam", needs="alice/hush")
    exam = make_package("alice/exam", manifest=manifest, package_files=files)
    assert hushed.post(PRIVATELY, content=exam).status_code == 201
    refused = hushed.as_person().post(f"/api/v1/packages/{given}/transfer", json={"to": "bob"})
    assert (refused.status_code, refused.json()["code"]) == (409, "transfer")
    assert bob.get("/api/v1/account/transfers").json()["items"] == []


def test_a_package_that_was_given_away_does_not_keep_its_namesakes_rights() -> None:
    """An operator lets the verifiers of some accounts ask its model; mallory gets one of theirs."""
    judge = JudgeSettings(url="http://model.test", model="m", owners=["lab"])
    assert judge.why_not_asked(ASKING, "lab") == ""
    assert "lets only verifiers of some accounts ask" in judge.why_not_asked(ASKING, "mallory")


def test_no_more_offers_are_open_than_a_person_can_have_meant(
    driver: ActionDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    alice = driver.person("alice")
    driver.person("bob")
    monkeypatch.setattr(transfers, "MOST_OPEN_OFFERS", 1)
    for name in ("alice/one", "alice/two"):
        driver.publish(alice, name)
    driver.do(alice, actions.offer_package, "alice/one", TransferCreate(to="bob"))
    with pytest.raises(TransferError, match="have no answer yet"):
        driver.do(alice, actions.offer_package, "alice/two", TransferCreate(to="bob"))


def test_what_the_former_owner_had_noted_of_it_names_it_no_more(hushed: Api, bob: Api) -> None:
    """Its collection and its new webhooks; its own runs, which it made itself, stay its own."""
    alice, path = hushed.as_person(), "/api/v1/collections/alice/drafts"
    body = {"title": "Drafts", "visibility": "private", "entries": [{"package": "alice/hush"}]}
    assert alice.request("PUT", path, json=body).json()["entry_count"] == 1
    give("alice/hush", alice, bob, "bob")
    assert (alice.get(path).json()["entry_count"], "hush" in alice.get(path).text) == (0, False)
    assert "hush" not in alice.get("/collections/alice/drafts/edit").text
    assert "hush" not in bob.get(path).text
    hook = {"owner": "alice", "package": "alice/hush", "url": "https://hooks.example/"}
    assert alice.post("/api/v1/webhooks", json=hook).status_code == 422
    assert alice.request("PUT", path, json=body).status_code == 404
