"""Power fails at any moment of a publish: a release whose row is durable has its bytes, and their names, on the disk.

The order of writes is recorded while a wheel is published, and then cut after each of them. What survives a cut is what
was synced before it. That a commit is on the disk when it returns is SQLite's part (``synchronous=FULL``).
"""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import event, text
from sqlalchemy.orm import Session

from hub_server.adapters import synced
from hub_server.database.engine import Database
from hub_server.database.visibility import MAY_WRITE, ViewedSession
from schemas.names import digest_of
from tests.making.altered_library import alter_library
from tests.making.hub import Api, make_package


@pytest.fixture
def order(services, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """What was made durable, in order: paths that were synced, and ``release`` for a commit that holds the row."""
    seen: list[str] = []
    fsync = os.fsync

    def note_sync(descriptor: int) -> None:
        fsync(descriptor)
        seen.append(str(Path(f"/proc/self/fd/{descriptor}").readlink()))

    def note_commit(session: Session) -> None:
        if MAY_WRITE not in session.info:
            return
        with services.database.reading() as another:
            if another.execute(text("SELECT count(*) FROM releases")).scalar() and "release" not in seen:
                seen.append("release")

    alter_library(monkeypatch, synced, "os", fsync=note_sync)
    event.listen(ViewedSession, "after_commit", note_commit)
    yield seen
    event.remove(ViewedSession, "after_commit", note_commit)


def test_at_every_cut_a_durable_release_has_durable_bytes(alice: Api, services, order: list[str]) -> None:
    wheel = make_package()
    order.clear()
    assert alice.publish(wheel).status_code == 201
    hexadecimal = digest_of(wheel).removeprefix("sha256:")
    folder = Path(services.blobs.where).resolve()
    names = {str(folder), str(folder / "sha256"), str(folder / "sha256" / hexadecimal[:2])}
    needed = names | {str(folder / "sha256" / hexadecimal[:2] / hexadecimal[2:])}
    assert "release" in order
    for cut in range(len(order) + 1):
        survives = set(order[:cut])
        assert "release" not in survives or needed <= survives, order[:cut]
    assert order.index("release") > max(order.index(path) for path in needed)


def test_a_commit_waits_for_the_disk(tmp_path: Path) -> None:
    database = Database(f"sqlite:///{tmp_path / 'hub.sqlite3'}")
    with database.reading() as session:
        assert session.execute(text("PRAGMA synchronous")).scalar() == 2, "FULL"
        assert session.execute(text("PRAGMA journal_mode")).scalar() == "wal"
    database.close()
