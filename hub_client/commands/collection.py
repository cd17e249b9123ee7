"""``verihub collection``: curated lists of packages."""

from pathlib import Path
from typing import Annotated

import typer
from pydantic import ValidationError

from hub_client.commands.collection_file import (
    read_collection,
    with_entry,
    write_collection_file,
    write_of,
)
from hub_client.commands.command_context import CommandContext, open_context, request_of
from hub_client.commands.confirmation import require_yes
from hub_client.commands.group import subcommands
from hub_client.commands.package_ids import checked_id
from hub_client.errors import NotFoundError, UsageError
from hub_client.terminal.output import table
from hub_client.transport.requests import collections
from schemas.collections import Collection, CollectionEntry, CollectionWrite
from schemas.names import InvalidNameError
from schemas.package import Visibility
from schemas.wording import counted

app = subcommands("Collections: lists of packages with a page, a note beside each.")

Which = Annotated[str, typer.Argument(metavar="OWNER/NAME", help="The collection.")]
Package = Annotated[str, typer.Argument(metavar="PACKAGE[@VERSION]", help="Without a version: always its latest.")]


@app.command(name="list")
def list_collections(
    words: Annotated[str, typer.Argument(metavar="WORDS", help="In title, name or text.  [default: all]")] = "",
    owner: Annotated[str | None, typer.Option(help="Only of this owner.")] = None,
    package: Annotated[str | None, typer.Option(metavar="OWNER/NAME", help="Only with this package.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=100, help="How many at most.")] = 20,
) -> None:
    """List collections, newest first.

    \b
    Examples:
      verihub collection list agents
      verihub collection list --package lecture/wordle
    """
    with open_context() as context:
        page = context.hub.send(collections.list_collections(words, owner=owner, package=package, limit=limit))
        listing = table("collection", "packages", "changed", "title")
        for one in page.items:
            listing.add_row(one.id, str(one.entry_count), f"{one.updated_at:%Y-%m-%d}", one.title)
        human = listing if page.items else "no collection"
        quiet = "\n".join(one.id for one in page.items)
        context.output.result({"items": page.items, "next": page.next}, human=human, quiet=quiet)


@app.command()
def show(
    name: Which,
    toml: Annotated[
        Path | None, typer.Option("--toml", metavar="FILE", help="Write it as a file for `verihub collection publish`.")
    ] = None,
) -> None:
    """Show a collection: its text, and its packages in order.

    \b
    Examples:
      verihub collection show lecture/agents-with-tools
      verihub collection show alice/sums --toml sums.toml
    """
    with open_context() as context:
        found = context.hub.send(collections.get_collection(checked_id(name)))
        if toml is not None:
            write_collection_file(toml, found)
        context.output.result(found, human=_text(found), quiet="\n".join(one.reference for one in found.entries))


@app.command()
def publish(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A TOML file: id, title, text, [[entries]].")],
) -> None:
    """Make a collection from a file. One of the same name is replaced.

    \b
    Examples:
      verihub collection publish sums.toml
    """
    with open_context() as context:
        collection_id, body = read_collection(file)
        made = context.hub.send(collections.write_collection(collection_id, body))
        context.output.result(made, human=f"{_line(made)}\n{context.settings.url}/collections/{made.id}", quiet=made.id)


@app.command()
def add(
    name: Which,
    package: Package,
    note: Annotated[str, typer.Option(help="A word on why it is in it.")] = "",
    title: Annotated[str, typer.Option(help="Make the collection with this title, if there is none.")] = "",
) -> None:
    """Add a package to a collection. For one that is in it, change its note.

    \b
    Examples:
      verihub collection add alice/sums lecture/gsm8k --note 'Begin here.' --title 'Sums for small models'
      verihub collection add alice/sums lecture/gsm8k@2.3.4
    """
    with open_context() as context:
        collection_id, entry = checked_id(name), _entry(package, note)
        before = _found_or_begun(context, collection_id, title)
        made = context.hub.send(collections.write_collection(collection_id, with_entry(before, entry)))
        context.output.result(made, human=_line(made), quiet=made.id)


@app.command()
def remove(name: Which, package: Package) -> None:
    """Take a package out of a collection.

    \b
    Examples:
      verihub collection remove alice/sums lecture/gsm8k
    """
    with open_context() as context:
        collection_id, entry = checked_id(name), _entry(package)
        before = write_of(context.hub.send(collections.get_collection(collection_id)))
        kept = [one for one in before.entries if one.reference != entry.reference]
        if len(kept) == len(before.entries):
            raise UsageError(f"{package} is not in {collection_id}; it holds {_names(before.entries)}")
        after = before.model_copy(update={"entries": kept})
        made = context.hub.send(collections.write_collection(collection_id, after))
        context.output.result(made, human=_line(made), quiet=made.id)


@app.command()
def delete(name: Which, yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False) -> None:
    """Delete a collection. Its packages stay as they are.

    \b
    Examples:
      verihub collection delete alice/sums
    """
    with open_context() as context:
        collection_id = checked_id(name)
        require_yes(f"Delete the collection {collection_id} for good?", yes=yes)
        context.hub.send(collections.delete_collection(collection_id))
        context.output.result({"deleted": collection_id}, human=f"{collection_id} is deleted", quiet=collection_id)


def _found_or_begun(context: CommandContext, collection_id: str, title: str) -> CollectionWrite:
    """The collection as it is; an empty one where there is none and a title is given."""
    try:
        return write_of(context.hub.send(collections.get_collection(collection_id)))
    except NotFoundError as error:
        if not title:
            raise NotFoundError(f"{error}\n  --title TITLE makes it", problem=error.problem) from None
        return request_of(CollectionWrite, title=title, revision=0)


def _entry(reference: str, note: str = "") -> CollectionEntry:
    try:
        return CollectionEntry.parse(reference, note)
    except ValidationError as error:
        raise UsageError(str(error.errors()[0]["msg"])) from None
    except InvalidNameError as error:
        raise UsageError(str(error)) from None


def _names(entries: list[CollectionEntry]) -> str:
    return ", ".join(entry.reference for entry in entries) or "nothing"


def _line(found: Collection) -> str:
    private = f", {found.visibility}" if found.visibility is Visibility.PRIVATE else ""
    return f"{found.id}: {found.title} ({counted(found.entry_count, 'package')}{private})"


def _text(found: Collection) -> str:
    lines = [_line(found), *(["", found.text.strip()] if found.text.strip() else []), ""]
    for entry in found.entries:
        grade = f"  grade {entry.audit.grade}" if entry.audit is not None else ""
        away = "" if entry.card is not None else "  (not available on this hub now)"
        lines.append(f"  {entry.reference}{grade}{away}")
        lines += [f"      {entry.note}"] if entry.note else []
    return "\n".join(lines)
