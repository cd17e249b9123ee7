"""A hub on each database: SQLite from a migrated copy, PostgreSQL from a cluster that the tests start themselves."""

import contextlib
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from argon2 import PasswordHasher
from fastapi import FastAPI
from sqlalchemy import Engine, event
from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite
from sqlalchemy.util import LRUCache

from hub_server.accounts.actions import passwords
from hub_server.adapters.local_wheel_cache import LocalWheelCache
from hub_server.adapters.object_blob_store import ObjectBlobStore
from hub_server.adapters.sandbox_exporter import SandboxExporter
from hub_server.adapters.tantivy_search_index import TantivySearchIndex
from hub_server.app import create_app
from hub_server.database.engine import Database
from hub_server.database.schema_steps import upgrade
from hub_server.kernel.services import Services
from hub_server.settings import ServerSettings
from hub_server.wiring import open_signer
from tests.fakes.clock import FakeClock
from tests.fakes.executor import FakeExecutor
from tests.fakes.wheel_inspector import FakeWheelInspector
from tests.making.action_driver import ActionDriver, open_driver, trust_the_disk
from tests.making.hub import METRICS_TOKEN, Api
from tests.making.kept_databases import KeptDatabases
from tests.making.kept_hub import HubKeeper
from tests.making.listening_app import Served, serving
from tests.making.small_disk import mounted_disk

TEMPLATE = "verihub_template"


@pytest.fixture(scope="session", autouse=True)
def real_hasher() -> Iterator[PasswordHasher]:
    """The hub's own hasher; all tests use one of the same kind that does as little as it may, 20 ms less an account."""
    quick = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    real = passwords._HASHER
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(passwords, "_HASHER", quick)
        patch.setattr(passwords, "_NOBODY", quick.hash("nobody has this password"))
        yield real


@pytest.fixture(scope="session", autouse=True)
def one_statement_cache() -> Iterator[None]:
    """All engines of a test process share their compiled statements. Each test makes an engine: a third of the CPU time
    of these tests was compiling the same statements again.
    """
    shared: LRUCache[Any, Any] = LRUCache(5000)
    make = Database._make_engine

    def make_one_that_shares(database: Database, *arguments: Any) -> Engine:
        engine = make(database, *arguments)
        engine._compiled_cache = shared
        return engine

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Database, "_make_engine", make_one_that_shares)
        for dialect in (SQLiteDialect_pysqlite, PGDialect_psycopg):  # the cache's keys hold the engine's dialect
            patch.setattr(dialect, "__hash__", lambda self: hash(type(self)))
            patch.setattr(dialect, "__eq__", lambda self, other: type(self) is type(other))
        yield


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated SQLite file, to be copied."""
    path = tmp_path_factory.mktemp("sqlite") / "template.sqlite3"
    database = Database(f"sqlite:///{path}")
    upgrade(database)
    database.close()
    return path


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    """A PostgreSQL cluster of our own on a Unix socket; ``{name}`` in the URL is the database."""
    binaries = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    if not binaries:
        pytest.skip("PostgreSQL is not installed (scripts/test installs it)")
    folder = Path(tempfile.mkdtemp(prefix="verihub-pg-", dir=_memory_folder()))
    user = "postgres" if os.getuid() == 0 else None
    if user is not None:
        shutil.chown(folder, user, user)
    server = _start_postgres(binaries[-1], folder, user)
    try:
        yield f"postgresql+psycopg://postgres@/{{name}}?host={folder}"
    finally:
        for connection in _ASKING.values():
            connection.close()
        server.terminate()  # SIGTERM waits for clients, of which there are none
        with contextlib.suppress(subprocess.TimeoutExpired):
            server.wait(60)
        server.kill()
        shutil.rmtree(folder, ignore_errors=True)


def _memory_folder() -> str | None:
    """Where files lie in memory, if there is room: a copied database costs a third of the CPU there (0.03 s for 0.1 s)."""
    memory = Path("/dev/shm")
    with contextlib.suppress(OSError):
        if os.access(memory, os.W_OK) and shutil.disk_usage(memory).free > 2 * 2**30:
            return str(memory)
    return None


def _start_postgres(binaries: Path, folder: Path, user: str | None) -> "subprocess.Popen[bytes]":
    initialise = [str(binaries / "initdb"), "-D", str(folder / "data"), "-U", "postgres", "--auth=trust"]
    subprocess.run(
        [*initialise, "--no-sync", "--encoding=UTF8", "--locale=C.UTF-8"],
        user=user, cwd=folder, check=True, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    options = {
        "fsync": "off", "full_page_writes": "off", "synchronous_commit": "off",
        "max_connections": "200", "shared_buffers": "64MB", "autovacuum": "off",
        "wal_level": "minimal", "max_wal_senders": "0", "max_wal_size": "128MB",
    }  # fmt: skip
    command = [str(binaries / "postgres"), "-D", str(folder / "data"), "-k", str(folder), "-c", "listen_addresses="]
    for name, value in options.items():
        command += ["-c", f"{name}={value}"]
    server = subprocess.Popen(
        command, user=user, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        with contextlib.suppress(psycopg.OperationalError):
            psycopg.connect(f"host={folder} user=postgres dbname=postgres").close()
            return server
        time.sleep(0.05)
    raise RuntimeError("PostgreSQL did not start")


@pytest.fixture(scope="session")
def postgres_template(postgres_url: str) -> str:
    """A migrated database, to be copied; returns its cluster's URL."""
    _ask_postgres(postgres_url, f"CREATE DATABASE {TEMPLATE}")
    database = Database(postgres_url.format(name=TEMPLATE))
    upgrade(database)
    database.close()
    return postgres_url


