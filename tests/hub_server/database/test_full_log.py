"""A full disk under PostgreSQL's write-ahead log: the server gives up, the hub says so in one sentence and lives on."""

import contextlib
import logging
import secrets
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import httpx
import pytest

from hub_server.adapters.system_clock import SystemClock
from hub_server.database.engine import Database
from hub_server.database.schema_steps import upgrade
from hub_server.kernel.services import Services
from hub_server.worker import start_workers
from tests.making.engines import INTERLEAVING
from tests.making.hub import Api, make_package
from tests.making.hub_processes import Postgres, wait_until

pytestmark = [INTERLEAVING, pytest.mark.slow, pytest.mark.filterwarnings("ignore::ResourceWarning")]


@pytest.fixture
def log_disk() -> Iterator[Path]:
    """Twenty megabytes for the log."""
    folder = Path(tempfile.mkdtemp(prefix="verihub-log-"))
    mount = ["mount", "-t", "tmpfs", "-o", "size=20m", "tmpfs", str(folder)]
    if subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        folder.rmdir()
        pytest.skip("this user may not mount a file system: an optional dependency")
    (folder / "log").mkdir()
    shutil.chown(folder, "postgres", "postgres")
    shutil.chown(folder / "log", "postgres", "postgres")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)
    folder.rmdir()


@pytest.fixture
def server(log_disk: Path) -> Iterator[Postgres]:
    """A server whose log lies on that disk, in segments of 1 MB."""
    made = Postgres(f"--waldir={log_disk / 'log'}", "--wal-segsize=1", "--encoding=UTF8", "--locale=C.UTF-8")
    made.start()
    yield made
    made.remove()


@pytest.fixture
def services(services: Services) -> Services:
    """With the time as it is, since jobs that the database let down wait for some seconds."""
    return replace(services, clock=SystemClock())


@pytest.fixture
def database_url(request: pytest.FixtureRequest, server: Postgres) -> str:
    """A database of the server's own, whatever the mark says."""
    database = Database(server.url)
    upgrade(database)
    database.close()
    return server.url


def test_what_was_acknowledged_is_there_and_the_hub_goes_on_without_a_restart(
    alice: Api, services: Services, server: Postgres, log_disk: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    assert alice.publish(make_package(version="1.0.0")).status_code == 201
    run = alice.post("/api/v1/runs", json={"name": "long"}).json()["id"]
    workers = start_workers(services, 1)
    filler = log_disk / "filler"
    with contextlib.suppress(OSError), filler.open("wb", buffering=0) as file:
        while True:
            file.write(bytes(4096))
    kept, refused = write_until_refused(alice, run)
    assert (refused.status_code, refused.json()["code"]) == (503, "storage_unavailable"), refused.text
    page = alice.get("/packages/alice/small-sums", headers={"accept": "text/html"})
    for answer in (alice.publish(make_package(version="2.0.0")), alice.get("/api/v1/packages"), page):
        assert answer.status_code in (200, 503), answer.text
    assert page.status_code == 200 or "The database cannot take this now: try again soon." in page.text
    filler.unlink()

    def writes_again() -> bool:
        if server.has_ended:  # it may still be ending when there is room: its operator starts it
            server.start()
        return alice.publish(make_package(version="3.0.0")).status_code in (200, 201)

    wait_until(writes_again, "writing again")
    wait_until(lambda: measured(alice) >= {"1.0.0", "3.0.0"}, "all releases measured")
    for worker, thread in workers:
        worker.stop()
        thread.join(60)
    rows = alice.get(f"/api/v1/runs/{run}/rollouts?limit=1").json()["facets"]["step"]
    assert rows["1"] in (kept, kept + 10), "the last ones may be kept although nobody was told"
    assert [record for record in caplog.records if record.exc_info] == []


def write_until_refused(alice: Api, run: str) -> tuple[int, httpx.Response]:
    """(rollouts that were acknowledged, the first answer that is a refusal)."""
    kept = 0
    for _ in range(200):
        row = {"step": 1, "task_id": "t", "response": secrets.token_hex(25_000), "rewards": {"correct": 1.0}}
        answer = alice.post(f"/api/v1/runs/{run}/rollouts", json={"items": [row] * 10})
        if answer.status_code != 200:
            return kept, answer
        kept += 10
    raise AssertionError("the disk is not full")


def measured(alice: Api) -> set[str]:
    """The releases that have a report."""
    releases = "/api/v1/packages/alice/small-sums/releases"
    versions = [one["version"] for one in alice.get(releases).json()["items"]]
    found = {version: alice.get(f"{releases}/{version}/audits").json()["items"] for version in versions}
    return {version for version, audits in found.items() if any(one["state"] == "done" for one in audits)}
