"""``verihub sync``: exactly what the lock pins, or nothing."""

from pathlib import Path
from typing import Annotated

import typer

from hub_client.commands.session import Session, open_session
from hub_client.errors import IntegrityError, PolicyError, UsageError
from hub_client.locking import read_lock
from hub_client.locking_dependencies import fetch_locked
from schemas.lock import LOCK_NAME, LockedPackage
from schemas.names import Reference, digest_of
from schemas.requirements import LOCK_FILE_NAME


def sync(
    path: Annotated[Path, typer.Option("--file", help="The lock.")] = Path(LOCK_NAME),
) -> None:
    """Fetch exactly what verihub.lock pins; with --offline, prove that the cache holds all of it."""
    with open_session() as session:
        lock = read_lock(path)
        if lock.origin != session.settings.url:
            raise UsageError(f"{path} is of {lock.origin}, not of {session.settings.url}: use --url {lock.origin}")
        with session.output.progress("syncing") as advance:
            for index, locked in enumerate(lock.package):
                advance(index, len(lock.package))
                _sync(session, locked)
        human = f"all {len(lock.package)} packages of {path} are here, byte for byte"
        session.output.result({"packages": lock.package}, human=human)


def _sync(session: Session, locked: LockedPackage) -> None:
    """A quarantined pin fails; a yanked one passes, since it was pinned."""
    try:
        package = session.hub.resolver.load(Reference(package=locked.id, version=locked.version))
    except PolicyError as error:
        raise PolicyError(f"the lock pins it, and still: {error}", problem=error.problem) from None
    if package.digest != locked.archive:
        raise IntegrityError(
            f"{locked.id} {locked.version} is pinned as {locked.archive}, and the hub has {package.digest}: releases "
            "never change, so one of the two was tampered with"
        )
    requirements = package.contents.files.get(f"{package.contents.manifest.import_name}/{LOCK_FILE_NAME}")
    if (digest_of(requirements) if requirements else "") != locked.dependencies:
        raise IntegrityError(f"{locked.id} {locked.version} has other dependencies than its lock says: lock again")
    fetch_locked(package.contents.lock, session.hub.cache, offline=session.settings.offline)
