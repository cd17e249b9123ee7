"""``verihub sync``: exactly what the lock pins, or nothing."""

from pathlib import Path
from typing import Annotated

import typer

from hub_client.commands.command_context import CommandContext, open_context, warn_of_author
from hub_client.lockfile import follow_journal, load_pinned, read_lock_of
from hub_client.releases.dependencies import fetch_locked
from schemas.lock import LOCK_NAME, LockedPackage
from schemas.wording import counted


def sync(
    path: Annotated[Path, typer.Option("--file", metavar="FILE", help="The lock.")] = Path(LOCK_NAME),
    frozen: Annotated[
        bool,
        typer.Option("--frozen", help="Refuse what the hub has not signed, and replace nothing that is damaged here."),
    ] = False,
) -> None:
    """Fetch exactly what verihub.lock pins; with --offline, prove that the cache holds all of it.

    A mirror of the hub that the lock was made with serves as well: name it with --url.

    The hub's journal must name every release with the bytes of the lock, and must go on from where it stood when the
    lock was made.

    \b
    Examples:
      verihub sync
      verihub sync --frozen --offline --file verihub.lock
    """
    with open_context() as context:
        lock = read_lock_of(path, context.settings.url)
        if lock.origin != context.settings.url:
            context.output.remark(f"{path} was made at {lock.origin}; {context.settings.url} must show its journal")
        follow_journal(context.hub.journal, lock, path, needs_proof=frozen)
        with context.output.progress("syncing") as advance:
            for index, locked in enumerate(lock.package):
                advance(index, len(lock.package))
                _sync(context, locked, frozen=frozen)
        human = (
            f"{counted(len(lock.package), 'package')} of {path}: here, byte for byte (images and audits not compared)"
        )
        context.output.result({"packages": lock.package}, human=human)


def _sync(context: CommandContext, locked: LockedPackage, *, frozen: bool) -> None:
    package = load_pinned(context.hub.resolver, locked, strict=frozen)
    warn_of_author(context, package)
    python = package.contents.metadata.box_python
    fetch_locked(package.contents.lock, context.hub.cache, offline=context.settings.offline, python=python)
