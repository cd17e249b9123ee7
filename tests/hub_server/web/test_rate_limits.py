"""Rate limits against somebody who wants to get around them."""

import asyncio
import re
import shutil
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from sqlalchemy import text

from hub_server import cli
from hub_server.app import create_app
from hub_server.kernel.services import Services
from hub_server.settings import ServerSettings
from hub_server.web.rate_limits import may_guess
from hub_server.web.senders import anonymous_sender
from schemas.account import AccountCreate
from tests.making.hub import METRICS_TOKEN, PASSWORD, Api, make_account
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


@pytest.mark.parametrize(("trusted", "warnings"), [([], 1), (["10.0.0.1"], 0)])
def test_a_proxy_that_is_not_named_is_said_once_and_no_address_with_it(
    services: Services, caplog: pytest.LogCaptureFixture, trusted: list[str], warnings: int
) -> None:
    object.__setattr__(services, "settings", services.settings.model_copy(update={"trusted_proxies": trusted}))
    api = Api(create_app(services))
    for number in range(3):
        api.get("/api/v1/nothing", headers={"X-Forwarded-For": f"198.51.100.{number}"})
    said = [record.getMessage() for record in caplog.records if "TRUSTED_PROXIES" in record.getMessage()]
    assert len(said) == warnings
    assert "198.51" not in "".join(said)


GUESSES: dict[str, tuple[dict[str, Any], int]] = {
    "/api/v1/login": ({"json": {"name": "alice", "password": "wrong wrong wrong"}}, 401),
    "/api/v1/sudo": ({"json": {"name": "alice", "password": "wrong wrong wrong"}}, 401),
    "/api/v1/account/recovery": ({"json": {"account": "alice"}}, 202),
    "/api/v1/account/recovery/password": ({"json": {"code": "wrong", "new": PASSWORD}}, 404),
    "/api/v1/account/email/confirmation": ({"json": {"code": "wrong"}}, 404),
    "/login": ({"data": {"name": "alice", "password": "wrong wrong wrong"}}, 401),
    "/login/code": ({"data": {"code": "123456"}}, 401),
}
"""Addresses at which an attacker tries a password, a code or a mailed link, or has mail sent -> (body, the answer to a wrong one)."""
TRIES = 4


@pytest.fixture
def few_tries(services: Services) -> FastAPI:
    limits = services.settings.limits.model_copy(update={"logins_burst": TRIES, "logins_per_second": 1e-6})
    object.__setattr__(services, "settings", services.settings.model_copy(update={"limits": limits}))
    return create_app(services)


def from_address(app: FastAPI, address: str, path: str, **body: Any) -> int:
    async def ask() -> int:
        transport = httpx.ASGITransport(app=app, client=(address, 1))
        async with httpx.AsyncClient(transport=transport, base_url="http://hub.test") as client:
            return (await client.post(path, **body)).status_code

    return asyncio.run(ask())


def test_an_address_has_few_tries_of_all_kinds_together_and_its_victim_all_of_its_own(
    few_tries: FastAPI, services: Services
) -> None:
    make_account(services, AccountCreate(name="alice", email="alice@example.org", password=PASSWORD))
    for number, (path, (body, answer)) in enumerate(GUESSES.items()):
        attacker = f"198.51.100.{number}"
        got = Counter(from_address(few_tries, attacker, path, **body) for _ in range(TRIES + 2))
        assert got[429] == 2, path
        assert got[answer] == TRIES, (path, got)
        others = {from_address(few_tries, attacker, one, **given) for one, (given, _) in GUESSES.items()}
        assert others == {429}, "one bucket for every kind"
    for headers in ({"Authorization": "Bearer made-up"}, {"Cookie": "verihub-session=made-up"}):
        assert (
            from_address(few_tries, "198.51.100.0", "/api/v1/login", headers=headers, **GUESSES["/api/v1/login"][0])
            == 429
        )
    right = {"json": {"name": "alice", "password": PASSWORD}}
    assert from_address(few_tries, "203.0.113.9", "/api/v1/login", **right) == 200, "seven addresses locked nobody out"
    with services.database.reading() as session:
        queued = session.scalar(text("SELECT count(*) FROM jobs WHERE name = 'accounts.send_reset'"))
    assert queued == 1, "many requests for a new password are one mail"


SECRET_FIELDS = re.compile("password|code|secret|ticket")
TOO_LONG_TO_GUESS = {"/api/v1/device/token", "/api/v1/device/proof", "/login/key-question", "/unsubscribe/{code}"}
"""256 random bits each; the first two have a bucket of their own, the third only asks for a question."""


def test_no_route_that_reads_what_could_be_guessed_is_left_out(app: FastAPI) -> None:
    def fields(dependant: Dependant) -> set[str]:
        found = {name for one in dependant.dependencies for name in fields(one)}
        for parameter in dependant.body_params:
            found |= {parameter.name, *getattr(parameter.field_info.annotation, "model_fields", {})}
        return found

    written = [
        one for one in app.router.routes if isinstance(one, APIRoute) and (one.methods or set()) - {"GET", "HEAD"}
    ]
    reading = {one.path for one in written if any(map(SECRET_FIELDS.search, fields(one.dependant)))}
    uncounted = {path for path in reading if not may_guess({"path": path, "query_string": b"", "method": "POST"})}
    assert uncounted - TOO_LONG_TO_GUESS == set()
    assert len(reading) > 15


def test_tries_at_the_metrics_token_are_counted_and_the_operators_scrapes_are_not(
    services: Services, settings: ServerSettings
) -> None:
    limits = settings.limits.model_copy(update={"reads_burst": BURST, "reads_per_second": 1e-6})
    made = settings.model_copy(update={"limits": limits, "metrics_token": METRICS_TOKEN})
    api = Api(create_app(replace(services, settings=made)))
    tries = Counter(api.as_token(f"try{number}").get("/metrics").status_code for number in range(3 * BURST))
    assert tries[429] >= 2 * BURST
    scrapes = Counter(api.as_token(METRICS_TOKEN).get("/metrics").status_code for _ in range(3 * BURST))
    assert scrapes == {200: 3 * BURST}
