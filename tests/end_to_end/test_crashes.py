"""kill -9 at any moment, and start again: nothing is lost, nothing is doubled."""

import time

import httpx
import pytest

pytestmark = [pytest.mark.docker, pytest.mark.slow, pytest.mark.xdist_group("end_to_end")]

SLOW = '''"""Judges slowly, so that a crash can hit its audit."""

import time


def verify(task, response):
    time.sleep(0.15)
    return {"correct": float(response.strip() == str(task["answer"]))}
'''


def _audit(hub, package: str) -> dict:
    """The newest record; one appears when a worker takes the job."""
    records = httpx.get(f"{hub.url}/api/v1/packages/{package}/releases/0.1.0/audits").json()["items"]
    return records[0] if records else {"state": "queued"}


def _wait_for(hub, package: str, states: set[str], seconds: float = 120) -> dict:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        record = _audit(hub, package)
        if record["state"] in states:
            return record
        time.sleep(0.1)
    return pytest.fail(f"the audit stayed {record['state']}: {record}")


def test_an_audit_survives_kill_9_of_the_hub(hub, alice) -> None:
    alice.run("init", "alice/slow", "--kind", "verifier")
    (alice.home / "slow" / "src" / "alice_slow" / "__init__.py").write_text(SLOW)
    alice.run("publish", "slow")
    _wait_for(hub, "alice/slow", {"running"})
    hub.kill()
    hub.start()
    record = _wait_for(hub, "alice/slow", {"done", "failed"})
    assert record["state"] == "done", record
    assert record["report"]["case_count"] == 20
    records = httpx.get(f"{hub.url}/api/v1/packages/alice/slow/releases/0.1.0/audits").json()["items"]
    assert len(records) == 1


def test_what_was_published_is_there_after_a_crash(hub, alice) -> None:
    alice.run("init", "alice/kept", "--kind", "verifier")
    alice.run("publish", "kept")
    hub.kill()
    hub.start()
    assert alice.json("info", "alice/kept")
    alice.run("pull", "alice/kept")
