"""``verihub admin fsck``: whether the database is sound, and every release's bytes are what its digest says."""

from datetime import timedelta
from typing import Annotated

import typer

from hub_server.admin.opened_hub import Data, opened_hub
from hub_server.cli import say
from hub_server.errors import StorageUnavailableError
from hub_server.journal import actions as journal
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.publishing import actions
from schemas.wording import counted

DAMAGED = 7
"""The exit status of what is not what it should be, as of every command."""


def fsck(
    fast: Annotated[bool, typer.Option("--fast", help="Compare sizes; do not read all bytes.")] = False,
    data: Data = None,
) -> None:
    """Check that database, journal and blobs are whole.

    Lists releases whose bytes are missing or damaged, faults of database and journal, and bytes that no release needs
    (these harm nobody: `verihub admin gc`). Exits 7 if something is lost. The hub may run meanwhile; nothing changes.
    An object store is tried with a small object, which is removed again: one that would overwrite bytes is told.

    \b
    Examples:
      verihub admin fsck --data /srv/verihub
      verihub admin fsck --fast
    """
    with opened_hub(data) as services:
        faults = [f"database  {fault}" for fault in services.database.faults()]
        with services.database.reading() as session:
            faults += [f"journal  {fault}" for fault in journal.tree_faults(UnitOfWork(session, services))]
        for fault in faults:
            typer.echo(fault)
        lost = 0
        for damage in actions.check_bytes(services, reads_bytes=not fast):
            lost += 1
            typer.echo(f"{damage.kind}  {damage.release}  {damage.digest}")
        unused = list(actions.collect_unused(services, timedelta(0), keeps=True))
        for blob in unused:
            typer.echo(f"unused  {blob.digest}  {blob.size_bytes} bytes  stored {blob.stored_at:%Y-%m-%d %H:%M}")
        try:
            if weakness := services.blobs.weakness():
                say(weakness)
        except StorageUnavailableError as error:  # it may be read alone, which is enough for the rest
            say(f"Whether the blob store would overwrite bytes was not tried, because it takes none: {error.detail}")
    say(
        f"{counted(len(faults), 'fault')} of database and journal, "
        f"{counted(lost, 'release')} without {'its' if lost == 1 else 'their'} bytes, "
        f"{counted(len(unused), 'unused blob')}."
    )
    if lost:
        say("Put back the missing and damaged blobs from a backup, or delete them and publish the same wheels again.")
    if faults or lost:
        raise typer.Exit(DAMAGED)