@pytest.fixture(scope="session")
def kept_databases(postgres_template: str) -> Iterator[KeptDatabases]:
    """Migrated databases without a row."""
    kept = KeptDatabases(postgres_template.rpartition("host=")[2], TEMPLATE)
    yield kept
    kept.close()


_ASKING: dict[str, "psycopg.Connection[Any]"] = {}
"""By cluster: a connection that stays. One of its own for each statement costs 10 ms of CPU, twice a test."""


def _ask_postgres(url: str, statement: str) -> None:
    host = url.rpartition("host=")[2]
    if host not in _ASKING:
        _ASKING[host] = psycopg.connect(f"host={host} user=postgres dbname=postgres", autocommit=True)
    _ASKING[host].execute(statement.encode())


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """A fresh, migrated database on each engine."""
    if request.param == "sqlite":
        path = tmp_path / "hub.sqlite3"
        shutil.copy(request.getfixturevalue("sqlite_template"), path)
        yield f"sqlite:///{path}"
        return
    kept: KeptDatabases = request.getfixturevalue("kept_databases")
    name = kept.lend()
    yield request.getfixturevalue("postgres_template").format(name=name)
    kept.take_back(name)


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    made = Database(database_url)
    if made.is_sqlite:
        event.listen(made.engine, "connect", trust_the_disk)
    yield made
    made.close()


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def executor() -> FakeExecutor:
    return FakeExecutor()


@pytest.fixture(scope="session")
def usual_settings() -> ServerSettings:
    """Read once: looking through the environment for 200 variables costs 2 ms."""
    return ServerSettings(moderators=["moda"], owner_change_hours=0, metrics_token=METRICS_TOKEN)


@pytest.fixture
def settings(usual_settings: ServerSettings, tmp_path: Path) -> ServerSettings:
    return usual_settings.model_copy(update={"data": tmp_path / "data"})


@pytest.fixture
def services(database: Database, settings: ServerSettings, clock: FakeClock, executor: FakeExecutor) -> Services:
    blobs = ObjectBlobStore(settings.blobs_url)
    return Services(
        settings=settings,
        database=database,
        blobs=blobs,
        wheels=LocalWheelCache(blobs, settings.data / "wheels"),
        inspector=FakeWheelInspector(),
        executor=executor,
        search=TantivySearchIndex(None),
        clock=clock,
        signer=open_signer(settings),
        exporter=SandboxExporter(),
    )


@pytest.fixture(scope="session")
def keeper(tmp_path_factory: pytest.TempPathFactory) -> HubKeeper:
    """Hubs in states that take long to make."""
    return HubKeeper(tmp_path_factory.mktemp("kept"))


@pytest.fixture
def driver(sqlite_template: Path, tmp_path: Path) -> Iterator[ActionDriver]:
    """A hub's actions without HTTP, for what holds whatever the database is; SQLite alone."""
    made = open_driver(tmp_path, sqlite_template)
    yield made
    made.services.close()


@pytest.fixture
def app(services: Services) -> FastAPI:
    return create_app(services)


@pytest.fixture
def api(app: FastAPI) -> Api:
    """The hub as a stranger sees it."""
    return Api(app)


@pytest.fixture
def served(app: FastAPI) -> Iterator[Served]:
    """The hub behind a real socket."""
    with serving(app) as served:
        yield served


@pytest.fixture
def alice(api: Api) -> Api:
    """The hub as alice, who has an account and every scope, sees it."""
    return api.sign_up("alice")


@pytest.fixture
def bob(api: Api) -> Api:
    return api.sign_up("bob")


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of two megabytes."""
    with mounted_disk(tmp_path / "small", "2m") as folder:
        yield folder
