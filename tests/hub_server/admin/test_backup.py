"""``verihub admin backup`` and ``restore``: a populated hub comes back row by row and byte by byte, and says what is lost."""

from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from sqlalchemy import make_url, text
from typer.testing import CliRunner, Result

from hub_server.admin.command import app as command
from hub_server.database.base import Base
from hub_server.database.engine import Database
from hub_server.kernel.services import Services
from schemas.names import digest_of
from tests.hub_server.admin.conftest import Admin
from tests.making.hub import Api, make_package, run_jobs


def restored(folder: Path, data: Path) -> Result:
    """What ``verihub admin restore`` says, with the hub's real services."""
    return CliRunner().invoke(command, ["restore", str(folder), "--data", str(data)])


def rows_of(database: Database) -> dict[str, list[str]]:
    with database.reading() as session:
        return {
            name: sorted(repr(tuple(row)) for row in session.execute(table.select()))
            for name, table in Base.metadata.tables.items()
        }


@pytest.fixture
def empty_place(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[Path, str, pytest.MonkeyPatch]]:
    """(data folder, its database's URL) for a hub of the same kind. The settings name it when ``use`` is set."""
    data = tmp_path / "again"
    if database.is_sqlite:
        yield data, f"sqlite:///{data / 'hub.sqlite3'}", monkeypatch
        return
    name = f"t_{uuid4().hex[:12]}"
    url = make_url(database.url).set(database=name).render_as_string(hide_password=False)
    with database.engine.execution_options(isolation_level="AUTOCOMMIT").connect() as connection:
        connection.execute(text(f"CREATE DATABASE {name} TEMPLATE template0"))
    yield data, url, monkeypatch
    with database.engine.execution_options(isolation_level="AUTOCOMMIT").connect() as connection:
        connection.execute(text(f"DROP DATABASE {name} WITH (FORCE)"))


def test_a_populated_hub_comes_back_from_its_backup(
    alice: Api, services: Services, admin: Admin, empty_place: tuple[Path, str, pytest.MonkeyPatch], tmp_path: Path
) -> None:
    first, second = make_package(version="1.0.0"), make_package(version="1.1.0")
    alice.publish(first)
    run_jobs(services)
    alice.publish(second)
    erased = alice.publish(make_package("alice/leak")).json()["release"]["digest"]
    admin("takedown", "alice/leak", "--reason", "a leak", "--yes")
    run_jobs(services)
    unused = services.blobs.put(b"of a publish that broke off")
    folder = tmp_path / "backup"
    written = admin("backup", str(folder))
    assert written.exit_code == 0, written.output
    assert written.stderr == f"{folder} holds the database and 2 blobs.\n"
    linked = services.blobs.file_of(digest_of(first))
    assert linked is not None
    assert linked.stat().st_nlink == 2
    before = rows_of(services.database)

    data, url, monkeypatch = empty_place
    monkeypatch.undo()
    if not services.database.is_sqlite:
        monkeypatch.setenv("VERIHUB_SERVER_STORAGE__DATABASE_URL", url)
    monkeypatch.setenv("VERIHUB_SERVER_SANDBOX__BACKEND", "nothing")
    done = restored(folder, data)
    assert done.exit_code == 0, done.output
    again = Database(url)
    assert rows_of(again) == before
    again.close()
    held = {path.parent.name + path.name for path in (data / "blobs" / "sha256").rglob("*") if path.is_file()}
    assert held == {digest_of(wheel).removeprefix("sha256:") for wheel in (first, second)}
    assert not held & {erased.removeprefix("sha256:"), unused.removeprefix("sha256:")}
    assert (data / "keys" / "signing.pem").read_bytes() == (services.settings.data / "keys/signing.pem").read_bytes()
    assert (data / "keys" / "signing.pem").stat().st_mode & 0o077 == 0
    refused = restored(folder, data)
    assert refused.exit_code == 9
    assert "is not empty" in refused.stderr


def test_what_is_no_whole_backup_is_refused(alice: Api, admin: Admin, tmp_path: Path) -> None:
    alice.publish(make_package())
    folder, other = tmp_path / "backup", tmp_path / "letters"
    other.mkdir()
    (other / "to-my-mother.txt").write_text("Dear mother")
    refused = admin("backup", str(other))
    assert (refused.exit_code, [path.name for path in other.iterdir()]) == (2, ["to-my-mother.txt"])
    assert admin("backup", str(folder), "--copy", "--without-key").exit_code == 0
    assert folder.stat().st_mode & 0o077 == 0
    assert not (folder / "keys").exists()
    (folder / "backup.json").unlink()  # as if it had been killed before the end
    broken = restored(folder, tmp_path / "again")
    assert broken.exit_code == 9
    assert "no whole backup" in broken.stderr
    assert not (tmp_path / "again").exists()
    assert admin("backup", str(folder)).exit_code == 0  # goes on where it was


def test_a_database_that_is_not_empty_is_refused_before_anything_is_written(
    alice: Api, services: Services, admin: Admin, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    alice.publish(make_package())
    assert admin("backup", str(tmp_path / "backup")).exit_code == 0
    monkeypatch.setenv("VERIHUB_SERVER_STORAGE__DATABASE_URL", services.database.url)
    refused = restored(tmp_path / "backup", tmp_path / "again")
    assert (refused.exit_code, "already" in refused.stderr) == (9, True)
    assert not (tmp_path / "again").exists(), "the next try finds the folder empty"


def test_damage_in_the_store_and_in_the_backup_is_named(
    alice: Api, services: Services, admin: Admin, empty_place: tuple[Path, str, pytest.MonkeyPatch], tmp_path: Path
) -> None:
    lost = alice.publish(make_package(version="1.0.0")).json()["release"]["digest"]
    turned = alice.publish(make_package(version="1.1.0")).json()["release"]["digest"]
    services.blobs.delete(lost)
    folder = tmp_path / "backup"
    written = admin("backup", str(folder), "--copy")
    assert written.exit_code == 7
    assert written.stdout == f"missing  alice/small-sums 1.0.0  {lost}\n"
    (copied,) = (path for path in (folder / "blobs" / "sha256").rglob("*") if path.is_file())
    copied.write_bytes(b"X" + copied.read_bytes()[1:])

    data, url, monkeypatch = empty_place
    monkeypatch.undo()
    if not services.database.is_sqlite:
        monkeypatch.setenv("VERIHUB_SERVER_STORAGE__DATABASE_URL", url)
    monkeypatch.setenv("VERIHUB_SERVER_SANDBOX__BACKEND", "nothing")
    done = restored(folder, data)
    assert done.exit_code == 7
    assert set(done.stdout.splitlines()) == {
        f"damaged in the backup  {turned}",
        f"missing  alice/small-sums 1.0.0  {lost}",
        f"missing  alice/small-sums 1.1.0  {turned}",
    }
