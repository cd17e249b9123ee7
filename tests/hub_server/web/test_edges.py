"""What every answer has: one shape for refusals, security headers, an id, no way in from another site."""

import json
import re
import shutil
from pathlib import Path

import pytest
from fastapi import FastAPI
from prometheus_client.parser import text_string_to_metric_families

from hub_server.errors import StorageUnavailableError
from hub_server.kernel.services import Services
from hub_server.settings import LimitSettings
from schemas.problem import Problem, ProblemCode
from tests.making.hub import Api, make_package


@pytest.fixture
def database_url(sqlite_template: Path, tmp_path: Path) -> str:
    """These edges do not depend on the database."""
    path = tmp_path / "hub.sqlite3"
    shutil.copy(sqlite_template, path)
    return f"sqlite:///{path}"


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("GET", "/api/v1/nothing", 404, "page_not_found"),
        ("DELETE", "/api/v1/packages", 405, "invalid_request"),
        ("GET", "/api/v1/packages?limit=many", 422, "invalid_request"),
        ("POST", "/api/v1/login", 422, "invalid_request"),
        ("GET", "/api/v1/packages/a/b", 404, "package_not_found"),
        ("GET", "/api/v1/packages/UPPER/b", 404, "package_not_found"),
        ("GET", "/api/v1/accounts/nobody", 404, "account_not_found"),
        ("GET", "/api/v1/account", 401, "not_authenticated"),
        ("GET", "/simple/none/", 404, "package_not_found"),
        ("GET", "/static/none.css", 404, "page_not_found"),
    ],
)
def test_every_refusal_is_a_problem(api: Api, method: str, path: str, status: int, code: str) -> None:
    refused = api.request(method, path)
    assert refused.status_code == status
    assert refused.headers["Content-Type"] == "application/problem+json"
    problem = Problem.model_validate(refused.json())
    assert (problem.status, problem.code) == (status, code)
    assert problem.code in set(ProblemCode)
    assert problem.title
    assert problem.detail
    assert problem.instance == refused.headers["X-Request-Id"]
    if code != "not_authenticated":  # which says how a token is sent
        assert "Authorization" not in problem.detail


def test_a_bug_is_said_without_its_inside_and_logged_with_its_id(
    api: Api, app: FastAPI, caplog: pytest.LogCaptureFixture
) -> None:
    @app.get("/api/v1/broken")
    def broken() -> None:
        raise RuntimeError("the secret is 42")

    app.router.routes.insert(0, app.router.routes.pop())
    answer = api.get("/api/v1/broken", headers={"X-Request-Id": "find-me-12345"})
    assert (answer.status_code, answer.json()["code"]) == (500, "internal")
    assert "secret" not in answer.text
    assert "find-me-12345" in answer.json()["detail"]
    assert any("find-me-12345" in record.getMessage() for record in caplog.records)


@pytest.mark.parametrize("path", ["/api/v1/packages", "/healthz", "/api/v1/nothing", "/simple/"])
def test_every_answer_is_guarded(api: Api, path: str) -> None:
    headers = api.get(path).headers
    assert headers["Content-Security-Policy"].startswith("default-src 'none'; script-src 'self'; style-src 'self'")
    assert "unsafe" not in headers["Content-Security-Policy"]
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert re.fullmatch(r"[0-9a-f]{16}", headers["X-Request-Id"])


@pytest.mark.parametrize("given", ["short", "x" * 65, "bad id with spaces", "new\tline-here"])
def test_an_unsound_request_id_is_replaced(api: Api, given: str) -> None:
    assert api.get("/healthz", headers={"X-Request-Id": given}).headers["X-Request-Id"] != given


def test_a_reader_who_has_the_answer_gets_none(alice: Api) -> None:
    alice.publish(make_package())
    first = alice.get("/api/v1/packages/alice/small-sums")
    again = alice.get("/api/v1/packages/alice/small-sums", headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.content, again.headers["ETag"]) == (304, b"", first.headers["ETag"])
    alice.publish(make_package(version="2.0.0"))
    assert (
        alice.get("/api/v1/packages/alice/small-sums", headers={"If-None-Match": first.headers["ETag"]}).status_code
        == 200
    )


FOREIGN = [
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
    {"Origin": "https://evil.example"},
    {"Origin": "null"},
    {"Origin": "http://hub.test.evil.example"},
    {"Origin": "http://hub.test:8080"},
]
OWN = [{}, {"Sec-Fetch-Site": "same-origin"}, {"Sec-Fetch-Site": "none"}, {"Origin": "http://hub.test"}]


@pytest.mark.parametrize("headers", FOREIGN)
def test_no_other_site_writes_through_a_browser(api: Api, alice: Api, headers: dict[str, str]) -> None:
    refused = api.post("/api/v1/tokens/revoke", json={"token": "x"}, headers={**headers, "Cookie": "verihub-session=x"})
    assert (refused.status_code, refused.json()["code"]) == (403, "not_allowed")
    assert api.get("/api/v1/packages", headers=headers).status_code == 200
    assert alice.as_person().post("/api/v1/tokens", json={"name": "t"}, headers=headers).status_code == 201


@pytest.mark.parametrize("headers", OWN)
def test_our_own_pages_and_programs_write(api: Api, headers: dict[str, str]) -> None:
    sent = {**headers, "Cookie": "verihub-session=x"}
    assert api.post("/api/v1/tokens/revoke", json={"token": "x"}, headers=sent).status_code == 204


