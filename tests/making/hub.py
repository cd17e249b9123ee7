"""A hub under test as a client sees it, and the things one publishes to it."""

import asyncio
import atexit
import json
import threading
from collections.abc import Coroutine, Mapping
from dataclasses import replace
from typing import Any

import httpx
from fastapi import FastAPI
from sqlalchemy import select
from sqlalchemy.orm import Session

from hub_server.accounts import actions as accounts
from hub_server.accounts.models import AccountRow
from hub_server.kernel.caller import operator
from hub_server.kernel.services import Services
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.worker import Worker
from schemas.account import AccountCreate, Scope, TokenCreate
from tests.making.wheel import MANIFEST, make_wheel

PASSWORD = "correct horse battery staple"
METRICS_TOKEN = "of-the-operators-monitoring"


_RUNNERS: list[asyncio.Runner] = []


def _run(request: Coroutine[Any, Any, httpx.Response]) -> httpx.Response:
    """Run it in the loop that all tests share: a loop and its threads of their own cost a request 2 ms of its 8."""
    if threading.current_thread() is not threading.main_thread():
        return asyncio.run(request)
    if not _RUNNERS:
        _RUNNERS.append(asyncio.Runner())
        atexit.register(_RUNNERS[0].close)
    return _RUNNERS[0].run(request)


class Api:
    """Requests to an app in this process; each runs to its end before the next line of the test."""

    def __init__(self, app: FastAPI, token: str | None = None) -> None:
        self.app = app
        self.token = token
        transport = httpx.ASGITransport(app=app, raise_app_exceptions=False)
        self._client = httpx.AsyncClient(transport=transport, base_url="http://hub.test")

    def as_token(self, token: str | None) -> "Api":
        return Api(self.app, token)

    def request(
        self, method: str, path: str, *, headers: Mapping[str, str] | None = None, **more: Any
    ) -> httpx.Response:
        sent = dict(headers or {})
        if self.token is not None:
            sent.setdefault("Authorization", f"Bearer {self.token}")

        self._client.cookies.clear()  # each request stands alone
        return _run(self._client.request(method, path, headers=sent, **more))

    def get(self, path: str, **more: Any) -> httpx.Response:
        return self.request("GET", path, **more)

    def post(self, path: str, **more: Any) -> httpx.Response:
        return self.request("POST", path, **more)

    def metrics(self) -> str:
        """What the operator's monitoring reads, whoever this is."""
        answer = self.as_token(METRICS_TOKEN).get("/metrics")
        assert answer.status_code == 200, answer.text
        return answer.text

    def sign_up(self, name: str) -> "Api":
        """A new account's own view of the hub."""
        body = {"name": name, "email": f"{name}@example.org", "password": PASSWORD}
        services = self.app.state.services
        if name in services.settings.moderators:  # nobody takes such a name over the network: the operator gives it
            return self.as_token(make_account(services, AccountCreate(**body))).as_person()
        answer = self.post("/api/v1/accounts", json=body)
        assert answer.status_code == 201, answer.text
        return self.as_token(answer.json()["token"])

    def as_person(self) -> "Api":
        """The same account with its password just typed, for what no token may do."""
        name = self.get("/api/v1/account").json()["name"]
        answer = self.post("/api/v1/sudo", json={"name": name, "password": PASSWORD})
        assert answer.status_code == 200, answer.text
        return self.as_token(answer.json()["secret"])

    def publish(self, wheel: bytes) -> httpx.Response:
        return self.post("/api/v1/packages", content=wheel)


def make_account(services: Services, body: AccountCreate) -> str:
    """What the operator does for a moderator: an account with a token of every scope, which is returned."""
    with services.database.writing() as session:
        work = UnitOfWork(session, services, operator())
        accounts.add_account(work, body, accounts.hash_password(body.password), by_operator=True)
    with services.database.writing() as session:
        work = UnitOfWork(session, services, replace(operator(), account_id=_id_of(session, body.name)))
        return accounts.create_token(work, TokenCreate(name="test", scopes=list(Scope))).secret


def _id_of(session: Session, name: str) -> str:
    account_id = session.scalar(select(AccountRow.id).where(AccountRow.name == name))
    assert account_id is not None
    return account_id


def make_package(package: str = "alice/small-sums", version: str = "1.0.0", **more: Any) -> bytes:
    """A sound wheel of ``owner/name``. ``manifest`` is a text; ``code`` replaces ``__init__.py``."""
    manifest = more.pop("manifest", MANIFEST).replace('id = "alice/small-sums"', f'id = "{package}"')
    import_name = package.replace("/", "_").replace("-", "_")
    manifest = manifest.replace("alice_small_sums", import_name)
    files = dict(more.pop("package_files", {}))
    if "code" in more:
        files["__init__.py"] = more.pop("code")
    return make_wheel(name=package.replace("/", "-"), version=version, manifest=manifest, package=files, **more)


def lines_of(answer: httpx.Response) -> list[dict[str, Any]]:
    """A stream's lines."""
    return [json.loads(line) for line in answer.text.splitlines()]


def run_jobs(services: Services, at_most: int = 20) -> int:
    """Run every job that is due, here and now; returns how many."""
    worker = Worker(services)
    count = 0
    while count < at_most and worker.run_one():
        count += 1
    return count
