"""``verihub admin backup`` and ``restore``: a hub as a folder, and back."""

import contextlib
import hashlib
import json
import shutil
import tempfile
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any

import typer

from hub_server.admin.fsck import DAMAGED
from hub_server.admin.opened_hub import Data, opened_hub, refusals_are_said
from hub_server.cli import read_settings, say
from hub_server.database.dumps import POSTGRESQL, SQLITE, dump_name, read_dump, refuse_filled, write_dump
from hub_server.errors import BlobMissingError, ConflictError, InvalidRequestError
from hub_server.kernel.services import Services
from hub_server.ports.blob_store import BlobStore
from hub_server.publishing import actions
from hub_server.settings import ServerSettings
from hub_server.wiring import open_blobs
from schemas.wording import counted

CONTENTS = "backup.json"
"""Written last: without it a backup is not whole."""
_FORMAT = 1
_FOLDERS = ("held", "keys")
_FILES = ("collection_accounts.txt",)
Folder = Annotated[Path, typer.Argument(metavar="FOLDER", help="Where the backup is.")]


def backup(
    folder: Folder,
    copy: Annotated[bool, typer.Option("--copy", help="Copy blobs, even where hard links are possible.")] = False,
    without_key: Annotated[bool, typer.Option("--without-key", help="Leave out the key that signs reports.")] = False,
    data: Data = None,
) -> None:
    """Write database, blobs and key into a folder.

    The hub may run meanwhile. Into the folder of an earlier backup only the blobs are written that it lacks. On one
    file system blobs are hard links: copy the folder to another disk.

    \b
    Examples:
      verihub admin backup /backup/verihub --data /srv/verihub
    """
    with opened_hub(data) as services:
        _open_folder(folder)
        (folder / CONTENTS).unlink(missing_ok=True)
        dump = write_dump(services.database.url, folder)
        count, missing = _keep_blobs(services, folder, links=not copy)
        _keep_files(services.settings, folder, with_key=not without_key)
        contents = {
            "format": _FORMAT,
            "verihub": version("verihub"),
            "made_at": services.clock.now().isoformat(),
            "database": dump.name,
            "blobs": count,
        }
        (folder / CONTENTS).write_text(json.dumps(contents, indent=2) + "\n", encoding="utf-8")
    say(f"{folder} holds the database and {counted(count, 'blob')}.")
    if missing:
        say(f"{missing} releases have no bytes in the store (`verihub admin fsck`): the backup lacks them too.")
        raise typer.Exit(DAMAGED)


def restore(
    folder: Folder,
    onto_store: Annotated[
        bool, typer.Option("--onto-store", help="The store may hold bytes: the hub that wrote them runs no more.")
    ] = False,
    data: Data = None,
) -> None:
    """Make a hub again from a backup, in an empty place.

    The data folder (--data) must be empty or absent, and so must a database and a store that settings name. The digest
    of every blob is checked.

    \b
    Examples:
      verihub admin restore /backup/verihub --data /srv/verihub-again
    """
    settings = read_settings(data, None, None)
    with refusals_are_said():
        dump = _dump_in(folder)
        _check_empty(settings)
        if dump.name != dump_name(settings.database_url):
            kind = {SQLITE: "SQLite", POSTGRESQL: "PostgreSQL"}[dump.name]
            raise InvalidRequestError(f"This is the backup of a hub on {kind}, and the settings name another database.")
        refuse_filled(settings.database_url)  # before anything is written
        settings.data.mkdir(parents=True, exist_ok=True)
        blobs = open_blobs(settings.blobs_url)
        if not onto_store:
            _refuse_used(blobs)
        damaged = _put_back_blobs(folder, blobs)
        _put_back_files(folder, settings)
        read_dump(dump, settings.database_url)  # last: a restore that breaks off leaves no hub that looks whole
    with opened_hub(data) as services:
        lost = list(actions.check_bytes(services, reads_bytes=False))
    for digest in damaged:
        typer.echo(f"damaged in the backup  {digest}")
    for one in lost:
        typer.echo(f"{one.kind}  {one.release}  {one.digest}")
    say(f"The hub is in {settings.data}. What was revoked, suspended or taken down since the backup is so no more.")
    if lost:
        raise typer.Exit(DAMAGED)


