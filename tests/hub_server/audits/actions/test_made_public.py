"""A private package is shown to everybody once, and what was measured in private is forgotten."""

import re
from base64 import b64decode
from datetime import datetime

import pytest

from hub_server.kernel.services import Services
from schemas.journal.entries import Statement
from tests.making.hub import Api, make_package, run_jobs

pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
PACKAGE = "/api/v1/packages/alice/hush"


@pytest.fixture
def hush(alice: Api, services: Services) -> None:
    for version in ("1.0.0", "1.1.0"):
        answer = alice.post("/api/v1/packages?visibility=private", content=make_package("alice/hush", version))
        assert answer.status_code == 201
    run_jobs(services)
    assert alice.get(f"{PACKAGE}/audits").json()["items"]


@pytest.mark.usefixtures("hush")
def test_everybody_sees_it_and_it_is_measured_anew(api: Api, alice: Api, services: Services) -> None:
    assert alice.post(f"{PACKAGE}/public").json()["card"]["visibility"] == "public"
    assert api.get(f"{PACKAGE}/audits").json()["items"] == []
    assert [one["id"] for one in api.get("/api/v1/packages?q=hush").json()["items"]] == ["alice/hush"]
    services.clock.advance(60)  # type: ignore[attr-defined]
    run_jobs(services)
    assert [one["version"] for one in api.get(f"{PACKAGE}/audits").json()["items"]] == ["1.1.0"]
    assert alice.post(f"{PACKAGE}/public").status_code == 200  # again: nothing happens
    assert api.get(f"{PACKAGE}/audits").json()["items"]


@pytest.mark.usefixtures("hush")
def test_the_journal_names_its_releases_from_then_on(api: Api, alice: Api, services: Services) -> None:
    services.clock.advance(30 * 86_400)  # type: ignore[attr-defined]
    made_public = services.clock.now()
    assert "hush" not in api.get("/api/v1/journal/entries").text
    assert api.get(f"{PACKAGE}/releases/1.0.0/proof").status_code == 404
    alice.post(f"{PACKAGE}/public")
    items = api.get("/api/v1/journal/entries").json()["items"]
    entries = [Statement.parse(b64decode(one["envelope"]["payload"])) for one in items]
    assert sorted(one.version or "" for one in entries) == ["1.0.0", "1.1.0"]
    assert min(one.at for one in entries) >= made_public, "though uploaded long before"


@pytest.mark.usefixtures("hush")
def test_its_releases_are_as_old_as_others_could_look_at_them(api: Api, alice: Api, services: Services) -> None:
    """`uv --exclude-newer` reads the index: it named the day of the upload, which nobody had seen."""
    uploaded = alice.get(f"{PACKAGE}/releases/1.0.0").json()["published_at"]
    services.clock.advance(20 * 86_400)  # type: ignore[attr-defined]
    assert alice.post("/api/v1/packages", content=make_package("alice/open", "1.0.0")).status_code == 201
    services.clock.advance(10 * 86_400)  # type: ignore[attr-defined]
    assert alice.get(f"{PACKAGE}/releases/1.0.0").json()["public_since"] is None
    made_public = services.clock.now()
    alice.post(f"{PACKAGE}/public")
    release = api.get(f"{PACKAGE}/releases/1.0.0").json()
    since = datetime.fromisoformat(release["public_since"])
    assert made_public < since <= services.clock.now()
    assert release["published_at"] == uploaded
    json_index = {"Accept": "application/vnd.pypi.simple.v1+json"}
    files = api.get("/simple/alice-hush/", headers=json_index).json()["files"]
    assert [datetime.fromisoformat(one["upload-time"]) for one in files] == [since, since]
    items = api.get("/api/v1/journal/entries").json()["items"]
    entries = [Statement.parse(b64decode(one["envelope"]["payload"])) for one in items]
    assert {one.at for one in entries if one.package == "alice/hush"} == {since}, "the journal says the same"
    alice.post("/api/v1/packages", content=make_package("alice/hush", "1.2.0"))
    assert api.get(f"{PACKAGE}/releases/1.2.0").json()["public_since"] is None


