import io
import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from hub_client.client import Hub
from hub_client.commands.main import run
from hub_client.packaging.pack import pack
from hub_client.settings import ClientSettings
from hub_client.transport.requests import accounts, audits, packages
from schemas.account import AccountCreate
from schemas.kinds import PackageKind
from tests.making.live_hub import live_hub
from tests.making.project import make_project
from tests.making.scripted_hub import URL, ScriptedHub


@dataclass(frozen=True)
class Said:
    """What a command left behind."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@pytest.fixture
def verihub(capsys, monkeypatch):
    """Run the command line in this process: ``verihub("search", "x")``."""
    monkeypatch.setenv("VERIHUB_SANDBOX_TRUST_LOCAL_CODE", "true")
    monkeypatch.setenv("VERIHUB_BACKEND", "local")

    def call(*arguments: Any) -> Said:
        capsys.readouterr()
        code = run([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return Said(code, captured.out, captured.err)

    return call


@dataclass(frozen=True)
class Published:
    """A release on the live hub, and the project it was packed from (copy it before you change it)."""

    id: str
    token: str
    folder: Path


@pytest.fixture(scope="session")
def hub_address(tmp_path_factory):
    with live_hub(tmp_path_factory.mktemp("hub") / "data") as address:
        yield address


@pytest.fixture(scope="session")
def shared_release(hub_address, tmp_path_factory):
    """One environment that the hub has measured, for all tests that only read."""
    home = tmp_path_factory.mktemp("home")  # of its own: a later hub may listen at the same port
    settings = ClientSettings.load(url=hub_address, config_dir=home / "config", cache_dir=home / "cache")
    folder = make_project(tmp_path_factory.mktemp("project") / "letters", "reader/letters", PackageKind.ENVIRONMENT)
    with Hub(settings=settings) as hub:
        account = AccountCreate(name="reader", email="reader@example.org", password="correct horse battery")
        token = hub.send(accounts.sign_up(account)).token
    with Hub(settings=settings.model_copy(update={"token": token})) as hub:
        packed = pack(folder, hub.cache)
        hub.send(packages.publish(packed.data, packed.digest))
        deadline = time.monotonic() + 60
        while [audit.state for audit in hub.send(audits.list_audits("reader/letters", "0.1.0")).items] != ["done"]:
            assert time.monotonic() < deadline, "the hub did not finish the audit"
            time.sleep(0.2)
    return Published("reader/letters", token, folder)


@pytest.fixture
def measured(shared_release, hub_address, monkeypatch, verihub):
    """The measured environment, on its hub, with its owner's token."""
    monkeypatch.setenv("VERIHUB_URL", hub_address)
    monkeypatch.setenv("VERIHUB_TOKEN", shared_release.token)
    return shared_release


@pytest.fixture
def typed(monkeypatch):
    """Give a command its stdin."""

    def give(text: str) -> None:
        monkeypatch.setattr("sys.stdin", io.StringIO(text))

    return give


@pytest.fixture
def at_hub(hub_address, monkeypatch, verihub, typed, request):
    """A fresh account on the live hub, logged in; yields its name."""
    monkeypatch.setenv("VERIHUB_URL", hub_address)
    name = "u" + "".join(char for char in request.node.name.lower() if char.isalnum())[-30:]
    typed("correct horse battery staple")
    said = verihub("login", "--name", name, "--sign-up", f"{name}@example.org", "--password-stdin")
    assert said.code == 0, said.err
    return name


@pytest.fixture
def as_account(at_hub, monkeypatch):
    """Log in as somebody else: ``as_account("bob")``; ``None`` is whoever ``at_hub`` is."""

    def become(name: str | None) -> str:
        if name is None:
            monkeypatch.delenv("VERIHUB_TOKEN", raising=False)
            return at_hub
        whole = f"{name}{at_hub[-24:]}"
        with Hub() as hub:
            made = AccountCreate(name=whole, email=f"{whole}@example.org", password="correct horse battery")
            monkeypatch.setenv("VERIHUB_TOKEN", hub.send(accounts.sign_up(made)).token)
        return whole

    return become


@pytest.fixture
def scripted(monkeypatch, verihub):
    """A hub that says what the test tells it to say; no socket is opened."""
    hub = ScriptedHub()
    monkeypatch.setattr("hub_client.transport.connection.DeadlineTransport", lambda _: httpx.MockTransport(hub))
    monkeypatch.setenv("VERIHUB_URL", URL)
    monkeypatch.setenv("VERIHUB_TOKEN", "secret-token")
    return hub