def test_tries_of_passwords_are_few(api: Api, services: Services) -> None:
    answers = [
        api.post("/api/v1/login", json={"name": "alice", "password": "wrong wrong wrong"})
        for _ in range(services.settings.limits.logins_burst + 1)
    ]
    assert answers[-1].status_code == 429
    assert answers[-1].json()["code"] == "too_many_requests"
    assert int(answers[-1].headers["Retry-After"]) >= 1
    assert api.get("/healthz").status_code == 200


def test_a_json_body_has_a_limit(alice: Api) -> None:
    large = {"name": "x", "config": {"x": "y" * LimitSettings().body_bytes}}
    refused = alice.post("/api/v1/runs", json=large)
    assert (refused.status_code, refused.json()["code"]) == (413, "too_large")


@pytest.mark.parametrize("body", [b"{", b"[1,2", b"\xff\xfe", b'{"name": "x", "name": {"a": ' + b"[" * 5000])
def test_bodies_that_are_not_json_are_refused(alice: Api, body: bytes) -> None:
    refused = alice.post("/api/v1/runs", content=body, headers={"Content-Type": "application/json"})
    assert refused.status_code in (400, 422)
    assert refused.json()["code"] == "invalid_request"


def test_discovery_health_and_metrics(alice: Api, api: Api) -> None:
    alice.publish(make_package())
    found = api.get("/.well-known/verihub.json").json()
    assert (found["api"], found["index"]) == ("http://hub.test/api/v1", "http://hub.test/simple")
    assert api.get("/healthz").text == "ok\n"
    ready = {"ready": True, "database": "ok", "blobs": "ok", "sandbox": "ok", "writes": "ok", "journal": "ok"}
    assert api.get("/readyz").json() == ready | {"search": "behind: some packages are not found yet"}
    assert api.get("/api/v1/packages").json()["total"] == 1
    assert api.get("/readyz").json() == ready | {"search": "ok", "writes": "ok"}
    text = api.metrics()
    assert 'verihub_http_requests_total{method="POST",route="/api/v1/packages",status="201"} 1' in text
    assert 'verihub_jobs{state="queued"} 1' in text
    assert 'verihub_rows{table="packages"} 1' in text
    names = [family.name for family in text_string_to_metric_families(text)]
    assert "verihub_sandbox_boxes" in names
    assert len(names) == len(set(names))


def test_a_hub_whose_database_is_gone_is_not_ready(
    api: Api, services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone() -> None:
        raise StorageUnavailableError("The database does not answer: gone")

    monkeypatch.setattr(services.database, "check", gone)
    answer = api.get("/readyz")
    assert (answer.status_code, answer.json()["ready"]) == (503, False)


def test_openapi_is_complete(app: FastAPI) -> None:
    document = app.openapi()
    json.dumps(document)
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            where = f"{method} {path}"
            assert operation.get("summary"), where
            assert operation.get("tags"), where
            assert "application/problem+json" in operation["responses"]["default"]["content"], where


def test_every_route_that_writes_needs_an_account_but_those_that_make_one(app: FastAPI, api: Api) -> None:
    """Walks the whole API as a stranger: a write under no permission would answer something else than 401."""
    open_to_all = {
        "/api/v1/accounts",
        "/api/v1/login",
        "/api/v1/tokens/revoke",
        "/api/v1/device/code",
        "/api/v1/device/proof",
        "/api/v1/device/token",
        "/api/v1/account/recovery",  # a mailed code stands for the account
        "/api/v1/account/recovery/password",
        "/api/v1/account/email/confirmation",
        "/api/v1/trusted-publishing/token",  # a provider's word stands for the account
    }
    executes_only = re.compile(r".*/(score|judge)$")
    for path, operations in app.openapi()["paths"].items():
        for method in operations.keys() & {"post", "put", "patch", "delete"}:
            if path in open_to_all or executes_only.match(path):
                continue
            concrete = re.sub(
                r"\{[^}]+\}", "x1", path.replace("{digest}", "sha256:" + "0" * 64).replace("{number}", "1")
            )
            answer = api.request(method.upper(), concrete, json=_body_for(app, operations[method]))
            hides_what_is_private = path.endswith("/public")
            assert answer.status_code == (404 if hides_what_is_private else 401), (
                f"{method} {path} answered {answer.status_code} {answer.text[:200]}"
            )


KNOWN = {
    "repository": "alice/sums",
    "workflow": "x.yml",
    "environment": "alice/sums",
    "environment_version": "1.0.0",
    "email": "a@example.org",
    "url": "https://hooks.example/",
    "account": "alice",
}


def _body_for(app: FastAPI, operation: dict) -> object:
    content = operation.get("requestBody", {}).get("content", {}).get("application/json")
    return _example(app.openapi()["components"]["schemas"], content["schema"]) if content else None


def _example(schemas: dict, schema: dict) -> object:
    """The least that a schema accepts."""
    if "$ref" in schema:
        return _example(schemas, schemas[schema["$ref"].rpartition("/")[2]])
    if "enum" in schema:
        return schema["enum"][0]
    if schema.get("type") == "object":
        wanted = dict.fromkeys(schema.get("required", []))
        example = {name: KNOWN.get(name) or _example(schemas, schema["properties"][name]) for name in wanted}
        if {"task", "task_id", "label"} <= schema.get("properties", {}).keys():
            example |= {"task_id": "t", "response": "r"}
        return example
    by_type = {"string": "abcdefghijkl", "integer": 1, "number": 1.0, "boolean": True}
    if schema.get("type") == "array":
        return [_example(schemas, schema["items"]) for _ in range(schema.get("minItems", 0))]
    return by_type.get(schema.get("type", "string"), "1.0.0")
