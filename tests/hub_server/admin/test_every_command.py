"""Every ``verihub admin`` command on a hub that holds a little of everything, on both databases; then every page still answers."""

from pathlib import Path

import pytest
from fastapi import FastAPI

from hub_server.admin.command import app as command
from hub_server.kernel.services import Services
from hub_server.settings import ServerSettings
from tests.fakes.executor import FakeExecutor
from tests.hub_server.admin.conftest import Admin
from tests.making import varied_hub
from tests.making.catalogue import judge
from tests.making.hub import Api
from tests.making.hub_addresses import read_addresses

WHY = ("--reason", "It is looked at.")
REFUSED = 9
STEPS: tuple[tuple[tuple[str, ...], int, str], ...] = (
    (("reports",), 0, "carol/gift"),
    (("decide", "REPORT", "--acted", "--reason", "Done."), 0, ""),
    (("make-admin", "bob"), 0, "bob"),
    (("remove-admin", "bob"), 0, "bob"),
    (("suspend", "bob", *WHY), 0, "bob"),
    (("unsuspend", "bob", *WHY), 0, "bob"),
    (("reset-second-factor", "alice", *WHY), 0, "alice"),
    (("quarantine", "alice/small-sums@1.0.0", *WHY), 0, "alice/small-sums"),
    (("unquarantine", "alice/small-sums@1.0.0", *WHY), 0, "alice/small-sums"),
    (("takedown", "carol/gift", *WHY, "--yes"), 0, "carol/gift"),
    (("block", "evil", *WHY), 0, "evil"),
    (("unblock", "evil", *WHY), 0, "evil"),
    (("log",), 0, "carol/gift"),
    (("activity",), 0, "alice"),
    (("read-only", "on", *WHY), 0, ""),
    (("read-only", "off"), 0, ""),
    (("reindex",), 0, "6 packages can be found."),
    (("gc", "--dry-run"), 0, "would be deleted"),
    (("gc",), 0, "are deleted"),
    (("rotate-key",), 0, ""),
    (("seed", "--packages", "3"), REFUSED, "7 packages already"),
    (("fsck",), 0, ""),
    (("backup", "FOLDER"), 0, ""),
    (("restore", "FOLDER"), REFUSED, ""),
)
"""What is typed, how it ends, and a part of what it says, in the order in which it is done."""


@pytest.fixture
def settings(usual_settings: ServerSettings, tmp_path: Path) -> ServerSettings:
    return usual_settings.model_copy(update={"data": tmp_path / "data", "moderators": ["alice"]})


@pytest.fixture
def executor() -> FakeExecutor:
    return FakeExecutor(judge)


def test_every_command_works_on_a_hub_that_is_full(
    app: FastAPI, services: Services, admin: Admin, tmp_path: Path
) -> None:
    alice = varied_hub.fill(app, services)
    names = {"FOLDER": str(tmp_path / "backup"), "REPORT": alice.get("/api/v1/reports").json()["items"][0]["id"]}
    for arguments, status, said in STEPS:
        done = admin(*(names.get(one, one) for one in arguments))
        assert done.exit_code == status, (arguments, done.output, done.exception)
        assert said in done.output, arguments
    stranger = Api(app)
    failed = {path: stranger.get(path).status_code for path in read_addresses(app, services).values()}
    assert {path: status for path, status in failed.items() if status >= 500} == {}


def test_no_command_is_left_out() -> None:
    assert {arguments[0] for arguments, _, _ in STEPS} == {one.name for one in command.registered_commands}
