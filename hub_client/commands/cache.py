"""``verihub cache``: what lies in the cache on this machine, how large it is, and removing what is not used."""

import time
from collections.abc import Sequence
from typing import Annotated

import typer

from hub_client.commands.command_context import open_context
from hub_client.commands.group import subcommands
from hub_client.errors import UsageError
from hub_client.releases.cache import CachedWheel
from hub_client.terminal.output import table
from schemas.wording import counted

app = subcommands("The cache of wheels on this machine: list, size, prune.")
_DAY_SECONDS = 24 * 3600


@app.command(name="list")
def list_wheels() -> None:
    """List the wheels in the cache, the one that was used last first.

    \b
    Examples:
      verihub cache list
      verihub cache list -q
    """
    with open_context() as context:
        found = context.hub.cache.entries()
        listing = table("wheel", "size", "last used")
        for one in found:
            listing.add_row(one.name, _size(one.size_bytes), _ago(one))
        human = listing if found else "the cache is empty"
        context.output.result({"items": _rows(found)}, human=human, quiet="\n".join(str(one.path) for one in found))


@app.command()
def size() -> None:
    """Say how large the cache is, and where.

    \b
    Examples:
      verihub cache size
    """
    with open_context() as context:
        found, folder = context.hub.cache.entries(), context.hub.cache.folder
        total = sum(one.size_bytes for one in found)
        data = {"folder": str(folder), "wheels": len(found), "size_bytes": total}
        context.output.result(
            data, human=f"{_size(total)} in {counted(len(found), 'wheel')}: {folder}", quiet=str(total)
        )


@app.command()
def prune(
    days: Annotated[int, typer.Option(min=0, metavar="N", help="Keep what was used in the last N days.")] = 30,
    everything: Annotated[bool, typer.Option("--all", help="Keep nothing.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would go.")] = False,
) -> None:
    """Remove wheels that were not used for a while. What is needed again is downloaded again.

    Proofs of what hubs have said stay: by them the client notices if a hub changes its past.

    \b
    Examples:
      verihub cache prune
      verihub cache prune --days 7 --dry-run
    """
    if everything and days != 30:
        raise UsageError("--all keeps nothing: leave out --days")
    with open_context() as context:
        before = float("inf") if everything else time.time() - days * _DAY_SECONDS
        old = [one for one in context.hub.cache.entries() if one.used_at < before]
        for one in old if not dry_run else ():
            context.hub.cache.remove(one)
        freed = _size(sum(one.size_bytes for one in old))
        verb = "would be removed" if dry_run else "removed"
        human = f"{counted(len(old), 'wheel')} {verb}, {freed}"
        context.output.result({"removed": [] if dry_run else _rows(old), "would_remove": _rows(old)}, human=human,
                              quiet="\n".join(str(one.path) for one in old))  # fmt: skip


def _rows(found: Sequence[CachedWheel]) -> list[dict[str, object]]:
    return [{"path": str(one.path), "digest": one.digest, "size_bytes": one.size_bytes} for one in found]


def _size(size_bytes: int) -> str:
    return f"{size_bytes / 2**20:.1f} MiB"


def _ago(one: CachedWheel) -> str:
    days = int((time.time() - one.used_at) // _DAY_SECONDS)
    return "today" if days < 1 else f"{counted(days, 'day')} ago"
