"""A package changes hands, is closed or deleted over HTTP, on both databases; every right is tried by who lacks it."""

import importlib
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import text

from hub_server.database.engine import Database
from hub_server.kernel.services import Services
from schemas.journal.entries import Act, Statement, decode
from tests.fakes.clock import FakeClock
from tests.making.engines import INTERLEAVING
from tests.making.hub import PASSWORD, Api, make_package, run_jobs

SUMS = "/api/v1/packages/alice/small-sums"
OFFER = {"to": "bob"}


@pytest.fixture
def sums(alice: Api, services: Services) -> Api:
    """alice, who has published alice/small-sums 1.0.0."""
    assert alice.publish(make_package()).status_code == 201
    run_jobs(services)
    return alice.as_person()


@pytest.fixture
def moda(api: Api) -> Api:
    return api.sign_up("moda")


@pytest.fixture
def carol(api: Api) -> Api:
    return api.sign_up("carol").as_person()


def proven(who: Api, name: str) -> Api:
    """The same account with its password typed again, after the clock was moved."""
    return who.as_token(
        who.as_token(None).post("/api/v1/sudo", json={"name": name, "password": PASSWORD}).json()["secret"]
    )


def give(sums: Api, receiver: Api, to: str = "bob") -> None:
    assert sums.post(f"{SUMS}/transfer", json={"to": to}).status_code == 201
    assert receiver.as_person().post(f"{SUMS}/transfer/answer", json={"accept": True}).status_code == 200


def test_a_package_changes_hands_only_when_the_receiver_accepts(sums: Api, bob: Api, alice: Api) -> None:
    digest = sums.get(f"{SUMS}/releases/1.0.0").json()["digest"]
    assert sums.post(f"{SUMS}/transfer", json=OFFER).status_code == 201
    assert sums.get(SUMS).json()["owner"] == "alice"
    assert bob.publish(make_package(version="1.1.0")).status_code == 403, "not accepted yet"
    assert [one["package"] for one in bob.get("/api/v1/account/transfers").json()["items"]] == ["alice/small-sums"]
    assert bob.as_person().post(f"{SUMS}/transfer/answer", json={"accept": True}).json()["state"] == "accepted"
    found = bob.get(SUMS).json()
    assert (found["owner"], found["card"]["id"]) == ("bob", "alice/small-sums")
    assert sums.get(f"{SUMS}/releases/1.0.0").json()["digest"] == digest, "a pin means the same bytes"
    assert sums.get(f"{SUMS}/releases/{digest}/wheel").status_code == 200
    assert bob.publish(make_package(version="1.1.0")).status_code == 201
    for refused in (
        alice.publish(make_package(version="1.2.0")),
        sums.post(f"{SUMS}/releases/1.0.0/yank", json={"reason": "mine"}),
        sums.post(f"{SUMS}/archive", json={"reason": "mine"}),
        sums.post(f"{SUMS}/transfer", json={"to": "alice"}),
        sums.request("DELETE", SUMS),
    ):
        assert refused.status_code == 403, refused.text
    [shown] = sums.get(f"{SUMS}/transfers").json()["items"]
    assert (shown["from_owner"], shown["to_owner"], shown["answered_by"]) == ("alice", "bob", "bob")


def test_the_journal_says_that_it_changed_hands_and_names_nobody(sums: Api, bob: Api) -> None:
    give(sums, bob)
    items = sums.get("/api/v1/journal/entries").json()["items"]
    entries = [Statement.parse(decode(one["envelope"]["payload"])) for one in items]
    assert [entry.act for entry in entries] == [Act.PUBLISH, Act.TRANSFER]
    assert "bob" not in entries[1].statement().decode()
    targets = [one["target"] for one in bob.as_person().get("/api/v1/account/activity").json()["items"]]
    assert f"{SUMS}/transfer/answer" in targets


@pytest.mark.parametrize("accept", [True, False])
def test_nobody_but_the_receiver_answers(sums: Api, bob: Api, carol: Api, alice: Api, accept: bool) -> None:
    sums.post(f"{SUMS}/transfer", json=OFFER)
    for stranger in (carol, sums):
        answer = stranger.post(f"{SUMS}/transfer/answer", json={"accept": accept})
        assert (answer.status_code, answer.json()["code"]) == (404, "transfer_not_found")
    by_token = bob.post(f"{SUMS}/transfer/answer", json={"accept": accept})
    assert (by_token.status_code, by_token.json()["code"]) == (403, "password_needed")
    assert alice.get(SUMS).json()["owner"] == "alice"


