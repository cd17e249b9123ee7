"""``verihub search``: the catalogue from a shell."""

from typing import Annotated

import typer

from hub_client.commands.command_context import open_context
from hub_client.terminal.output import table
from hub_client.terminal.rates import rate_text
from hub_client.transport.requests import packages
from schemas.evidence.part_words import origins_text
from schemas.evidence.rates import Grade
from schemas.kinds import PackageKind
from schemas.package import AuditSummary, Difficulty, Interaction, PackageCard, PackageSort
from schemas.suite import SuiteFamily

_NOT_GRADED = {"none": "", "queued": "being measured", "running": "being measured", "failed": "audit failed"}


def search(  # noqa: PLR0913, PLR0917 -- one parameter an option
    query: Annotated[str, typer.Argument(metavar="WORDS", help="What to look for.  [default: everything]")] = "",
    kind: Annotated[list[PackageKind] | None, typer.Option(help="Only this kind.")] = None,
    interaction: Annotated[
        list[Interaction] | None,
        typer.Option(help="Only environments with this interaction; given twice, with both."),
    ] = None,
    judges: Annotated[
        list[SuiteFamily] | None, typer.Option(help="Only verifiers that judge this kind of answer.")
    ] = None,
    difficulty: Annotated[
        list[Difficulty] | None, typer.Option(help="Only environments on which models did so, by reported runs.")
    ] = None,
    source: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Only environments imported from this source, such as reasoning-gym."),
    ] = None,
    tag: Annotated[list[str] | None, typer.Option(help="Only with this tag; given twice, with both.")] = None,
    grade: Annotated[list[Grade] | None, typer.Option(help="Only with this grade; U is unrated.")] = None,
    licence: Annotated[list[str] | None, typer.Option(help="Only with this licence.")] = None,
    owner: Annotated[str | None, typer.Option(help="Only of this owner.")] = None,
    sort: Annotated[PackageSort | None, typer.Option(help="The order of what is found.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=100, help="How many at most.")] = 20,
) -> None:
    """Search the catalogue. Given twice, --tag and --interaction mean both values, other options either.

    \b
    Examples:
      verihub search 'final answer' --kind verifier
      verihub search --interaction several-turns --interaction tools
      verihub search --judges code --grade A --grade B
      verihub search --source reasoning-gym --grade A
      verihub search --tag math --format json
    """
    filters = {
        "kind": kind or (), "interaction": interaction or (), "family": judges or (), "difficulty": difficulty or (),
        "source": source or (), "tag": tag or (), "grade": grade or (), "licence": licence or (), "owner": owner or (),
    }  # fmt: skip
    with open_context() as context:
        page = context.hub.send(packages.search(query, filters=filters, sort=sort, limit=limit))
        listing = table("package", "kind", "version", "grade", "accepts wrong", "rejects right", "cases by origin", "")
        for card in page.items:
            listing.add_row(*_row(card))
        found = "\n".join(card.id for card in page.items)
        human = listing if page.items else (f"nothing fits {query!r}" if query else "no packages")
        if not page.has_every_word:
            context.output.remark(
                f"No package has every word of {query!r}. These have at least half of them, or one in name or tags."
            )
        context.output.result(
            {"items": page.items, "next": page.next, "has_every_word": page.has_every_word}, human=human, quiet=found
        )


def _row(card: PackageCard) -> tuple[str, ...]:
    measured = card.audit
    rates = (rate_text(measured.graded.fpr), rate_text(measured.graded.fnr)) if measured else ("", "")
    return (
        card.id,
        card.kind,
        card.latest or "",
        _letter(measured) if measured else _NOT_GRADED.get(card.audit_state, card.audit_state),
        *rates,
        origins_text(measured.origins) if measured else "",
        card.summary,
    )


def _letter(measured: AuditSummary) -> str:
    return f"{measured.grade} hollow" if measured.is_hollow else measured.grade.value
