"""``verihub admin`` over the same database and blobs as a running hub."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from typer.testing import CliRunner, Result

from hub_server.admin import opened_hub
from hub_server.admin.command import app as command
from hub_server.kernel.services import Services

Admin = Callable[..., Result]


@pytest.fixture
def admin(services: Services, monkeypatch: pytest.MonkeyPatch) -> Admin:
    """The command; ``typed`` is what its standard input says."""

    @contextmanager
    def wired(_settings: object) -> Iterator[Services]:
        yield services

    monkeypatch.setattr(opened_hub, "wired", wired)
    monkeypatch.setenv("VERIHUB_SERVER_DATA", str(services.settings.data))

    def run(*arguments: str, typed: str | None = None) -> Result:
        return CliRunner().invoke(command, list(arguments), input=typed)

    return run