@pytest.mark.usefixtures("hush")
def test_it_is_new_to_everybody_else_when_it_is_made_public(api: Api, alice: Api, services: Services) -> None:
    services.clock.advance(86_400)  # type: ignore[attr-defined]
    assert alice.post("/api/v1/packages", content=make_package("alice/open", "1.0.0")).status_code == 201
    services.clock.advance(86_400)  # type: ignore[attr-defined]
    made_public = services.clock.now()
    alice.post(f"{PACKAGE}/public")
    for sort in ("newest", "updated"):
        items = api.get(f"/api/v1/packages?sort={sort}").json()["items"]
        assert [one["id"] for one in items] == ["alice/hush", "alice/open"], sort
    for feed in ("releases", "owners/alice"):
        titles = re.findall("<title>(alice/.+?)</title>", api.get(f"/feeds/{feed}.atom").text)
        assert titles == ["alice/hush 1.1.0", "alice/hush 1.0.0", "alice/open 1.0.0"]
    feed = api.get("/feeds/releases.atom").text
    moments = [datetime.fromisoformat(one) for one in re.findall("<updated>(.+?)</updated>", feed)]
    assert moments[0] == moments[1] > made_public


@pytest.mark.usefixtures("hush")
def test_nobody_else_makes_it_public_or_learns_of_it(bob: Api, alice: Api) -> None:
    never = bob.post("/api/v1/packages/alice/never/public")
    tried = bob.post(f"{PACKAGE}/public")
    assert (
        (tried.status_code, tried.json()["code"])
        == (never.status_code, never.json()["code"])
        == (404, "package_not_found")
    )
    limited = alice.as_person().post("/api/v1/tokens", json={"name": "t", "scopes": ["read"]}).json()["secret"]
    assert alice.as_token(limited).post(f"{PACKAGE}/public").status_code == 403


@pytest.mark.parametrize(
    ("more", "is_private"),
    [
        ({"config": {"held_out_verifier": "alice/hush@1.0.0"}}, True),
        ({"config": {"audit.held out": "alice/hush@1.0.0: grade A"}}, True),
        ({"config": {"mixture": [{"target": "alice/hush"}]}}, True), ({"config": {"note": "on\nalice/hush"}}, True),
        ({"config": {"seen": "https://hub.example/packages/alice/hush"}}, True),
        ({"name": "plain on alice/hush"}, True), ({"recipe": "alice/hush"}, True),
        ({"config": {"a": "alice/hush-not", "b": "not-alice/hush"}}, False), ({"config": {"a/b": "c/d"}}, False),
    ],
)  # fmt: skip
def test_a_run_that_names_a_private_package_anywhere_is_private(alice: Api, hush: None, more, is_private) -> None:
    """The trainer names a verifier that only watches in the settings, which the run's page shows."""
    body = {"name": "r", "kind": "training", **more}
    assert alice.post("/api/v1/runs", json=body).json()["is_private"] is is_private


def test_a_run_with_a_private_package_is_private_and_its_rollouts_ask_nobody(
    api: Api, alice: Api, bob: Api, hush: None
) -> None:
    pin = {"package": "alice/hush", "version": "1.0.0", "digest": "sha256:" + "0" * 64}
    run = alice.post("/api/v1/runs", json={"name": "r", "kind": "training", "packages": [pin]}).json()
    assert run["is_private"] is True
    for other in (api, bob):
        assert other.get(f"/api/v1/runs/{run['id']}").status_code == 404
        assert other.get("/api/v1/runs").json()["items"] == []
    assert alice.get(f"/api/v1/runs/{run['id']}").status_code == 200
    shown = alice.post("/api/v1/runs", json={"name": "r", "kind": "training"}).json()
    assert shown["is_private"] is False
    rollout = {"step": 1, "package": "alice/hush", "task_id": "t1", "prompt": "p", "response": "2", "rewards": {}}
    sent = alice.post(f"/api/v1/runs/{shown['id']}/rollouts", json={"items": [rollout]})
    assert sent.status_code < 300, sent.text
    assert api.get(f"/api/v1/runs/{shown['id']}").status_code == 404
