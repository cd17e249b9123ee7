"""What is one account's is not another's: the API is walked with the ids of alice's things in bob's hands."""

import re
from typing import Any

import pytest
from fastapi import FastAPI

from hub_server.kernel.services import Services
from tests.hub_server.web.test_edges import _body_for
from tests.making.hub import Api, make_package, run_jobs

pytestmark = pytest.mark.parametrize(
    "database_url", ["sqlite"], indirect=True
)  # who may do what is asked of no database

ANYBODYS = {
    "/api/v1/account/watches/{owner}",
    "/api/v1/account/watches/{owner}/{name}",
    "/api/v1/benchmarks/{owner}/{name}/releases/{version}/results",
    "/api/v1/label/questions/{question_id}/labels",
    "/api/v1/packages/{owner}/{name}/cases/dispute",
    "/api/v1/packages/{owner}/{name}/cases/report",
    "/api/v1/packages/{owner}/{name}/discussions",
    "/api/v1/packages/{owner}/{name}/discussions/{discussion_id}/follow",
    "/api/v1/packages/{owner}/{name}/discussions/{discussion_id}/posts",
    "/api/v1/packages/{owner}/{name}/cases/{case_id}/dispute",
    "/api/v1/packages/{owner}/{name}/cases/{case_id}/second",
    "/api/v1/packages/{owner}/{name}/label/gather",
    "/api/v1/packages/{owner}/{name}/releases/{version}/audits",
    "/api/v1/packages/{owner}/{name}/releases/{version}/cases",
    "/api/v1/packages/{owner}/{name}/releases/{version}/judge",
    "/api/v1/packages/{owner}/{name}/releases/{version}/score",
    "/api/v1/packages/{owner}/{name}/reports",
}
"""Writes that any account may make about a package of somebody else. Each adds a row of the writer's own, or has it measured again."""


@pytest.fixture
def things(alice: Api, services: Services) -> dict[str, str]:
    """Ids of what alice has made, by the names that paths of the API give them."""
    person = alice.as_person()
    assert person.publish(make_package()).status_code == 201
    run_jobs(services)
    run = person.post("/api/v1/runs", json={"name": "r", "kind": "evaluation", "model": "m"}).json()["id"]
    assert person.post("/api/v1/organizations", json={"name": "acme"}).status_code == 201
    token = person.post("/api/v1/tokens", json={"name": "of alice"}).json()["token"]["id"]
    wrong = {"id": "c1", "task": {"id": "t", "prompt": "?", "answer": 4}, "response": "five", "label": "incorrect"}
    case = person.post("/api/v1/packages/alice/small-sums/releases/1.0.0/cases", json=wrong).json()["id"]
    hook = person.post("/api/v1/webhooks", json={"owner": "alice", "url": "https://hooks.example/"}).json()["webhook"][
        "id"
    ]
    delivery = person.post(f"/api/v1/webhooks/{hook}/test").json()["id"]
    talk = person.post("/api/v1/packages/alice/small-sums/discussions", json={"title": "t", "text": "t"}).json()["id"]
    [session, *_] = person.get("/api/v1/sessions").json()["items"]
    return {"owner": "alice", "name": "small-sums", "version": "1.0.0", "run_id": run, "token_id": token,
            "account": "alice", "case_id": case, "session_id": session["id"],
            "discussion_id": talk, "webhook_id": hook, "delivery_id": delivery}  # fmt: skip


def names_for(path: str, things: dict[str, str]) -> dict[str, str]:
    """``name`` is a package's name, an organisation's or an account's."""
    if "/organizations/" in path:
        return things | {"name": "acme"}
    return things | ({"name": "alice"} if "/accounts/" in path else {})


def addresses(app: FastAPI, things: dict[str, str]) -> list[tuple[str, str, object]]:
    """(method, address, body) of each write that names something of alice's."""
    found = []
    for path, operations in sorted(app.openapi()["paths"].items()):
        names = names_for(path, things)
        for method in sorted(operations.keys() & {"post", "put", "patch", "delete"}):
            address = re.sub(r"\{([^}:]+)[^}]*\}", lambda match: names.get(match[1], "x1"), path)  # noqa: B023
            if address != path and path not in ANYBODYS:
                found.append((method.upper(), address, _body_for(app, operations[method])))
    return found


def state(alice: Api, things: dict[str, str]) -> list[Any]:
    """What alice's things say of themselves."""
    pages = ("/packages/alice/small-sums", "/packages/alice/small-sums/releases/1.0.0", f"/runs/{things['run_id']}",
             "/packages/alice/small-sums/cases", "/organizations/acme", "/tokens", "/account", "/accounts/alice")  # fmt: skip
    answers = [alice.get(f"/api/v1{page}") for page in pages]
    assert [answer.status_code for answer in answers] == [200] * len(pages)
    return [answer.json() for answer in answers]


def test_another_account_changes_nothing_of_hers(app: FastAPI, alice: Api, bob: Api, things: dict[str, str]) -> None:
    before = state(alice.as_person(), things)
    walked = addresses(app, things)
    assert len(walked) >= 20
    for caller in (
        bob.as_person(),
        bob,
    ):  # with the password just typed, and by a token of every scope that one may have
        for method, address, body in walked:
            answer = caller.request(method, address, json=body)
            assert answer.status_code in {401, 403, 404, 422}, f"{method} {address}: {answer.status_code} {answer.text}"
    assert state(alice.as_person(), things) == before


def test_no_route_changes_the_bytes_of_a_release(app: FastAPI, database_url: str) -> None:
    """A release is closed at birth: the API has one route that takes a wheel, and it makes a release.

    The other one takes a part of a wheel, by the digest of the whole.
    """
    takes_bytes = [
        f"{method} {path}"
        for path, operations in app.openapi()["paths"].items()
        for method, operation in operations.items()
        if any("json" not in kind for kind in operation.get("requestBody", {}).get("content", {}))
    ]
    assert sorted(takes_bytes) == ["post /api/v1/packages", "put /api/v1/uploads/{digest}/parts/{number}"]
    deletes = [path for path, operations in app.openapi()["paths"].items() if "delete" in operations]
    about_packages = {path.removeprefix("/api/v1/packages/{owner}/{name}") for path in deletes if "/packages" in path}
    posts = {"/discussions/{discussion_id}/follow", "/discussions/{discussion_id}/posts/{number}"}
    assert about_packages - posts == {"", "/releases/{version}", "/transfer", "/trusted-publishers/{publisher_id}"}


def test_no_list_can_be_asked_for_whole(app: FastAPI, alice: Api, things: dict[str, str]) -> None:
    """Each list has a page's length that is the hub's to choose."""
    person, asked = alice.as_person(), 0
    for path, operations in sorted(app.openapi()["paths"].items()):
        if any(one["name"] == "limit" for one in operations.get("get", {}).get("parameters", [])):
            asked += 1
            address = re.sub(r"\{([^}:]+)[^}]*\}", lambda match: things.get(match[1], "x1"), path)
            is_here = not any(word in path for word in ("/benchmarks/", "/reports", "/moderation"))
            if is_here and not path.endswith("/tasks"):  # tasks are a stream
                answer = person.get(f"{address}?limit=1000000")
                assert answer.status_code == 422, f"{address}: {answer.status_code} {answer.text[:200]}"
    assert asked >= 10