def _open_folder(folder: Path) -> None:
    """The backup's folder, for its owner alone: it holds password hashes and the signing key."""
    if folder.exists() and any(folder.iterdir()) and not _is_backup(folder):
        say(f"{folder} is neither empty nor a backup: name another folder.")
        raise typer.Exit(2)
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o700)


def _is_backup(folder: Path) -> bool:
    """Whether a backup is in the folder, or one that broke off."""
    return (folder / CONTENTS).exists() or any((folder / name).exists() for name in (SQLITE, POSTGRESQL))


def _keep_blobs(services: Services, folder: Path, *, links: bool) -> tuple[int, int]:
    """(blobs that the backup holds, releases whose bytes are nowhere). Read after the database was dumped: what the
    dump names was stored before it.
    """
    target = open_blobs(str(folder.absolute() / "blobs"))
    count = missing = 0
    for digest, _, release in actions.needed_bytes(services):
        try:
            if not target.exists(digest):
                _keep_blob(services.blobs, target, digest, links=links)
            count += 1
        except BlobMissingError:
            missing += 1
            typer.echo(f"missing  {release}  {digest}")
    return count, missing


def _keep_blob(source: BlobStore, target: BlobStore, digest: str, *, links: bool) -> None:
    path = source.file_of(digest)
    if path is not None:
        if not (links and target.link_file(path, digest)):
            target.put_file(path, digest)
        return
    chunks = source.stream(digest)
    with tempfile.NamedTemporaryFile() as file:
        for chunk in chunks:
            file.write(chunk)
        file.flush()
        target.put_file(Path(file.name), digest)


def _keep_files(settings: ServerSettings, folder: Path, *, with_key: bool) -> None:
    for name in _FOLDERS if with_key else _FOLDERS[:1]:
        if (settings.data / name).is_dir():
            shutil.copytree(settings.data / name, folder / name, dirs_exist_ok=True)
    for name in _FILES:
        if (settings.data / name).is_file():
            shutil.copy2(settings.data / name, folder / name)


def _dump_in(folder: Path) -> Path:
    """The database's file in a whole backup. Raises ``InvalidRequestError``."""
    contents: dict[str, Any] = {}
    with contextlib.suppress(OSError, ValueError):
        contents = json.loads((folder / CONTENTS).read_text(encoding="utf-8"))
    named = str(contents.get("database"))
    if named not in (SQLITE, POSTGRESQL) or not (folder / named).is_file():
        raise InvalidRequestError(f"{folder} holds no whole backup: {CONTENTS}, which is written last, is not there.")
    if contents.get("format") != _FORMAT:
        raise InvalidRequestError(f"{folder} was written by another version ({contents.get('verihub')}): use that one.")
    return folder / named


def _check_empty(settings: ServerSettings) -> None:
    if settings.data.exists() and any(settings.data.iterdir()):
        raise ConflictError(f"{settings.data} is not empty: name an empty folder with --data.")


def _refuse_used(blobs: BlobStore) -> None:
    """Two hubs on one store delete each other's newer bytes (`gc`, takedowns), so a rehearsal needs its own."""
    if next(blobs.entries(), None) is not None:
        raise ConflictError(
            "The store holds bytes already, and the hub that wrote them would lose some of them to this one: name "
            "another bucket or prefix (VERIHUB_SERVER_STORAGE__BLOBS_URL). Where that hub runs no more, because its "
            "database was lost, add --onto-store."
        )


def _put_back_blobs(folder: Path, target: BlobStore) -> list[str]:
    """Store every sound blob of the backup; gives the digests of the others. Never by a link: a backup stays apart."""
    source = open_blobs(str(folder.absolute() / "blobs"))
    damaged = []
    for blob in source.entries():
        path = source.file_of(blob.digest)
        assert path is not None
        with path.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
        if f"sha256:{found}" == blob.digest:
            target.put_file(path, blob.digest)
        else:
            damaged.append(blob.digest)
    return damaged


def _put_back_files(folder: Path, settings: ServerSettings) -> None:
    for name in _FOLDERS:
        if (folder / name).is_dir():
            shutil.copytree(folder / name, settings.data / name)
    for name in _FILES:
        if (folder / name).is_file():
            shutil.copy2(folder / name, settings.data / name)
