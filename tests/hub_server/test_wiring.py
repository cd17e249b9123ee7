"""From settings to services: what cannot be used is said with what to do, and what was left over is swept."""

import os
import time
from pathlib import Path

import psycopg
import pytest

from hub_server import wiring
from hub_server.adapters.log_mailer import LogMailer
from hub_server.adapters.smtp_mailer import SmtpMailer
from hub_server.adapters.tantivy_search_index import TantivySearchIndex
from hub_server.errors import InvalidRequestError, StorageUnavailableError
from hub_server.journal.actions import remember_key
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.ports.tool_server import NoToolServer
from hub_server.settings import LimitSettings, MailSettings, MirrorSettings, ServerSettings
from hub_server.wiring import _open_tools, _sweep, open_database, open_mailer, open_signer, wire


def settings(tmp_path: Path, **more) -> ServerSettings:
    return ServerSettings(data=tmp_path / "data", **more)


def test_a_hub_is_made_of_settings_alone_and_its_database_is_at_the_newest_step(tmp_path: Path) -> None:
    services = wire(settings(tmp_path))
    try:
        services.database.check()
        services.blobs.check()
        assert isinstance(services.search, TantivySearchIndex)
        assert services.signer.key_id
        assert services.wheels is not None
    finally:
        services.close()


def test_a_second_start_keeps_the_key_that_signed_before(tmp_path: Path) -> None:
    chosen = settings(tmp_path)
    first = open_signer(chosen)
    assert open_signer(chosen).key_id == first.key_id
    key = tmp_path / "data" / "keys" / "signing.pem"
    assert key.stat().st_mode & 0o077 == 0, "nobody else reads it"


def test_a_key_that_the_operator_named_is_never_made_up(tmp_path: Path) -> None:
    with pytest.raises(StorageUnavailableError):
        open_signer(settings(tmp_path, signing_key=tmp_path / "missing.pem"))
    assert not (tmp_path / "missing.pem").exists()


def test_a_data_folder_that_cannot_be_made_is_said_with_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file stands in its place")
    with pytest.raises(StorageUnavailableError, match="--data"):
        wire(settings(tmp_path))


@pytest.mark.parametrize("content", [b"this is no database at all, but long enough to be read as one" * 20])
def test_a_file_that_is_no_database_is_refused_in_words(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "hub.sqlite3"
    path.write_bytes(content)
    with pytest.raises(Exception, match="database"):
        open_database(settings(tmp_path, storage={"database_url": f"sqlite:///{path}"}))
    assert path.read_bytes() == content


def test_a_database_in_a_folder_that_is_not_there_says_what_to_check(tmp_path: Path) -> None:
    with pytest.raises(StorageUnavailableError, match="check that it runs"):
        open_database(settings(tmp_path, storage={"database_url": f"sqlite:///{tmp_path / 'none' / 'hub.sqlite3'}"}))


@pytest.mark.parametrize("encoding", ["SQL_ASCII", "LATIN1"])
def test_a_database_that_cannot_hold_every_text_is_refused_in_words(
    tmp_path: Path, postgres_url: str, encoding: str
) -> None:
    """With SQL_ASCII the driver gave bytes for text, and the hub called it a bug of its own."""
    name = f"of_{encoding.lower()}"
    host = postgres_url.rpartition("host=")[2]
    with psycopg.connect(f"host={host} user=postgres dbname=postgres", autocommit=True) as asking:
        asking.execute(f"CREATE DATABASE {name} ENCODING '{encoding}' LOCALE 'C' TEMPLATE template0".encode())
        with pytest.raises(StorageUnavailableError, match=f"encoding is {encoding}"):
            open_database(settings(tmp_path, storage={"database_url": postgres_url.format(name=name)}))
        asking.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


def test_old_temporary_files_are_swept_and_an_upload_that_runs_is_not(tmp_path: Path) -> None:
    names = ("uploads/old.whl", "uploads/new.whl", "uploads/old.txt", "wheels/old.part", "wheels/old.whl")
    day_ago = time.time() - 86400
    for name in names:
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(b"x")
        if "old" in name:
            os.utime(path, (day_ago, day_ago))
    _sweep(tmp_path)
    left = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()}
    assert left == {"uploads/new.whl", "uploads/old.txt", "wheels/old.whl"}
    _sweep(tmp_path / "none")


def test_without_the_protocols_library_a_hub_serves_no_tools_and_starts_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(wiring, "find_spec", lambda _name: None)
    assert isinstance(_open_tools(None, LimitSettings()), NoToolServer)


def test_mail_goes_out_only_with_an_address_that_links_begin_with(tmp_path: Path) -> None:
    assert isinstance(open_mailer(ServerSettings(data=tmp_path)), LogMailer)
    mail = MailSettings(host="mail.example.org", sender="hub@example.org")
    with pytest.raises(InvalidRequestError, match="PUBLIC_URL"):  # a request's own Host must not choose it
        open_mailer(ServerSettings(data=tmp_path, mail=mail))
    ready = ServerSettings(data=tmp_path, mail=mail, public_url="https://hub.example.org")
    assert isinstance(open_mailer(ready), SmtpMailer)


def mirrored(tmp_path: Path, url: str, folder: str = "data") -> ServerSettings:
    return ServerSettings(data=tmp_path / folder, mirror=MirrorSettings(of=url))


def test_a_folder_that_was_a_mirror_stays_one_without_being_told_and_has_no_key(tmp_path: Path) -> None:
    for chosen in (
        mirrored(tmp_path, "https://hub.test/"),
        settings(tmp_path),
        mirrored(tmp_path, "https://moved.test"),
    ):
        services = wire(chosen)
        of, key_id = services.settings.mirror.of, services.signer.key_id
        services.close()
        assert key_id == ""
        assert of == (chosen.mirror.of or "https://hub.test")
    assert not (tmp_path / "data" / "keys").exists()


def test_a_hub_of_its_own_is_not_made_a_mirror(tmp_path: Path) -> None:
    services = wire(settings(tmp_path))
    with services.database.writing() as session:
        remember_key(UnitOfWork(session, services))
    services.close()
    with pytest.raises(InvalidRequestError, match="journal of its own"):
        wire(mirrored(tmp_path, "https://hub.test"))
