"""``verihub search``: the catalogue from a shell."""

from typing import Annotated

import typer

from hub_client.commands.command_context import open_context
from hub_client.terminal.output import table
from hub_client.terminal.rates import rate_text
from hub_client.transport.requests import packages
from schemas.kinds import PackageKind
from schemas.package import PackageCard, PackageSort

_NOT_GRADED = {"none": "", "queued": "being measured", "running": "being measured", "failed": "audit failed"}


def search(
    query: Annotated[str, typer.Argument(metavar="WORDS", help="What to look for.  [default: everything]")] = "",
    kind: Annotated[PackageKind | None, typer.Option(help="Only this kind.")] = None,
    tag: Annotated[str | None, typer.Option(help="Only with this tag.")] = None,
    sort: Annotated[PackageSort | None, typer.Option(help="The order of what is found.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=100, help="How many at most.")] = 20,
) -> None:
    """Search the catalogue.

    \b
    Examples:
      verihub search 'final answer' --kind verifier
      verihub search --tag math --format json
    """
    with open_context() as context:
        page = context.hub.send(packages.search(query, kind=kind, tag=tag, sort=sort, limit=limit))
        listing = table("package", "kind", "version", "grade", "accepts wrong", "rejects right", "")
        for card in page.items:
            listing.add_row(*_row(card))
        found = "\n".join(card.id for card in page.items)
        human = listing if page.items else f"nothing fits {query!r}"
        if not page.has_every_word:
            context.output.remark(f"No package has every word of {query!r}. These have at least half of them.")
        context.output.result(
            {"items": page.items, "next": page.next, "has_every_word": page.has_every_word}, human=human, quiet=found
        )


def _row(card: PackageCard) -> tuple[str, ...]:
    measured = card.audit
    rates = (rate_text(measured.overall.fpr), rate_text(measured.overall.fnr)) if measured else ("", "")
    return (
        card.id,
        card.kind,
        card.latest or "",
        measured.grade if measured else _NOT_GRADED.get(card.audit_state, card.audit_state),
        *rates,
        card.summary,
    )
