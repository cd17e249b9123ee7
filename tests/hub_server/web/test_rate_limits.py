"""Rate limits against somebody who wants to get around them."""

import asyncio
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from hub_server import cli
from hub_server.app import create_app
from hub_server.kernel.services import Services
from hub_server.settings import ServerSettings
from hub_server.web.rate_limits import may_guess
from hub_server.web.senders import anonymous_sender
from tests.making.hub import PASSWORD, Api
from tests.making.listening_app import serving

BURST = 5
REVOKE = "/api/v1/tokens/revoke"


@pytest.fixture
def database_url(sqlite_template: Path, tmp_path: Path) -> str:
    """Nothing here depends on the database."""
    path = tmp_path / "hub.sqlite3"
    shutil.copy(sqlite_template, path)
    return f"sqlite:///{path}"


@pytest.fixture
def settings(settings: ServerSettings) -> ServerSettings:
    limits = settings.limits.model_copy(update={"writes_burst": BURST, "writes_per_second": 1e-6})
    return settings.model_copy(update={"limits": limits})


def writes(api: Api, count: int, **more: Any) -> Counter[int]:
    return Counter(api.post(REVOKE, json={"token": "x"}, **more).status_code for _ in range(count))


@pytest.mark.parametrize(
    "header",
    ["Basic {}", "Bearer {}", "Bearer verihub_pat_{}", "Bearer  {}", "Token {}"],
)
def test_a_made_up_credential_is_still_the_same_stranger(api: Api, header: str) -> None:
    answers = Counter(
        api.post(REVOKE, json={"token": "x"}, headers={"Authorization": header.format(number)}).status_code
        for number in range(3 * BURST)
    )
    assert answers[429] >= 2 * BURST


def test_a_password_that_comes_with_a_form_counts_as_an_attempt() -> None:
    form = {"type": "http", "method": "POST", "path": "/organizations"}
    assert may_guess({**form, "query_string": b"proof"})
    assert not may_guess({**form, "query_string": b""})
    assert not may_guess({**form, "query_string": b"proof&x"})
    assert not may_guess({**form, "method": "GET", "query_string": b"proof"})
    assert may_guess({**form, "path": "/login", "query_string": b""})


def test_a_made_up_session_is_still_the_same_stranger(api: Api) -> None:
    answers = Counter(
        api.post(REVOKE, json={"token": "x"}, headers={"Cookie": f"verihub-session={number}"}).status_code
        for number in range(3 * BURST)
    )
    assert answers == {204: BURST, 429: 2 * BURST}


def test_an_account_has_a_budget_of_its_own_whatever_its_address_and_token(api: Api) -> None:
    alice = api.sign_up("alice")  # a try of a password: counted apart
    second = alice.as_person().post("/api/v1/tokens", json={"name": "second"}).json()["secret"]
    assert writes(api, BURST + 1) == {204: BURST, 429: 1}
    assert writes(alice, 2) == {204: 2}
    assert writes(alice.as_token(second), BURST) == {204: 2, 429: 3}  # another token is the same account


def test_unknown_tokens_are_not_looked_up_without_end(
    api: Api, services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked = Counter[str]()
    authenticate = api.app.state.authenticate

    def count(work: Any, credentials: Any) -> Any:
        looked["up"] += 1
        return authenticate(work, credentials)

    monkeypatch.setattr(api.app.state, "authenticate", count)
    for number in range(4 * BURST):
        api.get("/healthz", headers={"Authorization": f"Bearer {number}"})
        api.get("/api/v1/nothing", headers={"Authorization": f"Bearer {number}"})
    assert looked["up"] <= BURST


async def connect(app: FastAPI, *, can_refuse: bool) -> list[dict[str, Any]]:
    """A WebSocket's handshake as a server hands it to the application; returns what came back."""
    sent: list[dict[str, Any]] = []
    path = "/api/v1/packages/a/b/releases/1.0.0/session"
    scope = {
        "type": "websocket", "path": path, "raw_path": path.encode(), "query_string": b"", "headers": [],
        "client": ("203.0.113.9", 1), "server": ("hub.test", 80), "scheme": "ws", "subprotocols": [],
        "extensions": {"websocket.http.response": {}} if can_refuse else {},
    }  # fmt: skip
    messages = [{"type": "websocket.connect"}, {"type": "websocket.disconnect", "code": 1000}]

    async def receive() -> dict[str, Any]:
        return messages.pop(0)

    async def send(message: Any) -> None:
        sent.append(message)

    await app(scope, receive, send)
    return sent


@pytest.mark.parametrize("can_refuse", [True, False])
def test_web_sockets_count(app: FastAPI, can_refuse: bool) -> None:
    for _ in range(BURST):
        assert asyncio.run(connect(app, can_refuse=can_refuse))[0]["type"] == "websocket.accept"
    refused = asyncio.run(connect(app, can_refuse=can_refuse))[0]
    if can_refuse:
        assert (refused["type"], refused["status"]) == ("websocket.http.response.start", 429)
    else:
        assert (refused["type"], refused["code"]) == ("websocket.close", 1013)


def test_an_ipv6_network_is_one_sender() -> None:
    def key(host: str) -> str:
        return anonymous_sender({"type": "http", "client": (host, 1)}).key

    assert key("2001:db8:1:2::1") == key("2001:db8:1:2:ffff::9")
    assert key("2001:db8:1:2::1") != key("2001:db8:1:3::1")
    assert key("::ffff:192.0.2.1") == key("192.0.2.1") != key("192.0.2.2")
    assert key("fe80::1%eth0") == key("fe80::1")
    assert anonymous_sender({"type": "http", "client": None}).key == "address:unknown"


@pytest.mark.parametrize(("trusted", "passed"), [([], 20), (["127.0.0.1"], 40), (["203.0.113.7"], 20)])
def test_a_forwarded_address_is_believed_from_a_named_proxy_only(
    services: Services, trusted: list[str], passed: int
) -> None:
    settings = services.settings.model_copy(update={"trusted_proxies": trusted})
    object.__setattr__(services, "settings", settings)
    body = {"name": "alice", "password": PASSWORD}
    with (
        serving(create_app(services), cli._uvicorn_config(services)) as served,
        httpx.Client(base_url=served.url) as client,
    ):
        answers = Counter(
            client.post("/api/v1/login", json=body, headers={"X-Forwarded-For": f"198.51.100.{n}"}).status_code
            for n in range(40)
        )
    assert answers[401] == passed
