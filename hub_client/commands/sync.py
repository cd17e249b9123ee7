"""``verihub sync``: exactly what the lock pins, or nothing."""

from pathlib import Path
from typing import Annotated

import typer

from hub_client.commands.session import Session, open_session
from hub_client.errors import PolicyError, UsageError
from hub_client.lockfile import check_pinned, read_lock
from hub_client.releases.dependencies import fetch_locked
from schemas.lock import LOCK_NAME, LockedPackage
from schemas.names import Reference
from schemas.wording import counted


def sync(
    path: Annotated[Path, typer.Option("--file", metavar="FILE", help="The lock.")] = Path(LOCK_NAME),
) -> None:
    """Fetch exactly what verihub.lock pins; with --offline, prove that the cache holds all of it.

    \b
    Examples:
      verihub sync
      verihub sync --offline --file verihub.lock
    """
    with open_session() as session:
        lock = read_lock(path)
        if lock.origin != session.settings.url:
            raise UsageError(
                f"{path} was made with another hub ({lock.origin!r}), not with {session.settings.url}: lock again, or "
                "name that hub with --url if you trust it"
            )
        with session.output.progress("syncing") as advance:
            for index, locked in enumerate(lock.package):
                advance(index, len(lock.package))
                _sync(session, locked)
        human = (
            f"{counted(len(lock.package), 'package')} of {path}: here, byte for byte (images and audits not compared)"
        )
        session.output.result({"packages": lock.package}, human=human)


def _sync(session: Session, locked: LockedPackage) -> None:
    """A quarantined pin fails. A yanked pin passes, because it was pinned before."""
    try:
        package = session.hub.resolver.load(Reference(package=locked.id, version=locked.version))
    except PolicyError as error:
        raise PolicyError(f"the lock pins it, and still: {error}", problem=error.problem) from None
    check_pinned(locked, package)
    python = package.contents.metadata.box_python
    fetch_locked(package.contents.lock, session.hub.cache, offline=session.settings.offline, python=python)
