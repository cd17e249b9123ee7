"""What routes of the API are for: which are anybody's, which take bytes, and that no list can be asked for whole."""

import re

import pytest
from fastapi import FastAPI

from hub_server.kernel.services import Services
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
            named = things | {"name": things["owner"]} if "/accounts/" in path else things
            address = re.sub(r"\{([^}:]+)[^}]*\}", lambda match: named.get(match[1], "x1"), path)  # noqa: B023
            is_here = not any(word in path for word in ("/benchmarks/", "/reports", "/moderation"))
            if is_here and not path.endswith("/tasks"):  # tasks are a stream
                answer = person.get(f"{address}?limit=1000000")
                assert answer.status_code == 422, f"{address}: {answer.status_code} {answer.text[:200]}"
    assert asked >= 10
