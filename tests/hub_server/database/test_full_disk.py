"""A disk that fills up while the hub writes: said as 503, nothing half-written, and all that was there can be read."""

import contextlib
import json
import secrets
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.exc import OperationalError

from hub_server.kernel.services import Services
from tests.fakes.outgoing_http import FakeOutgoing
from tests.hub_server.conftest import TEMPLATE, _ask_postgres
from tests.making.hub import Api, make_package, run_jobs
from tests.making.wheel import METADATA


@pytest.fixture
def database_url(sqlite_template: Path, small_disk: Path) -> str:
    path = small_disk / "hub.sqlite3"
    shutil.copy(sqlite_template, path)
    return f"sqlite:///{path}"


def test_a_full_disk_refuses_whole_writes_and_keeps_reading(alice: Api) -> None:
    run = alice.post("/api/v1/runs", json={"name": "long"}).json()["id"]
    row = {"step": 1, "task_id": "t", "response": "x" * 10_000, "rewards": {"correct": 1.0}}
    kept = 0
    for _ in range(60):
        answer = alice.post(f"/api/v1/runs/{run}/rollouts", json={"items": [row] * 10})
        if answer.status_code != 200:
            break
        kept += 10
    assert (answer.status_code, answer.json()["code"]) == (503, "storage_unavailable")
    assert alice.get(f"/api/v1/runs/{run}").status_code == 200
    counts = alice.get(f"/api/v1/runs/{run}/rollouts?limit=1").json()["facets"]["step"]
    assert counts == {"1": kept}
    assert kept > 0


@contextmanager
def no_space(disk: Path) -> Iterator[None]:
    """Every byte of the disk is taken for a while."""
    filler = disk / "filler"
    with contextlib.suppress(OSError), filler.open("wb", buffering=0) as file:
        while True:
            file.write(bytes(4096))
    yield
    filler.unlink()


def counts(services: Services) -> dict[str, int]:
    tables = ("releases", "events", "journal_entries", "webhook_deliveries", "jobs")
    with services.database.reading() as session:
        return {table: session.scalar(text(f"SELECT count(*) FROM {table}")) or 0 for table in tables}


@pytest.fixture
def outgoing() -> FakeOutgoing:
    return FakeOutgoing()


@pytest.fixture
def services(services: Services, outgoing: FakeOutgoing) -> Services:
    return replace(services, outgoing=outgoing)


def test_a_publish_on_a_full_disk_leaves_no_half_of_release_event_and_journal(
    alice: Api, services: Services, small_disk: Path, outgoing: FakeOutgoing
) -> None:
    hook = {"owner": "alice", "url": "https://hooks.example/x", "events": ["release.published"]}
    assert alice.as_person().post("/api/v1/webhooks", json=hook).status_code == 201
    assert alice.publish(make_package(version="1.0.0")).status_code == 201
    before = counts(services)
    with no_space(small_disk):
        refused = alice.publish(make_package(version="2.0.0"))
        assert (refused.status_code, refused.json()["code"]) == (503, "storage_unavailable")
        assert counts(services) == before
        assert alice.get("/api/v1/events").json()["newest"] == 1
        with pytest.raises(OperationalError, match="full"):  # `Worker.run` logs it, waits and tries again
            run_jobs(services)
        assert counts(services) == before
    assert outgoing.sent == []
    assert alice.publish(make_package(version="2.0.0")).status_code == 201
    run_jobs(services)
    after = counts(services)
    assert (after["releases"], after["webhook_deliveries"]) == (2, 2)
    assert after["journal_entries"] > before["journal_entries"]
    assert [json.loads(sent.body)["data"]["version"] for sent in outgoing.sent] == ["1.0.0", "2.0.0"]
    assert alice.get("/readyz").json()["database"] == "ok"


class TestPostgres:
    """The same where the database's tables lie on a disk that is full. Its log lies elsewhere, as it should."""

    @pytest.fixture
    def tables_disk(self, tmp_path: Path) -> Iterator[Path]:
        """Forty megabytes, which the server may write."""
        folder = Path(tempfile.mkdtemp(prefix="verihub-tables-"))
        mount = ["mount", "-t", "tmpfs", "-o", "size=40m", "tmpfs", str(folder)]
        if subprocess.run(mount, capture_output=True, check=False).returncode != 0:
            folder.rmdir()
            pytest.skip("this user may not mount a file system")
        shutil.chown(folder, "postgres", "postgres")
        yield folder
        subprocess.run(["umount", "--lazy", str(folder)], check=True)
        folder.rmdir()

    @pytest.fixture(params=[pytest.param("postgres", marks=pytest.mark.postgres)])
    def database_url(self, postgres_template: str, tables_disk: Path) -> Iterator[str]:
        name = f"full_{tables_disk.name.rpartition('-')[2].lower()}"
        _ask_postgres(postgres_template, f"CREATE TABLESPACE {name} LOCATION '{tables_disk}'")
        _ask_postgres(postgres_template, f"CREATE DATABASE {name} TEMPLATE {TEMPLATE} TABLESPACE {name}")
        yield postgres_template.format(name=name)
        _ask_postgres(postgres_template, f"DROP DATABASE {name} WITH (FORCE)")
        _ask_postgres(postgres_template, f"DROP TABLESPACE {name}")

    def test_a_publish_is_refused_whole_and_taken_when_there_is_room(
        self, alice: Api, services: Services, tables_disk: Path, outgoing: FakeOutgoing
    ) -> None:
        hook = {"owner": "alice", "url": "https://hooks.example/x", "events": ["release.published"]}
        assert alice.as_person().post("/api/v1/webhooks", json=hook).status_code == 201
        before = counts(services)
        readme = "\n".join(secrets.token_hex(50) for _ in range(5000))
        large = make_package(version="1.0.0", metadata=f"{METADATA}\n{readme}\n")
        with no_space(tables_disk):
            refused = alice.publish(large)
            assert (refused.status_code, refused.json()["code"]) == (503, "storage_unavailable")
            assert counts(services) == before
            assert alice.get("/api/v1/events").json()["newest"] == 0
            assert alice.get("/readyz").json()["database"] == "ok", "reading goes on"
            run_jobs(services)
        assert outgoing.sent == []
        assert alice.publish(large).status_code == 201
        run_jobs(services)
        after = counts(services)
        assert (after["releases"], after["webhook_deliveries"]) == (1, 1)
        assert [json.loads(sent.body)["data"]["version"] for sent in outgoing.sent] == ["1.0.0"]
