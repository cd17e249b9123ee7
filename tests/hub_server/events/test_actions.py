"""What the hub tells of itself, on both databases: each act once, in order, and nothing of what is private."""

from pathlib import Path

import pytest

from hub_server.catalog import actions as catalog
from hub_server.events.actions import list_events
from schemas.events import EventKind
from schemas.evidence.rates import Grade
from tests.hub_server.site.samples import summary as made_summary
from tests.making.action_driver import ActionDriver
from tests.making.hub import Api, make_package, run_jobs

SUMS = "/api/v1/packages/alice/small-sums"
RELEASE = f"{SUMS}/releases/1.0.0"


def events(api: Api, since: int = 0, limit: int = 100) -> dict:
    answer = api.get(f"/api/v1/events?since={since}&limit={limit}")
    assert answer.status_code == 200, answer.text
    return answer.json()


def kinds(api: Api, since: int = 0) -> list[str]:
    return [item["kind"] for item in events(api, since)["items"]]


def test_publishing_yanking_and_quarantine_are_told_in_order(api: Api, alice: Api) -> None:
    digest = alice.publish(make_package()).json()["release"]["digest"]
    alice.post(f"{RELEASE}/yank", json={"reason": "wrong"})
    assert alice.post(f"{RELEASE}/unyank").status_code == 200
    api.sign_up("moda").post(f"{RELEASE}/quarantine", json={"reason": "malware"})
    page = events(api)
    assert [item["kind"] for item in page["items"]] == [
        "release.published", "release.yanked", "release.restored", "release.quarantined",
    ]  # fmt: skip
    assert [item["position"] for item in page["items"]] == [1, 2, 3, 4]
    first = page["items"][0]
    assert (first["package"], first["version"], first["facts"]) == ("alice/small-sums", "1.0.0", {"digest": digest})
    assert (page["next"], page["newest"]) == (4, 4)
    assert "malware" not in str(page), "no words of a person"
    alice.publish(make_package())
    assert events(api, since=4)["items"] == [], "the same bytes again are no event"


def test_an_audit_and_the_grade_that_it_changes_are_told(api: Api, alice: Api, services) -> None:
    alice.publish(make_package())
    run_jobs(services)
    found = events(api)["items"]
    assert [item["kind"] for item in found][:2] == ["release.published", "audit.finished"]
    assert found[1]["facts"].keys() == {"audit", "grade"}


def test_another_grade_is_told_with_the_one_before(driver: ActionDriver) -> None:
    release = driver.publish(driver.person("alice"))
    release_id = driver.rows("SELECT id FROM releases")[0][0]
    for grade in (Grade.C, Grade.C, Grade.A):
        summary = made_summary(release.version, 0, 99, 0, 99).model_copy(update={"grade": grade})
        driver.do(None, catalog.record_audit_summary, release_id, summary, "")
    told = [
        event.facts for event in driver.ask(None, list_events, 0, 100).items if event.kind is EventKind.GRADE_CHANGED
    ]
    assert told == [{"grade": "C", "before": "U"}, {"grade": "A", "before": "C"}]


def test_a_run_is_told_once_when_it_ends(api: Api, alice: Api) -> None:
    body = {"name": "r", "kind": "training", "model": "m"}
    run = alice.post("/api/v1/runs", json=body).json()["id"]
    for _ in range(2):
        assert alice.request("PATCH", f"/api/v1/runs/{run}", json={"state": "finished"}).status_code == 200
    (told,) = events(api)["items"]
    assert (told["kind"], told["run"], told["owner"]) == ("run.finished", run, "alice")


def test_nothing_private_is_told_not_even_by_a_gap(api: Api, alice: Api) -> None:
    assert alice.post("/api/v1/packages?visibility=private", content=make_package("alice/secret")).status_code == 201
    private = {"name": "r", "kind": "training", "model": "m", "is_private": True}
    run = alice.post("/api/v1/runs", json=private).json()["id"]
    alice.request("PATCH", f"/api/v1/runs/{run}", json={"state": "finished"})
    alice.publish(make_package())
    for who in (api, alice):
        assert [(item["position"], item["package"]) for item in events(who)["items"]] == [(1, "alice/small-sums")]
    assert alice.as_person().post("/api/v1/packages/alice/secret/public").status_code == 200
    assert kinds(api, since=1) == ["package.made_public"]


def test_a_follower_who_asks_with_next_gets_each_event_once(api: Api, alice: Api) -> None:
    for number in range(5):
        alice.publish(make_package(version=f"1.0.{number}"))
    since, seen = 0, []
    for _ in range(4):
        page = events(api, since, limit=2)
        seen += [item["position"] for item in page["items"]]
        since = page["next"]
    assert (seen, since) == ([1, 2, 3, 4, 5], 5)


@pytest.mark.parametrize("query", ["since=-1", "since=1", f"since={2**63}", "since=x", "limit=0", "limit=101"])
def test_no_value_is_a_fault_of_the_hub(api: Api, query: str) -> None:
    answer = api.get(f"/api/v1/events?{query}")
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid_request")


def test_the_reference_names_every_kind() -> None:
    page = (Path(__file__).parents[3] / "docs" / "reference" / "http_api.md").read_text()
    assert [kind.value for kind in EventKind if f"`{kind.value}`" not in page] == []


def test_what_is_private_is_read_by_its_owner_alone_under_numbers_of_its_own(api: Api, alice: Api, bob: Api) -> None:
    bob.publish(make_package("bob/other"))
    alice.publish(make_package("alice/open"))
    alice.post("/api/v1/packages?visibility=private", content=make_package("alice/hush"))
    page = alice.get("/api/v1/owners/alice/events").json()
    assert [item["package"] for item in page["items"]] == ["alice/open", "alice/hush"]
    assert (page["next"], page["newest"]) == (2, 2)
    assert page["items"][1]["position"] is None
    later = alice.get("/api/v1/owners/alice/events?since=1&limit=1").json()
    assert ([item["package"] for item in later["items"]], later["next"]) == (["alice/hush"], 2)
    assert alice.get("/api/v1/owners/alice/events?since=2").json()["items"] == []
    assert alice.get("/api/v1/owners/alice/events?since=3").status_code == 422
    for stranger, status in ((api, 401), (bob, 403)):
        assert stranger.get("/api/v1/owners/alice/events").status_code == status
    assert "hush" not in str(events(bob))
