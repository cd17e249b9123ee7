"""kill -9 at any moment, and start again: nothing is lost, nothing is doubled."""

import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.end_to_end.conftest import Person, ServedHub
from tests.making.open_folder import open_folder

pytestmark = [pytest.mark.slow, pytest.mark.together("end_to_end")]

HELD = '''"""Judges when it may: the crash hits its audit in the middle, however fast or slow the machine is."""

import time
from pathlib import Path


def verify(task, response):
    while not Path({gate!r}).exists():
        time.sleep(0.01)
    return {{"correct": float(response.strip() == str(task["answer"]))}}
'''
PLAIN_PROCESSES = {"VERIHUB_SERVER_SANDBOX__BACKEND": "local", "VERIHUB_SERVER_SANDBOX__TRUSTED": "true"}


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedHub]:
    """Its boxes are plain processes: a verifier here waits for a file of the test."""
    served = ServedHub(tmp_path_factory.mktemp("hub"), PLAIN_PROCESSES)
    served.start()
    yield served
    served.stop()


@pytest.fixture(scope="module")
def alice(hub: ServedHub, tmp_path_factory: pytest.TempPathFactory) -> Person:
    """On the hub of this file: that of the others is never killed."""
    person = Person(hub, tmp_path_factory.mktemp("alice"), "alice")
    person.sign_up()
    return person


@pytest.fixture
def gate() -> Iterator[Path]:
    """A file that is not there yet, where a box can see it."""
    with open_folder() as folder:
        yield folder / "open"


def _audits(hub: ServedHub, package: str) -> list[dict]:
    """One record appears when a worker takes the job."""
    return httpx.get(f"{hub.url}/api/v1/packages/{package}/releases/0.1.0/audits", timeout=60).json()["items"]


def _wait_for(hub: ServedHub, package: str, states: set[str]) -> dict:
    deadline = time.monotonic() + 240
    while time.monotonic() < deadline:
        records = _audits(hub, package)
        if records and records[0]["state"] in states:
            return records[0]
        time.sleep(0.05)
    return pytest.fail(f"the audit is not {states}: {records}")


def test_an_audit_survives_kill_9_of_the_hub(hub, alice, gate) -> None:
    alice.run("init", "alice/held", "--kind", "verifier")
    source = alice.home / "held" / "src" / "alice_held"
    (source / "__init__.py").write_text(HELD.format(gate=str(gate)))
    manifest = (source / "verihub.toml").read_text()
    assert "timeout_seconds = 2\n" in manifest
    (source / "verihub.toml").write_text(manifest.replace("timeout_seconds = 2\n", "timeout_seconds = 120\n"))
    alice.run("publish", "held")
    _wait_for(hub, "alice/held", {"running"})
    hub.kill()
    hub.start()
    alice.log_in()
    assert _audits(hub, "alice/held")[0]["state"] in {"queued", "running"}
    gate.touch()
    record = _wait_for(hub, "alice/held", {"done", "failed"})
    assert record["state"] == "done", record
    assert record["report"]["case_count"] == 20
    assert len(_audits(hub, "alice/held")) == 1


def test_what_was_published_is_there_after_a_crash(hub, alice) -> None:
    alice.run("init", "alice/kept", "--kind", "verifier")
    alice.run("publish", "kept")
    hub.kill()
    hub.start()
    alice.log_in()
    assert alice.json("info", "alice/kept")
    alice.run("pull", "alice/kept")
