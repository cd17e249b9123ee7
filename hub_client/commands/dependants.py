"""``verihub dependants``: which packages use one."""

from typing import Annotated

import typer

from hub_client.client import parse_reference
from hub_client.commands.command_context import open_context
from hub_client.terminal.output import table
from hub_client.transport.requests import packages
from schemas.kinds import PackageKind


def dependants(
    name: Annotated[str, typer.Argument(metavar="OWNER/NAME", help="One package.")],
    kind: Annotated[list[PackageKind] | None, typer.Option(help="Only this kind; given twice, either.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=100, help="How many at most.")] = 20,
) -> None:
    """List packages that depend on one or name it: who would notice if it changed.

    \b
    Examples:
      verihub dependants hana/math-equivalence
      verihub dependants lecture/gsm8k --kind benchmark
    """
    with open_context() as context:
        call = packages.list_dependants(parse_reference(name).package, kinds=kind or (), limit=limit)
        page = context.hub.send(call)
        listing = table("package", "kind", "version", "")
        for one in page.items:
            listing.add_row(one.id, one.kind, one.latest or "", one.summary)
        human = listing if page.items else "no package uses it"
        quiet = "\n".join(one.id for one in page.items)
        context.output.result({"items": page.items, "next": page.next}, human=human, quiet=quiet)
        if page.next is not None:
            context.output.remark(f"the first {len(page.items)}: --limit shows more")
