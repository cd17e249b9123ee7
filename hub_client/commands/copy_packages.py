"""``verihub copy``: packages of another hub onto this one."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import Annotated

import typer

from hub_client.client import Hub, parse_reference
from hub_client.commands.collection_file import write_of
from hub_client.commands.command_context import CommandContext, open_context
from hub_client.errors import IntegrityError, NotFoundError, UsageError
from hub_client.packaging.upload import publish_wheel
from hub_client.releases.closure import load_with_needs
from hub_client.releases.resolve import LoadedPackage
from hub_client.settings import ClientSettings
from hub_client.transport.pages import all_items
from hub_client.transport.requests import accounts, collections, packages
from schemas.collections import Collection
from schemas.names import Reference, check_package_id, names_package, split_release
from schemas.wording import counted

_PAGE = 100


def copy_packages(
    source: Annotated[str, typer.Option("--from", metavar="URL", help="The hub that has them.")],
    wanted: Annotated[
        list[str] | None,
        typer.Argument(metavar="OWNER[/NAME[@VERSION]]", help="Packages, or owners: all packages of theirs."),
    ] = None,
    lists: Annotated[
        list[str] | None,
        typer.Option("--collection", metavar="OWNER/NAME", help="A collection, with its packages. May be repeated."),
    ] = None,
) -> None:
    """Publish packages of another hub on this one, with what they need: the same bytes, under the same names.

    Grades are not taken over: this hub measures them itself.

    \b
    Examples:
      verihub copy lecture --from https://hub.example.org
      verihub copy lecture/gsm8k lecture/sql-questions@1.2.3 --from https://hub.example.org
      verihub copy --collection lecture/agents-with-tools --from https://hub.example.org
    """
    if not wanted and not lists:
        raise UsageError("name packages, an owner, or a --collection")
    with open_context() as context, Hub(settings=_settings_for(source, context.settings)) as there:
        context.hub.send(accounts.whoami())  # a missing or bad token is reported before anything is fetched
        found_lists = [_collection(there, name) for name in lists or []]
        references = [one for text in wanted or [] for one in _references(there, text)]
        references += [parse_reference(entry.reference) for found in found_lists for entry in found.entries]
        found = load_with_needs(there.resolver, references, context.output.remark)
        named = {*(split_release(text)[0] for text in wanted or []), *(name.partition("/")[0] for name in lists or [])}
        _refuse_unnamed(context.hub, found, named)
        items = []
        with context.output.progress("publishing") as advance:
            for index, package in enumerate(found):
                advance(index, len(found))
                items.append(publish_wheel(context.hub, package.wheel.read_bytes()))
        made = [
            context.hub.send(
                collections.write_collection(found.id, write_of(found).model_copy(update={"revision": None}))
            )
            for found in found_lists
        ]
        rows = [(item.release.package, item.release.version, item.created) for item in items]
        _report(context, rows, [one.id for one in made])


def _collection(there: Hub, name: str) -> Collection:
    """The collection of that name. Raises IntegrityError where the other hub answers with another one."""
    found = there.send(collections.get_collection(check_package_id(name)))
    if found.id != name:
        raise IntegrityError(f"{there.url} was asked for the collection {name} and gave {found.id}: nothing was copied")
    return found


def _refuse_unnamed(hub: Hub, found: Sequence[LoadedPackage], named: AbstractSet[str]) -> None:
    """Refuse a new release of a package that is on this hub already, where neither it nor its owner was ``named``.

    What a package needs and a collection lists is the other hub's word: it would publish its own bytes as the next
    release of packages that are the user's.
    """
    surprising = []
    for package in found:
        if named & {package.package, package.package.partition("/")[0]}:
            continue
        try:
            hub.send(packages.get_package(package.package))
        except NotFoundError:
            continue
        try:
            known = hub.send(packages.get_release(package.package, package.version)).digest
        except NotFoundError:
            known = ""
        if known != package.digest:
            surprising.append(package)
    if surprising:
        raise UsageError(
            f"{', '.join(one.reference for one in surprising)} would be published too, and {hub.url} has other "
            "releases of it: nothing was copied. If you want that, name it as well: "
            f"{' '.join(dict.fromkeys(one.package for one in surprising))}"
        )


def _settings_for(source: str, settings: ClientSettings) -> ClientSettings:
    """The settings for the other hub. It never sees the token that was given for this one."""
    named = ClientSettings.load(url=source)
    if named.url == settings.url:
        raise UsageError(f"--from {named.url} is the hub that the packages would go to: name that one with --url")
    return named.model_copy(update={"token": None, "project_url": "", "project_file": None})


def _references(there: Hub, text: str) -> list[Reference]:
    """A reference, or all packages of an owner that have a release to use."""
    if names_package(text):
        return [parse_reference(text)]
    cards = all_items(lambda cursor: there.send(packages.search(filters={"owner": text}, limit=_PAGE, cursor=cursor)))
    others = sorted({card.id for card in cards if card.id.partition("/")[0] != text})
    if others:
        raise IntegrityError(f"{there.url} was asked for packages of {text} and lists {others[0]}: nothing was copied")
    found = [parse_reference(f"{card.id}@{card.latest}") for card in cards if card.latest]
    if not found:
        raise NotFoundError(f"{there.url} has no package of {text} that can be used")
    return found


def _report(context: CommandContext, rows: list[tuple[str, str, bool]], lists: list[str]) -> None:
    items = [{"package": package, "version": version, "created": created} for package, version, created in rows]
    new = sum(created for *_, created in rows)
    lines = [f"{package} {version}{'' if created else '  was there already'}" for package, version, created in rows]
    lines += [f"collection {name}" for name in lists]
    lines.append(f"{counted(new, 'release')} published at {context.hub.url}")
    quiet = "\n".join(f"{package}@{version}" for package, version, _ in rows)
    context.output.result({"items": items, "collections": lists}, human="\n".join(lines), quiet=quiet)
