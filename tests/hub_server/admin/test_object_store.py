"""An operator's first day with an S3 store: publish, backup, restore, fsck, gc, and the store away in between."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import obstore
import pytest
from moto.server import ThreadedMotoServer
from obstore.store import from_url
from typer.testing import CliRunner

from hub_server.adapters.object_blob_store import ObjectBlobStore
from hub_server.admin import opened_hub
from hub_server.admin.command import app as command
from hub_server.app import create_app
from hub_server.cli import _say_weakness
from hub_server.errors import StorageUnavailableError
from hub_server.kernel.services import Services
from schemas.names import digest_of
from tests.making.engines import ON_SQLITE
from tests.making.hub import Api, make_package


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> Iterator[ThreadedMotoServer]:
    server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    for name, value in {
        "AWS_ENDPOINT": f"http://{host}:{port}", "AWS_ALLOW_HTTP": "true", "AWS_REGION": "us-east-1",
        "AWS_ACCESS_KEY_ID": "x", "AWS_SECRET_ACCESS_KEY": "y", "VERIHUB_SERVER_SANDBOX__BACKEND": "nothing",
    }.items():  # fmt: skip
        monkeypatch.setenv(name, value)
    yield server
    server.stop()


def test_a_bucket_that_is_not_there_is_said(store: ThreadedMotoServer) -> None:
    with pytest.raises(
        StorageUnavailableError, match=r"^The blob store has no such bucket: make it, or correct its name\.$"
    ):
        ObjectBlobStore("s3://nowhere/blobs").check()


ADDRESS = "/api/v1/packages/alice/small-sums/releases/1.0.0"
WHEEL = make_package()


@dataclass
class Operated:
    """A hub whose bytes are in the store: one release, and bytes of a publish that broke off."""

    services: Services
    hub: Api
    alice: Api
    admin: Callable[..., tuple[int, str]]
    unused: str


@pytest.fixture
def operated(store: ThreadedMotoServer, services: Services) -> Operated:
    httpx.put(f"{os.environ['AWS_ENDPOINT']}/hub")
    services = replace(services, blobs=ObjectBlobStore("s3://hub/blobs"))
    hub = Api(create_app(services))
    alice = hub.sign_up("alice")
    assert alice.publish(WHEEL).status_code == 201

    @contextmanager
    def wired(_settings: object) -> Iterator[Services]:
        yield services

    def admin(*arguments: str) -> tuple[int, str]:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(opened_hub, "wired", wired)
            patch.setenv("VERIHUB_SERVER_DATA", str(services.settings.data))
            done = CliRunner().invoke(command, list(arguments))
        return done.exit_code, done.output

    return Operated(services, hub, alice, admin, services.blobs.put(b"of a publish that broke off"))


def test_what_was_published_is_read_and_kept_and_what_was_not_is_collected(operated: Operated) -> None:
    hub, admin = operated.hub, operated.admin
    assert hub.get(f"{ADDRESS}/wheel").content == WHEEL
    assert hub.get(f"{ADDRESS}/wheel", headers={"Range": "bytes=2-5"}).content == WHEEL[2:6]
    assert admin("fsck")[0] == 0
    later = datetime.now(UTC) + timedelta(days=2)  # the store has a clock of its own
    operated.services.clock.set(later)  # type: ignore[attr-defined]
    code, said = admin("gc", "--dry-run")
    assert (code, operated.unused in said, digest_of(WHEEL) in said) == (0, True, False)


@ON_SQLITE
def test_a_backup_comes_back_on_a_store_of_its_own_or_on_that_of_a_hub_that_is_no_more(
    operated: Operated, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    backup = str(tmp_path / "backup")
    assert operated.admin("backup", backup) == (0, f"{backup} holds the database and 1 blob.\n")
    monkeypatch.delenv("VERIHUB_SERVER_STORAGE__DATABASE_URL", raising=False)
    for number, (url, arguments, code, words) in enumerate((
        ("s3://hub/blobs", (), 9, "name another bucket"),  # a rehearsal on the store of the hub that runs
        ("s3://hub/blobs", ("--onto-store",), 0, "The hub is in"),
        ("s3://hub/elsewhere", (), 0, "The hub is in"),
    )):  # fmt: skip
        monkeypatch.setenv("VERIHUB_SERVER_STORAGE__BLOBS_URL", url)
        folder = tmp_path / str(number)
        done = CliRunner().invoke(command, ["restore", backup, "--data", str(folder), *arguments])
        assert (done.exit_code, words in " ".join(done.output.split())) == (code, True), done.output
        assert code == 0 or not (folder / "hub.sqlite3").exists()
    assert ObjectBlobStore("s3://hub/elsewhere").read(digest_of(WHEEL)) == WHEEL


def test_while_the_store_is_away_pages_are_shown_and_every_command_says_so(
    store: ThreadedMotoServer, operated: Operated, tmp_path: Path
) -> None:
    hub = operated.hub
    store.stop()
    assert hub.get(f"{ADDRESS}/wheel").status_code == hub.get("/readyz").status_code == 503
    assert operated.alice.publish(make_package(version="1.1.0")).status_code == 503
    assert hub.get(ADDRESS).status_code == hub.get("/packages").status_code == 200
    for arguments in (("backup", str(tmp_path / "other")), ("fsck",), ("gc",)):
        code, said = operated.admin(*arguments)
        assert (code, said.startswith("The blob store cannot ")) == (9, True), (arguments, said)
        assert os.environ["AWS_ENDPOINT"] not in said


def forget_conditions(store: ThreadedMotoServer) -> None:
    """From now on the server ignores ``If-None-Match``, as some do."""
    assert store._server is not None
    answer = store._server.app

    def without(environ: Any, start_response: Any) -> Any:
        environ.pop("HTTP_IF_NONE_MATCH", None)
        return answer(environ, start_response)

    store._server.app = without


def objects() -> set[str]:
    return {found["path"] for page in obstore.list(from_url("s3://hub")) for found in page}


def test_a_store_that_would_overwrite_bytes_is_told_and_nothing_of_the_try_stays(
    store: ThreadedMotoServer, operated: Operated, capsys: pytest.CaptureFixture[str]
) -> None:
    before = objects()
    code, said = operated.admin("fsck", "--fast")
    _say_weakness(operated.services)
    assert (code, "If-None-Match" in said, "If-None-Match" in capsys.readouterr().err) == (0, False, False)
    forget_conditions(store)
    code, said = operated.admin("fsck", "--fast")
    _say_weakness(operated.services)
    assert code == 0
    assert "The blob store ignores `If-None-Match`" in said
    assert "The blob store ignores `If-None-Match`" in capsys.readouterr().err
    assert objects() == before


def test_a_store_that_goes_away_does_not_end_the_start_of_a_hub(store: ThreadedMotoServer, operated: Operated) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AWS_ENDPOINT", "http://127.0.0.1:9")
        gone = replace(operated.services, blobs=ObjectBlobStore("s3://hub/blobs"))
    with pytest.raises(StorageUnavailableError):
        gone.blobs.weakness()
    _say_weakness(gone)


def test_who_may_only_read_the_store_checks_it_all_the_same(store: ThreadedMotoServer, operated: Operated) -> None:
    """A check that changes nothing needs no right to write: it ended at the try of the store."""
    assert store._server is not None
    answer = store._server.app

    def read_only(environ: Any, start_response: Any) -> Any:
        if environ["REQUEST_METHOD"] in ("PUT", "POST", "DELETE"):
            start_response("403 Forbidden", [("Content-Type", "application/xml"), ("Content-Length", "0")])
            return [b""]
        return answer(environ, start_response)

    store._server.app = read_only
    code, said = operated.admin("fsck", "--fast")
    assert (code, "was not tried, because it takes none" in said) == (0, True), said
