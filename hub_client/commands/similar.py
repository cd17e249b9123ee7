"""``verihub similar``: packages that ask something alike of a model."""

from typing import Annotated

import typer

from hub_client.client import parse_reference
from hub_client.commands.command_context import open_context
from hub_client.terminal.output import table
from hub_client.transport.requests import packages


def similar(name: Annotated[str, typer.Argument(metavar="OWNER/NAME", help="One package.")]) -> None:
    """List packages of the same kind that ask something alike of a model, the most alike first.

    \b
    Examples:
      verihub similar lecture/gsm8k
    """
    with open_context() as context:
        found = context.hub.send(packages.list_similar(parse_reference(name).package)).items
        listing = table("package", "version", "grade", "")
        for card in found:
            listing.add_row(card.id, card.latest or "", card.audit.grade if card.audit else "", card.summary)
        human = listing if found else "no package is like it"
        context.output.result({"items": found}, human=human, quiet="\n".join(card.id for card in found))