def test_nobody_gives_away_what_is_not_theirs(sums: Api, bob: Api, carol: Api, alice: Api) -> None:
    assert carol.post(f"{SUMS}/transfer", json=OFFER).status_code == 403
    assert alice.post(f"{SUMS}/transfer", json=OFFER).json()["code"] == "password_needed"
    assert sums.post(f"{SUMS}/transfer", json={"to": "nobody"}).status_code == 404
    assert sums.post(f"{SUMS}/transfer", json={"to": "alice"}).status_code == 422
    assert sums.post(f"{SUMS}/transfer", json=OFFER).status_code == 201
    assert sums.post(f"{SUMS}/transfer", json={"to": "carol"}).json()["code"] == "transfer"
    assert bob.get(f"{SUMS}/transfers").json()["items"] == [], "an open offer is nobody else's business"


def test_what_was_declined_is_not_offered_again_soon(sums: Api, bob: Api, clock: FakeClock) -> None:
    sums.post(f"{SUMS}/transfer", json=OFFER)
    assert bob.as_person().post(f"{SUMS}/transfer/answer", json={"accept": False}).json()["state"] == "declined"
    assert sums.post(f"{SUMS}/transfer", json=OFFER).json()["code"] == "transfer"
    assert bob.get("/api/v1/account/transfers").json()["items"] == []
    clock.advance(timedelta(days=31).total_seconds())
    assert proven(sums, "alice").post(f"{SUMS}/transfer", json=OFFER).status_code == 201


def test_a_package_is_not_passed_to_and_fro(sums: Api, bob: Api, clock: FakeClock) -> None:
    """Each transfer is an entry of the journal, which is signed for ever, and measures anew what the package concerns."""
    give(sums, bob)
    again = bob.as_person().post(f"{SUMS}/transfer", json={"to": "alice"})
    assert (again.status_code, "offer it tomorrow" in again.json()["detail"]) == (409, True)
    clock.advance(timedelta(days=1).total_seconds())
    assert proven(bob, "bob").post(f"{SUMS}/transfer", json={"to": "alice"}).status_code == 201


def test_an_offer_lapses_and_can_be_taken_back(sums: Api, bob: Api, clock: FakeClock) -> None:
    sums.post(f"{SUMS}/transfer", json=OFFER)
    assert bob.as_person().request("DELETE", f"{SUMS}/transfer").status_code == 403
    assert sums.request("DELETE", f"{SUMS}/transfer").status_code == 204
    assert sums.request("DELETE", f"{SUMS}/transfer").status_code == 404
    assert bob.as_person().post(f"{SUMS}/transfer/answer", json={"accept": True}).status_code == 404
    sums.post(f"{SUMS}/transfer", json=OFFER)
    clock.advance(timedelta(days=15).total_seconds())
    assert bob.get("/api/v1/account/transfers").json()["items"] == []
    assert proven(bob, "bob").post(f"{SUMS}/transfer/answer", json={"accept": True}).status_code == 404
    assert proven(sums, "alice").post(f"{SUMS}/transfer", json=OFFER).status_code == 201, (
        "a lapsed one is in nobody's way"
    )


def test_only_owners_of_an_organisation_take_over_and_give_away(sums: Api, bob: Api, carol: Api) -> None:
    assert carol.post("/api/v1/organizations", json={"name": "lab"}).status_code == 201
    carol.request("PUT", "/api/v1/organizations/lab/members", json={"account": "bob", "role": "maintainer"})
    bob.as_person().post("/api/v1/organizations/lab/invitation", json={"accept": True})
    sums.post(f"{SUMS}/transfer", json={"to": "lab"})
    assert bob.get("/api/v1/account/transfers").json()["items"] == []
    assert bob.as_person().post(f"{SUMS}/transfer/answer", json={"accept": True}).status_code == 404
    assert carol.post(f"{SUMS}/transfer/answer", json={"accept": True}).status_code == 200
    assert bob.publish(make_package(version="1.1.0")).status_code == 201, "a maintainer publishes"
    assert bob.as_person().post(f"{SUMS}/transfer", json={"to": "bob"}).status_code == 403
    assert bob.as_person().request("DELETE", f"{SUMS}/releases/1.1.0").status_code == 403
    assert bob.post(f"{SUMS}/archive", json={"reason": "done"}).status_code == 200


