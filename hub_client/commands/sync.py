"""``verihub sync``: exactly what the lock pins, or nothing."""

from pathlib import Path
from typing import Annotated

import typer

from hub_client.commands.command_context import CommandContext, open_context
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
    with open_context() as context:
        lock = read_lock(path)
        if lock.origin != context.settings.url:
            raise UsageError(
                f"{path} was made with another hub ({lock.origin!r}), not with {context.settings.url}: lock again, or "
                "name that hub with --url if you trust it"
            )
        with context.output.progress("syncing") as advance:
            for index, locked in enumerate(lock.package):
                advance(index, len(lock.package))
                _sync(context, locked)
        human = (
            f"{counted(len(lock.package), 'package')} of {path}: here, byte for byte (images and audits not compared)"
        )
        context.output.result({"packages": lock.package}, human=human)


def _sync(context: CommandContext, locked: LockedPackage) -> None:
    """A quarantined pin fails. A yanked pin passes, because it was pinned before."""
    try:
        package = context.hub.resolver.load(Reference(package=locked.id, version=locked.version))
    except PolicyError as error:
        raise PolicyError(
            f"the lock pins this release, but it cannot be used: {error}", problem=error.problem
        ) from None
    check_pinned(locked, package)
    python = package.contents.metadata.box_python
    fetch_locked(package.contents.lock, context.hub.cache, offline=context.settings.offline, python=python)
