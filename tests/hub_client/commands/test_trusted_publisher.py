"""Registering a workflow, and publishing by its identity token."""

import json

import httpx
import pytest

from schemas.kinds import PackageKind
from tests.making.project import make_project
from tests.making.scripted_hub import problem

MADE = {
    "id": "p1", "package": "alice/sums", "provider": "github", "issuer": "https://x.example", "repository": "alice/sums",
    "workflow": "release.yml", "environment": "release", "registered_by": "alice", "created_at": "2026-11-25T00:00:00Z",
}  # fmt: skip
TOKEN = {
    "token": {
        "id": "t",
        "name": "n",
        "scopes": ["publish"],
        "created_at": MADE["created_at"],
        "expires_at": MADE["created_at"],
    }
}
PATH = "/packages/alice/sums/trusted-publishers"


def test_a_workflow_is_registered_listed_and_removed(verihub, scripted) -> None:
    scripted.on("POST", PATH, MADE, status=201)
    said = verihub("trusted-publisher", "add", "alice/sums", "--github", "alice/sums", "--workflow", "release.yml")
    assert (said.code, said.out.strip()) == (
        0,
        "alice/sums may be published by github: alice/sums release.yml in environment release",
    )
    sent = json.loads(scripted.bodies[-1])
    assert (sent["provider"], sent["issuer"]) == ("github", "https://token.actions.githubusercontent.com")
    assert "audience http://hub.example" in said.err
    scripted.on("GET", PATH, {"items": [MADE], "next": None})
    assert "never" in verihub("trusted-publisher", "list", "alice/sums").out
    scripted.on("DELETE", f"{PATH}/p1", httpx.Response(204))
    assert verihub("trusted-publisher", "remove", "alice/sums", "p1").code == 0


@pytest.mark.parametrize(
    "arguments",
    [[], ["--github", "a/b"], ["--github", "a/b", "--gitlab", "c/d"], ["--github", "nonsense", "--workflow", "x.yml"],
     ["--gitlab", "a/b", "--workflow", "x.sh"]],
)  # fmt: skip
def test_what_makes_no_sense_is_said_before_anything_is_asked(verihub, scripted, arguments) -> None:
    assert verihub("trusted-publisher", "add", "alice/sums", *arguments).code == 2
    assert verihub("trusted-publisher", "list", "nonsense").code == 2
    assert scripted.asked == []


def test_an_identity_token_publishes_by_a_token_of_the_hub(verihub, scripted, tmp_path, monkeypatch) -> None:
    project = make_project(tmp_path / "sums", "alice/sums", PackageKind.ENVIRONMENT)
    monkeypatch.delenv("VERIHUB_TOKEN")
    monkeypatch.setenv("VERIHUB_ID_TOKEN", "identity")
    scripted.on("POST", "/trusted-publishing/token", {**TOKEN, "secret": "verihub_pat_fresh"})
    seen = []
    scripted.on(
        "POST",
        "/packages",
        lambda request: seen.append(request.headers["authorization"]) or problem(409, "version_exists", "it exists"),
    )
    assert verihub("publish", project).code == 5
    assert seen == ["Bearer verihub_pat_fresh"]
    assert {"package": "alice/sums", "identity_token": "identity"} in [
        json.loads(body) for body in scripted.bodies if body[:1] == b"{"
    ]
    assert "GET /account" not in scripted.asked
    other = make_project(tmp_path / "other", "alice/other", PackageKind.ENVIRONMENT)
    assert verihub("publish", project, other).code == 2