def test_of_two_answers_at_once_one_counts(sums: Api, bob: Api, database_url: str) -> None:
    sums.post(f"{SUMS}/transfer", json=OFFER)
    person = bob.as_person()
    with ThreadPoolExecutor(2) as pool:
        answers = [pool.submit(person.post, f"{SUMS}/transfer/answer", json={"accept": True}) for _ in range(2)]
        assert sorted(one.result().status_code for one in answers) == [200, 404]


def test_the_new_owners_name_leads_to_the_package(sums: Api, bob: Api) -> None:
    give(sums, bob)
    for path, meant in (
        ("/api/v1/packages/bob/small-sums?x=1", "/api/v1/packages/alice/small-sums?x=1"),
        ("/api/v1/packages/bob/small-sums/releases/1.0.0/wheel", f"{SUMS}/releases/1.0.0/wheel"),
        ("/simple/bob-small-sums/", "/simple/alice-small-sums/"),
        ("/packages/bob/small-sums/releases", "/packages/alice/small-sums/releases"),
    ):
        answer = sums.get(path, headers={"Accept": "text/html"})
        assert (answer.status_code, answer.headers["location"]) == (307, meant)
    yanked = bob.post("/api/v1/packages/bob/small-sums/releases/1.0.0/yank", json={"reason": "x"})
    assert (yanked.status_code, yanked.json()["code"]) == (404, "package_moved"), "nothing that writes is sent on"
    assert bob.publish(make_package("bob/small-sums")).status_code == 201, "the name is bob's own to use"
    assert sums.get("/api/v1/packages/bob/small-sums").json()["card"]["id"] == "bob/small-sums"


def test_nobody_takes_the_name_of_a_package_that_was_given_away(sums: Api, bob: Api, alice: Api, carol: Api) -> None:
    give(sums, bob)
    give_back = make_package(version="9.0.0")
    assert alice.publish(give_back).status_code == 403, "not even whom it is named after"
    assert carol.publish(give_back).status_code == 403
    assert alice.post("/api/v1/packages?visibility=private", content=give_back).status_code == 403


def test_what_moderators_have_stopped_stays_where_it_is(sums: Api, bob: Api, moda: Api) -> None:
    sums.post(f"{SUMS}/transfer", json=OFFER)
    assert moda.as_person().post(f"{SUMS}/quarantine", json={"reason": "malware?"}).status_code == 200
    assert bob.as_person().post(f"{SUMS}/transfer/answer", json={"accept": True}).status_code == 410
    moda.as_person().post(f"{SUMS}/unquarantine", json={"reason": "no"})
    hidden = {"reason": "spam", "hide_content": True}
    assert moda.as_person().post("/api/v1/accounts/alice/suspend", json=hidden).status_code == 204
    assert bob.as_person().post(f"{SUMS}/transfer/answer", json={"accept": True}).status_code == 404, (
        "what a suspended account offered is void"
    )
    moda.as_person().post("/api/v1/accounts/alice/unsuspend", json={"reason": "a mistake"})
    moda.as_person().post("/api/v1/blocked-names", json={"name": "bob", "reason": "look-alike"})
    assert bob.as_person().post(f"{SUMS}/transfer/answer", json={"accept": True}).status_code == 403


def test_an_archived_package_is_used_and_measured_and_gets_no_release(sums: Api, bob: Api, alice: Api) -> None:
    assert alice.post(f"{SUMS}/archive", json={"reason": " "}).status_code == 422
    assert bob.post(f"{SUMS}/archive", json={"reason": "no"}).status_code == 403
    assert alice.post(f"{SUMS}/archive", json={"reason": "use big-sums"}).json()["archived_reason"] == "use big-sums"
    refused = alice.publish(make_package(version="1.1.0"))
    assert (refused.status_code, refused.json()["code"]) == (409, "archived")
    assert sums.get(f"{SUMS}/releases/latest/wheel").status_code == 200
    listed = sums.get("/simple/alice-small-sums/", headers={"Accept": "application/vnd.pypi.simple.v1+json"}).json()
    assert listed["project-status"] == {"status": "archived", "reason": "use big-sums"}
    assert len(listed["files"]) == 1
    wrong = {"id": "c1", "task": {"id": "t", "prompt": "?", "answer": 4}, "response": "five", "label": "incorrect"}
    assert bob.post(f"{SUMS}/releases/1.0.0/cases", json=wrong).status_code < 300, "no good grade is kept by archiving"
    assert sums.get("/api/v1/packages").json()["items"][0]["is_archived"] is True
    assert alice.post(f"{SUMS}/unarchive").json()["archived_reason"] is None
    assert alice.publish(make_package(version="1.1.0")).status_code == 201


