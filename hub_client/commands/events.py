"""``verihub events``: what happened on a hub, for programs that follow it."""

from typing import Annotated

import typer

from hub_client.commands.command_context import open_context
from hub_client.terminal.output import table
from hub_client.transport.requests import events as requests
from schemas.events import Event


def events(
    since: Annotated[int, typer.Option(min=0, metavar="N", help="Only events that follow this number.")] = 0,
    owner: Annotated[
        str | None, typer.Option(metavar="OWNER", help="Only of what this owner has; your own private ones too.")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, max=100, help="How many at most.")] = 100,
) -> None:
    """List what happened on the hub, in order: releases, audits, grades, cases, discussions, runs.

    The last line on stderr says with which --since to go on; with -q it is all that is printed.

    \b
    Examples:
      verihub events
      verihub events --since 4120 --format json
      verihub events --owner alice
    """
    with open_context() as context:
        page = context.hub.send(requests.list_events(since, owner=owner, limit=limit))
        listing = table("number", "at", "what", "about", "")
        for one in page.items:
            about = " ".join(filter(None, (one.package or one.owner, one.version, one.run)))
            number = "" if one.position is None else str(one.position)
            listing.add_row(number, f"{one.at:%Y-%m-%d %H:%M}", one.kind, about, _facts(one))
        human = listing if page.items else f"nothing since {since}"
        context.output.result(page, human=human, quiet=str(page.next))
        left = "" if page.next >= page.newest else f"; there are {page.newest - page.next} more"
        context.output.remark(f"go on with --since {page.next}{left}")


def _facts(one: Event) -> str:
    return ", ".join(f"{name} {value}" for name, value in one.facts.items() if name != "digest")
