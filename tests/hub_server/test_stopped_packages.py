"""What is stopped keeps its name and nothing else (decision 30): every address of a hub is read as a stranger.

A package of mallory's has an audit, a counter-example, a discussion and a run. It is quarantined, hidden with its owner, and taken
down. Meanwhile no list names it, and where its words must be gone they are gone everywhere.
"""

import re
from itertools import pairwise

import pytest
from fastapi import FastAPI
from fastapi.routing import APIRoute

from hub_server.kernel.services import Services
from tests.hub_server.test_private_packages import filled, pin
from tests.making.hub import Api, make_package, run_jobs
from tests.making.wheel import MANIFEST, METADATA

pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
PACKAGE = "/api/v1/packages/mallory/loudname"
NAME = re.compile("mallory.loudname")
WORDS = re.compile("whisper", re.IGNORECASE)
"""In summary, README, tag, file, task, case and discussion of the package: its author's and its readers' words."""
TOLD = {"/api/v1/events", "/api/v1/journal/entries", "/api/v1/moderation/events", "/moderation", "/api/v1/journal"}
"""What happened, which mirrors repeat, what was signed, and what moderators did and why: by names, versions, digests."""
OF_OTHERS = {"/runs", "/api/v1/runs", "/runs/{run_id}", "/api/v1/runs/{run_id}", "/api/v1/runs/{run_id}/rollouts"}
"""Bob's run, which says what it used."""
VALUES = {"owner": "mallory", "name": "loudname", "version": "1.0.0", "account": "mallory", "number": "1",
          "project": "mallory-loudname", "path": "README.md", "filename": "x.whl", "rollout_id": "1"}  # fmt: skip
QUERIES = ["/packages?q=loudname", "/api/v1/packages?q=loudname", "/packages?owner=mallory", "/packages?q=whisper",
           "/api/v1/packages?sort=newest", "/packages?sort=updated", "/api/v1/packages?tag=whisper"]  # fmt: skip


@pytest.fixture
def ids(bob: Api, api: Api, services: Services) -> dict[str, str]:
    mallory = api.sign_up("mallory").as_person()
    tasks = "".join(f'{{"id": "t{number}", "prompt": "whisper", "answer": 4}}\n' for number in (1, 2))
    wheel = make_package(
        "mallory/loudname",
        manifest=MANIFEST.replace('"math"', '"whisper"'),
        metadata=METADATA.replace("Sums of small numbers", "whisper").replace("# Small sums", "# whisper"),
        package_files={"tasks.jsonl": tasks, "whisper.py": "WHISPER = 1\n"},
    )
    assert mallory.publish(wheel).status_code == 201
    case = {"id": "c1", "task_id": "t1", "response": "whisper", "label": "incorrect"}
    sent = bob.post(f"{PACKAGE}/releases/1.0.0/cases", json=case)
    opened = bob.post(f"{PACKAGE}/discussions", json={"title": "whisper", "text": "whisper"})
    body = {"name": "of bob", "kind": "training", "model": "m", "packages": [pin("mallory/loudname")]}
    run = bob.post("/api/v1/runs", json=body)
    for answer in (sent, opened, run):
        assert answer.status_code < 300, answer.text
    run_jobs(services)
    return {"case_id": sent.json()["id"], "discussion_id": opened.json()["id"], "run_id": run.json()["id"]}


def named_at(app: FastAPI, reader: Api, ids: dict[str, str]) -> tuple[set[str], set[str]]:
    """The addresses that name the package without being asked for it, and those that hold its words."""
    naming, telling = set(), set()
    gets = [route for route in app.router.routes if isinstance(route, APIRoute) and "GET" in (route.methods or ())]
    filled_in = {one.path: "/".join(filled(part, VALUES | ids) for part in one.path.split("/")) for one in gets}
    assert len(filled_in) > 100
    for route_path, path in [*((path, path) for path in QUERIES), *filled_in.items()]:
        if path.startswith(("/docs", "/api/v1/openapi")):
            continue
        text = reader.get(path).text
        is_about_it = "{owner}" in route_path or "{project}" in route_path or "{case_id}" in route_path
        if NAME.search(text) and not is_about_it:
            naming.add(route_path)
        if "whisper" not in path and WORDS.search(text):
            telling.add(route_path)
    return naming, telling


LISTS = ["/packages", "/api/v1/packages", "/simple/", "/sitemap.xml", "/feeds/releases.atom", "/"]


def test_no_list_names_what_is_stopped_and_what_must_not_be_read_is_nowhere(
    app: FastAPI, api: Api, ids: dict[str, str], services: Services
) -> None:
    moda = api.sign_up("moda")

    def do(path: str, **body: object) -> None:
        answer = moda.post(path, json={"reason": "bad", **body})
        assert answer.status_code < 300, answer.text
        run_jobs(services)

    def is_listed() -> bool:
        found = {bool(NAME.search(api.get(path).text)) for path in LISTS}
        assert len(found) == 1
        return found.pop()

    assert is_listed(), "there is something to find"
    do(f"{PACKAGE}/quarantine")  # it is read on its own pages, with the reason in front
    assert not is_listed()
    do(f"{PACKAGE}/unquarantine")
    assert is_listed()
    do("/api/v1/accounts/mallory/suspend", hide_content=True)
    naming, telling = named_at(app, api, ids)
    assert (naming - TOLD - OF_OTHERS, telling) == (set(), set())
    do("/api/v1/accounts/mallory/unsuspend")
    assert is_listed()
    assert WORDS.search(api.get("/packages/mallory/loudname").text)
    do(f"{PACKAGE}/takedown")
    naming, telling = named_at(app, api, ids)
    assert (naming - TOLD - OF_OTHERS, telling) == (set(), set())


def test_events_and_journal_tell_a_mirror_what_to_remove_and_why_of_nobody(
    api: Api, ids: dict[str, str], services: Services
) -> None:
    moda = api.sign_up("moda")
    assert moda.post(f"{PACKAGE}/quarantine", json={"reason": "it steals"}).status_code < 300
    assert moda.post(f"{PACKAGE}/takedown", json={"reason": "it steals"}).status_code < 300
    events = api.get("/api/v1/events").json()["items"]
    digest = next(one["facts"]["digest"] for one in events if one["kind"] == "release.published")
    last = [(one["kind"], one["version"], one["facts"]) for one in events if one["kind"].startswith("release.")][-2:]
    facts = {"digest": digest}
    assert last == [("release.quarantined", "1.0.0", facts), ("release.taken_down", "1.0.0", facts)]
    assert "steals" not in str(events)
    assert "moda" not in str(events)
    positions = [one["position"] for one in events]
    assert all(after - before == 1 for before, after in pairwise(positions))