def test_a_release_is_deleted_at_once_or_never(sums: Api, bob: Api, alice: Api, clock: FakeClock) -> None:
    assert bob.as_person().request("DELETE", f"{SUMS}/releases/1.0.0").status_code == 403
    assert alice.request("DELETE", f"{SUMS}/releases/1.0.0").json()["code"] == "password_needed"
    assert sums.request("DELETE", f"{SUMS}/releases/latest").status_code == 422
    assert sums.request("DELETE", f"{SUMS}/releases/1.0.0").status_code == 204
    assert sums.get(f"{SUMS}/releases/1.0.0/wheel").status_code == 410
    assert sums.get(f"{SUMS}/releases/1.0.0").json()["taken_down_reason"] == "Deleted by its owner."
    again = alice.publish(make_package(code="# other bytes"))
    assert again.status_code == 409, "the version is given to nothing else"
    assert bob.publish(make_package()).status_code == 403, "nor the name to anybody else"
    assert alice.publish(make_package(version="1.0.1")).status_code == 201
    clock.advance(timedelta(hours=73).total_seconds())
    late = proven(sums, "alice").request("DELETE", f"{SUMS}/releases/1.0.1")
    assert (late.status_code, late.json()["code"]) == (409, "still_used")


BENCHMARK = """\
format = 1
id = "bob/exam"
kind = "benchmark"
environments = ["alice/small-sums@1.0.0"]
split = "train"
"""


def test_nothing_is_deleted_that_another_package_needs(sums: Api, bob: Api, alice: Api) -> None:
    files = {"__init__.py": "", "tasks.jsonl": "", "audit.jsonl": ""}
    exam = make_package("bob/exam", manifest=BENCHMARK, package_files=files)
    hidden = bob.post("/api/v1/packages?visibility=private", content=exam)
    assert hidden.status_code == 201, hidden.text
    alice.publish(make_package(version="1.1.0"))
    for refused in (sums.request("DELETE", f"{SUMS}/releases/1.0.0"), sums.request("DELETE", SUMS)):
        assert (refused.status_code, refused.json()["code"]) == (409, "still_used")
        assert "1 package that needs it" in refused.json()["detail"]
        assert "exam" not in refused.text, "what is private stays unnamed"
    assert bob.as_person().request("DELETE", "/api/v1/packages/bob/exam").status_code == 204
    assert sums.request("DELETE", SUMS).status_code == 204
    late = bob.publish(make_package("bob/exam", "1.1.0", manifest=BENCHMARK, package_files=files))
    assert (late.status_code, "was deleted or taken down" in late.json()["detail"]) == (422, True), late.text


