"""An account wrote on everybody else's pages. While it is hidden no address of the hub names it; then all is back."""

import re

import pytest
from fastapi import FastAPI
from fastapi.routing import APIRoute

from hub_server.kernel.services import Services
from tests.hub_server.test_private_packages import filled, pin
from tests.making.hub import Api, make_package, run_jobs

pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
SUMS = "/api/v1/packages/alice/small-sums"
ABUSE = re.compile("sockpuppet|whisper", re.IGNORECASE)
"""Its name and its words."""
TOLD = {"/api/v1/events", "/moderation", "/api/v1/moderation/events"}
"""What happened, and what moderators did and why."""
_THREAD = "/packages/{owner}/{name}/discussions/{discussion_id}"
OF_OTHERS = {"/api/v1/collections/bob/good", "/collections/bob/good", _THREAD, f"/api/v1{_THREAD}"}
"""Bob's collection, which holds its package by name; and that its answer in bob's discussion is hidden."""
VALUES = {"owner": "alice", "name": "small-sums", "version": "1.0.0", "account": "alice", "number": "1",
          "project": "alice-small-sums", "path": "README.md", "filename": "x.whl"}  # fmt: skip
LISTS = ["/", "/api/v1/packages?q=whisper", "/api/v1/packages?q=sockpuppet", "/collections", "/api/v1/collections",
         "/api/v1/collections?package=alice/small-sums", "/api/v1/collections/bob/good", "/collections/bob/good", "/runs", "/api/v1/runs", f"{SUMS}/used-by",
         f"{SUMS}/dependants", f"{SUMS}/similar", "/organizations/acme", "/owners/acme", "/api/v1/organizations/acme/members",
         "/feeds/owners/alice.atom", "/feeds/packages/alice/small-sums.atom"]  # fmt: skip


def sent(answer) -> dict:
    assert answer.status_code < 300, answer.text
    return answer.json() if answer.content else {}


@pytest.fixture
def ids(alice: Api, bob: Api, api: Api, services: Services) -> dict[str, str]:
    sock = api.sign_up("sockpuppet").as_person()
    sent(alice.publish(make_package()))
    sent(sock.publish(make_package("sockpuppet/whisper")))
    run_jobs(services)
    case = {"id": "c1", "task": {"id": "t", "prompt": "1+1", "answer": 2}, "response": "3", "label": "correct"}
    honest = sent(bob.post(f"{SUMS}/releases/1.0.0/cases", json=case))
    sent(sock.post(f"{SUMS}/cases/{honest['id']}/second"))
    worse = {**case, "id": "c2", "response": "5", "note": "whisper"}
    sent(sock.post(f"{SUMS}/releases/1.0.0/cases", json=worse))
    sent(sock.post(f"{SUMS}/discussions", json={"title": "whisper", "text": "whisper"}))
    opened = sent(bob.post(f"{SUMS}/discussions", json={"title": "a question", "text": "how?"}))
    sent(sock.post(f"{SUMS}/discussions/{opened['id']}/posts", json={"text": "whisper"}))
    run = {"name": "whisper", "kind": "training", "model": "whisper", "packages": [pin("alice/small-sums")]}
    sent(sock.post("/api/v1/runs", json=run))
    mine = sent(bob.post("/api/v1/runs", json={**run, "name": "of bob", "model": "m"}))
    for by, place, package in (
        (sock, "sockpuppet/whisper", "alice/small-sums"),
        (bob, "bob/good", "sockpuppet/whisper"),
    ):
        body = {"title": "sums", "text": "sums", "entries": [{"package": package}]}
        sent(by.request("PUT", f"/api/v1/collections/{place}", json=body))
    run_jobs(services)
    return {"case_id": honest["id"], "discussion_id": opened["id"], "run_id": mine["id"]}


def named_at(app: FastAPI, reader: Api, ids: dict[str, str]) -> set[str]:
    gets = [route for route in app.router.routes if isinstance(route, APIRoute) and "GET" in (route.methods or ())]
    found = set()
    addresses = {one.path: "/".join(filled(part, VALUES | ids) for part in one.path.split("/")) for one in gets}
    assert len(addresses) > 100
    for route, path in {**{path: path for path in LISTS}, **addresses}.items():
        if path.startswith(("/docs", "/api/v1/openapi")):
            continue
        text = reader.get(path).text.replace("q=whisper", "").replace("q=sockpuppet", "")
        if ABUSE.search(text):
            found.add(route)
    return found


def test_a_hidden_account_is_named_nowhere_and_then_where_it_was(app: FastAPI, api: Api, ids: dict[str, str]) -> None:
    before = named_at(app, api, ids)
    assert {"/collections", "/runs", "/", "/compare", "/packages/{owner}/{name}/used-by"} <= before
    moda = api.sign_up("moda")
    body = {"reason": "abuse", "hide_content": True}
    sent(moda.post("/api/v1/accounts/sockpuppet/suspend", json=body))
    hidden = named_at(app, api, ids)
    sent(moda.post("/api/v1/accounts/sockpuppet/unsuspend", json={"reason": "a mistake"}))
    again = named_at(app, api, ids)
    assert hidden - TOLD - OF_OTHERS == set()
    assert again - TOLD == before - TOLD
