"""An operator reads what the hub did: requests, jobs, publishes; and nothing that is secret or personal."""

import io
import json
import logging

import pytest
from fastapi import FastAPI
from pydantic import ValidationError

from hub_server.kernel.services import Services
from hub_server.ops.logs import JsonLines
from hub_server.settings import LogSettings
from tests.making.hub import Api, make_package, run_jobs


def messages(caplog: pytest.LogCaptureFixture, logger: str) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.name == logger]


def said_by_the_hub(caplog: pytest.LogCaptureFixture) -> str:
    """Without what the test's own HTTP client logs."""
    return "\n".join(f"{record.__dict__}" for record in caplog.records if not record.name.startswith("httpx"))


def test_each_request_has_a_line_without_its_query(api: Api, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        api.get("/api/v1/packages?q=hunter2")
        api.get("/healthz")
    [line] = messages(caplog, "hub_server.requests")
    assert line.startswith("GET /api/v1/packages 200 in ")
    assert "hunter2" not in said_by_the_hub(caplog)


def test_a_path_cannot_forge_a_line(api: Api, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        api.get("/packages/x%0A2026-01-01%20INFO%20hub_server:%20forged%1b[2J")
    [line] = messages(caplog, "hub_server.requests")
    assert line.isprintable()
    assert len(line.splitlines()) == 1


def test_publishes_and_jobs_have_lines(
    app: FastAPI, api: Api, services: Services, caplog: pytest.LogCaptureFixture
) -> None:
    alice = api.sign_up("alice")
    with caplog.at_level(logging.INFO):
        assert alice.publish(make_package()).status_code == 201
        run_jobs(services)
    assert messages(caplog, "hub_server.publishing.routes.publish") == ["published alice/small-sums 1.0.0 by alice"]
    jobs = messages(caplog, "hub_server.worker")
    assert any("(audits.audit_release) begins" in line for line in jobs)
    assert any("(audits.audit_release) is done in" in line for line in jobs), jobs
    assert alice.token is not None
    assert alice.token not in said_by_the_hub(caplog)
    assert "alice@example.org" not in said_by_the_hub(caplog)


def test_nothing_secret_that_a_request_brings_reaches_a_log(
    app: FastAPI, api: Api, services: Services, caplog: pytest.LogCaptureFixture
) -> None:
    """A word that stands for a secret is sent wherever one may stand, in sound requests and in others."""
    secret = "canary-7f3a9c51"
    alice = api.sign_up("alice")
    person = alice.as_person()
    with caplog.at_level(logging.DEBUG):
        api.as_token(f"verihub_pat_{secret}").get("/api/v1/account")
        api.get("/api/v1/account", headers={"Cookie": f"verihub_session={secret}; __Host-verihub_session={secret}"})
        api.post("/api/v1/login", json={"name": "alice", "password": secret})
        api.post("/api/v1/accounts", json={"name": "x", "email": f"{secret}@", "password": secret})
        api.post("/api/v1/login", content=f'{{"name": "alice", "password": "{secret}'.encode())
        api.post("/api/v1/device/token", json={"device_code": secret})
        api.post("/api/v1/account/recovery", json={"email": f"{secret}@example.org"})
        api.post("/api/v1/account/recovery/password", json={"code": secret, "password": secret * 2})
        api.post("/api/v1/tokens/revoke", json={"token": secret})
        api.get(f"/login?next=/{secret}")
        person.post("/api/v1/account/password", json={"old": secret, "new": secret * 2})
        person.publish(secret.encode())
        made = person.post("/api/v1/tokens", json={"name": "t"}).json()["secret"]
        api.as_token(made).get("/api/v1/account")
        run_jobs(services)
    said = said_by_the_hub(caplog)
    assert "POST /api/v1/login" in said, "requests are logged"
    for word in (secret, made, str(alice.token), str(person.token)):
        assert word not in said


def test_a_line_of_json_is_one_object_with_its_fields_and_its_error() -> None:
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonLines())
    logger = logging.getLogger("hub_server.test.json")
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    logger.info("two\nlines", extra={"fields": {"status": 200}})
    try:
        raise ValueError("no")
    except ValueError:
        logger.exception("it broke")
    first, second = [json.loads(line) for line in stream.getvalue().splitlines()]
    assert (first["message"], first["status"], first["level"]) == ("two\nlines", 200, "info")
    assert "ValueError: no" in second["error"]


@pytest.mark.parametrize("wrong", [{"level": "loud"}, {"format": "xml"}, {"requests": "perhaps"}])
def test_a_wrong_setting_is_refused(wrong: dict[str, str]) -> None:
    with pytest.raises(ValidationError):
        LogSettings(**wrong)