@INTERLEAVING
@pytest.mark.parametrize("first", ["delete", "publish"])
def test_a_deletion_and_the_publish_of_what_needs_it_wait_for_one_another(
    sums: Api, bob: Api, database: Database, first: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whichever comes second sees what the first has done: no release is left that needs a deleted one."""
    files = {"__init__.py": "", "tasks.jsonl": "", "audit.jsonl": ""}
    exam = make_package("bob/exam", manifest=BENCHMARK, package_files=files)
    acts = {
        "delete": Request(
            lambda: sums.request("DELETE", SUMS).status_code, "hub_server.catalog.actions.take_down_release"
        ),
        "publish": Request(lambda: bob.publish(exam).status_code, "hub_server.journal.actions.record_publish"),
    }
    codes = overlap(acts, first, database, monkeypatch)
    assert codes == ({"delete": 204, "publish": 422} if first == "delete" else {"delete": 409, "publish": 201})


@INTERLEAVING
@pytest.mark.parametrize("first", ["accept", "publish"])
def test_no_private_package_begins_to_need_one_that_is_handed_over(
    sums: Api, bob: Api, database: Database, first: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    private, hush = "/api/v1/packages?visibility=private", "/api/v1/packages/alice/hush"
    assert sums.post(private, content=make_package("alice/hush")).status_code == 201
    assert sums.post(f"{hush}/transfer", json=OFFER).status_code == 201
    files = {"__init__.py": "", "tasks.jsonl": "", "audit.jsonl": ""}
    manifest = BENCHMARK.replace("alice/small-sums", "alice/hush")
    exam = make_package("alice/exam", manifest=manifest.replace("bob/exam", "alice/exam"), package_files=files)
    person = bob.as_person()
    acts = {
        "accept": Request(
            lambda: person.post(f"{hush}/transfer/answer", json={"accept": True}).status_code,
            "hub_server.journal.actions.record_transfer",
        ),
        "publish": Request(
            lambda: sums.post(private, content=exam).status_code, "hub_server.journal.actions.record_publish"
        ),
    }
    codes = overlap(acts, first, database, monkeypatch)
    assert codes == ({"accept": 200, "publish": 422} if first == "accept" else {"accept": 409, "publish": 201})


@dataclass(frozen=True)
class Request:
    """A request, and what it calls when all is checked and nothing is committed."""

    ask: Callable[[], int]
    inside: str


def overlap(
    acts: dict[str, Request], first: str, database: Database, monkeypatch: pytest.MonkeyPatch
) -> dict[str, int]:
    """The answers of two requests, the second of which is sent while the first has checked all and committed nothing."""
    is_inside, may_end = threading.Event(), threading.Event()
    module, _, name = acts[first].inside.rpartition(".")
    real = getattr(importlib.import_module(module), name)

    def stop_inside(*given: Any) -> Any:
        is_inside.set()
        assert may_end.wait(30)
        return real(*given)

    monkeypatch.setattr(acts[first].inside, stop_inside)
    with ThreadPoolExecutor(2) as pool:
        begun = {first: pool.submit(acts[first].ask)}
        assert is_inside.wait(30)
        [second] = acts.keys() - begun.keys()
        begun[second] = pool.submit(acts[second].ask)
        until_it_waits(begun[second], database)
        may_end.set()
        return {act: one.result(60) for act, one in begun.items()}


def test_who_may_not_do_it_holds_up_nobodys_publish(
    sums: Api, bob: Api, carol: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Or any account could stop all publishes of a hub by asking for what it will be refused."""
    sums.post(f"{SUMS}/transfer", json=OFFER)
    held: list[object] = []
    monkeypatch.setattr("hub_server.publishing.queries.exclude_publishes", held.append)
    for path in (SUMS, f"{SUMS}/releases/1.0.0"):
        assert carol.request("DELETE", path).status_code == 403
    for accept in (True, False):
        assert carol.post(f"{SUMS}/transfer/answer", json={"accept": accept}).status_code == 404
    assert held == []
    assert bob.as_person().post(f"{SUMS}/transfer/answer", json={"accept": True}).status_code == 200
    assert len(held) == 1


def until_it_waits(asked: Future[int], database: Database) -> None:
    """Until the request waits for the lock of another, or is over because it does not."""
    with database.engine.connect() as connection:
        waiting = text("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted")
        while not asked.done() and not connection.scalar(waiting):
            connection.rollback()


def test_nothing_is_deleted_under_who_has_built_on_it(sums: Api, bob: Api) -> None:
    pin = {"package": "alice/small-sums", "version": "1.0.0", "digest": "sha256:" + "0" * 64}
    run = bob.post("/api/v1/runs", json={"name": "r", "kind": "training", "model": "m", "packages": [pin]})
    assert run.status_code == 201, run.text
    refused = sums.request("DELETE", SUMS)
    assert (refused.status_code, refused.json()["code"]) == (409, "still_used")
    assert "1 run that used it" in refused.json()["detail"]
    assert sums.get(f"{SUMS}/releases/1.0.0/wheel").status_code == 200, "all or nothing"


def test_a_package_is_deleted_whole(sums: Api, alice: Api) -> None:
    alice.publish(make_package(version="1.1.0"))
    assert sums.request("DELETE", SUMS).status_code == 204
    assert sums.get("/api/v1/packages").json()["items"] == []
    assert {one["state"] for one in sums.get(SUMS).json()["releases"]} == {"quarantined"}
    assert sums.get("/packages/alice/small-sums", headers={"Accept": "text/html"}).status_code == 200
    assert alice.publish(make_package(version="1.2.0")).status_code == 201, "the name stays alice's"


def test_what_moderators_look_at_is_not_deleted(sums: Api, moda: Api) -> None:
    moda.as_person().post(f"{SUMS}/releases/1.0.0/quarantine", json={"reason": "malware?"})
    assert sums.request("DELETE", f"{SUMS}/releases/1.0.0").status_code == 410
    assert sums.request("DELETE", SUMS).status_code == 410
