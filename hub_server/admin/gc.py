"""``verihub admin gc``: bytes that no release needs, deleted."""

from datetime import timedelta
from typing import Annotated

import typer

from hub_server.admin.opened_hub import Data, opened_hub
from hub_server.cli import say
from hub_server.publishing import actions


def gc(
    grace_hours: Annotated[
        float, typer.Option(min=1, help="Keep bytes that were stored within this many hours.")
    ] = 24.0,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only list what would be deleted.")] = False,
    data: Data = None,
) -> None:
    """Delete stored bytes that no release needs.

    Publishes that broke off leave such bytes. The hub may run meanwhile.

    \b
    Examples:
      verihub admin gc --dry-run
      verihub admin gc --data /srv/verihub
    """
    count, size_bytes = 0, 0
    with opened_hub(data) as services:
        for blob in actions.collect_unused(services, timedelta(hours=grace_hours), keeps=dry_run):
            typer.echo(f"{blob.digest}  {blob.size_bytes} bytes  stored {blob.stored_at:%Y-%m-%d %H:%M}")
            count, size_bytes = count + 1, size_bytes + blob.size_bytes
    say(f"{count} blobs, {size_bytes} bytes {'would be' if dry_run else 'are'} deleted.")
