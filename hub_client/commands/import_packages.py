"""``verihub import``: somebody else's environments as ordinary projects."""

import json
import re
import shlex
from collections.abc import Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from packaging.version import Version

from hub_client.commands.command_context import CommandContext, open_context
from hub_client.commands.judge_model import JudgeModelOption
from hub_client.commands.package_ids import whole_id
from hub_client.errors import ConflictError, HubClientError, NotFoundError, UsageError
from hub_client.imports.defects import DEFECTS
from hub_client.imports.draft import Importer, ImportRefusedError, Item
from hub_client.imports.import_draft import import_draft
from hub_client.imports.own_changes import own_changes
from hub_client.imports.project import read_recorded
from hub_client.imports.registry import LOCAL, SOURCES, Request, open_importer, sources
from hub_client.terminal.output import table
from schemas.names import import_name, split_package_id
from schemas.wording import counted, nearest


def import_packages(  # noqa: PLR0913, PLR0917 -- a command's options are its parameters
    source: Annotated[
        str | None,
        typer.Argument(metavar="SOURCE", help="What to import: NAME:ITEM, or NAME with --list or --all."),
    ] = None,
    package_id: Annotated[
        str | None,
        typer.Argument(
            metavar="[OWNER/]NAME", help="The package's id. With --all: the owner. Without OWNER/: who is logged in."
        ),
    ] = None,
    folder: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Where to write it.  [default: a new folder called NAME]")
    ] = None,
    list_items: Annotated[bool, typer.Option("--list", help="List the sources, or what a source offers.")] = False,
    everything: Annotated[
        bool,
        typer.Option("--all", help="Import all that a source offers, or all folders in a folder."),
    ] = False,
    update: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Write this imported project again when its source has a newer version."),
    ] = None,
    version: Annotated[
        str, typer.Option(metavar="VERSION", help="The library's version.  [default: the newest]", show_default=False)
    ] = "",
    licence: Annotated[
        str, typer.Option(metavar="SPDX", help="The licence, for sources that do not say it.", show_default=False)
    ] = "",
    arguments: Annotated[
        list[str] | None,
        typer.Option(
            "--arg", metavar="NAME=VALUE", help="An argument of the environment's own function. May be repeated."
        ),
    ] = None,
    rows: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Rows that the source would fetch, as OWNER/NAME/CONFIG/SPLIT.jsonl."),
    ] = None,
    judge_model: JudgeModelOption = None,
) -> None:
    """Write an ordinary project from an environment of another library; try it in a box and say what it gets wrong.

    \b
    Examples:
      verihub import --list
      verihub import reasoning-gym --list
      verihub import reasoning-gym:leg_counting alice/leg-counting
      verihub import reasoning-gym alice --all --folder imported
      verihub import --update leg-counting
    """
    with open_context(judge_model=judge_model) as context:
        offline = context.settings.offline
        request = Request(context.hub.cache, "", version, licence, read_arguments(arguments or []), rows, offline)
        if update is not None:
            if package_id or list_items or everything or arguments:
                raise UsageError("--update takes a folder: it knows which package it is, and its arguments")
            _update(context, update, source, version, rows)
        elif source is None:
            if not list_items:
                raise UsageError("name what to import: `verihub import --list` shows the sources")
            _list_sources(context)
        elif list_items:
            _list_items(context, source, version)
        elif everything:
            _import_all(context, source, package_id, folder or Path(), request)
        else:
            _import_one(context, source, package_id, folder, request)


def _list_sources(context: CommandContext) -> None:
    shown = table("source", "what it is")
    for source in sources().values():
        shown.add_row(source.form, source.line)
    data = {name: {"form": source.form, "line": source.line} for name, source in sources().items()}
    context.output.result(data, human=shown, quiet="\n".join(sources()))


def _list_items(context: CommandContext, source: str, version: str) -> None:
    name, _, where = source.partition(":")
    items = open_importer(name, Request(context.hub.cache, where, version)).items()
    shown = table("name", "what it is, or why it cannot be imported")
    for item in items:
        shown.add_row(item.name, f"refused: {item.refused}" if item.refused else item.line)
    context.output.result(
        {"items": [asdict(item) for item in items]},
        human=shown,
        quiet="\n".join(item.name for item in items if not item.refused),
    )


def read_arguments(given: Sequence[str]) -> dict[str, Any]:
    """``["count=3", "kind=easy"]`` -> ``{"count": 3, "kind": "easy"}``: a value is JSON, and otherwise a text."""
    read: dict[str, Any] = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals or not name.isidentifier() or name in read:
            raise UsageError(f"--arg {text}: write NAME=VALUE, each name once")
        try:
            read[name] = json.loads(value)
        except ValueError:
            read[name] = value
    return read


def _import_one(
    context: CommandContext, source: str, package_id: str | None, folder: Path | None, request: Request
) -> None:
    name, _, item = source.partition(":")
    if not item:
        raise UsageError(f"name one item of {name}: `verihub import {name} --list` shows them, --all takes all")
    whole = whole_id(package_id or package_name(name, item), context.settings)
    target = folder or Path(split_package_id(whole)[1])
    importer = open_importer(name, replace(request, where=item))
    report = import_draft(context.hub, importer.draft(item), whole, target)
    human = f"{target} is {whole}, {report.source} {report.version} as it is.\n  {report.line}"
    typed = shlex.quote(str(target))
    human += f"\n  verihub check {typed}\n  verihub publish {typed} --wait"
    if report.defects:
        defects = shlex.quote(str(target / DEFECTS))
        human += f"\n  verihub cases submit {whole} {defects}   # what its verifier judges wrongly"
    context.output.result({"folder": str(target), **asdict(report)}, human=human, quiet=str(target))


def _import_all(context: CommandContext, source: str, owner: str | None, folder: Path, request: Request) -> None:
    """Import each item by itself. An item that is refused, or already there, is reported and skipped."""
    name, _, item = source.partition(":")
    items = _whole_source(name, item, request)
    rows: list[dict[str, Any]] = []
    for importer, entry in items:
        found = _import_entry(context, importer, name, entry, (owner or "").strip("/"), folder)
        rows.append(found)
        context.output.remark(f"{len(rows)}/{len(items)} {entry.name}: {found['said']}")
    shown = table("source", "package", "found")
    for row in rows:
        shown.add_row(row["item"], row.get("package", ""), row["said"])
    brought = [row for row in rows if "package" in row]
    context.output.result({"items": rows}, human=shown, quiet="\n".join(row["folder"] for row in brought))
    context.output.remark(f"{counted(len(brought), 'project')} in {folder}, {len(rows) - len(brought)} left out")


def _whole_source(name: str, item: str, request: Request) -> list[tuple[Importer, Item]]:
    """Every item with its importer: those that a library offers, or the folders in a folder of one's own."""
    if name not in LOCAL:
        if item:
            raise UsageError(f"--all takes a whole source: `verihub import {name} OWNER --all`")
        importer = open_importer(name, request)
        return [(importer, entry) for entry in importer.items()]
    if not Path(item or "-").is_dir():
        raise UsageError(f"--all takes a folder of folders: `verihub import {name}:FOLDER OWNER --all`")
    parts = [path for path in sorted(Path(item).iterdir()) if not path.name.startswith(".")]
    wheres = [str(path) for path in parts if (path.is_dir() and not path.is_symlink()) or name == "rows"]
    return [(open_importer(name, replace(request, where=where)), Item(where)) for where in wheres]


def _import_entry(
    context: CommandContext, importer: Importer, source: str, entry: Item, owner: str, folder: Path
) -> dict[str, Any]:
    if entry.refused:
        return {"item": entry.name, "said": f"refused: {entry.refused}"}
    try:
        short = package_name(source, entry.name)
        whole = whole_id(f"{owner}/{short}" if owner else short, context.settings)
        report = import_draft(context.hub, importer.draft(entry.name), whole, folder / short)
    except HubClientError as error:
        kind = "refused" if isinstance(error, ImportRefusedError) else "failed"
        return {"item": entry.name, "said": f"{kind}: {error}"}
    return {"item": entry.name, "folder": str(folder / short), "said": report.line, **asdict(report)}


def _update(context: CommandContext, folder: Path, source: str | None, version: str, rows: Path | None) -> None:
    recorded = read_recorded(folder)
    _refuse_other_source(folder, recorded.source, source)
    name, _, item = recorded.source.partition(":")
    _refuse_gone(folder, name, item)
    _refuse_renamed(folder, recorded.package)
    brought = recorded.rows if name in sources() and sources()[name].rows else None
    offline = context.settings.offline
    request = Request(context.hub.cache, item, version, recorded.licence, recorded.arguments, rows or brought, offline)
    draft = open_importer(name, request).draft(item)
    if draft.provenance.version == recorded.version:
        said = f"{folder} is {recorded.source} {recorded.version} already: nothing was changed"
        context.output.result({"folder": str(folder), "changed": False}, human=said)
        return
    package = f"src/{import_name(recorded.package)}"
    changes = partial(own_changes, folder, package, recorded.package_version)
    changes()  # refuses before the trial what it cannot keep
    following = f"{Version(recorded.package_version).major + 1}.0.0"
    report = import_draft(context.hub, draft, recorded.package, folder, version=following, over=changes)
    human = f"{folder} is {recorded.source} {draft.provenance.version} now, no longer {recorded.version}"
    human += f"; it is version {following}, as verdicts may differ.\n  {report.line}"
    if report.own_cases:
        human += f"\n  {counted(report.own_cases, 'case')} of yours kept"
    if report.lost_cases:
        human += f"\n  {counted(report.lost_cases, 'case')} of yours left out: the task or the id is another's now"
    if report.kept:
        human += "\n  what you had changed is in " + ", ".join(report.kept)
    data = {"folder": str(folder), "changed": True, "package_version": following, **asdict(report)}
    context.output.result(data, human=human, quiet=str(folder))


def _refuse_gone(folder: Path, name: str, item: str) -> None:
    if name in sources():
        return
    known = nearest(name, list(sources()), what="there are")
    raise NotFoundError(
        f"{folder} was imported by {name}, and there is no such source, of ours or of an installed package; {known}. "
        f"Install the package that brings it. Where it has another name now, import NAME:{item} into a new folder"
    )


def _refuse_renamed(folder: Path, package: str) -> None:
    """What the import wrote would be removed from the package's new place, and written at the old one."""
    others = [one for one in sorted(folder.glob("src/*/verihub.toml")) if one.parent.name != import_name(package)]
    if others:
        raise ConflictError(
            f"{folder} was imported as {package}, and {others[0]} is of another package: if you have renamed it, write "
            'package = "OWNER/NAME", as it is called now, below [tool.verihub.imported] in pyproject.toml'
        )


def _refuse_other_source(folder: Path, recorded: str, said: str | None) -> None:
    """A place on this machine is read only where the user names it: a project that somebody else wrote may say any, and
    what lies there would be published with it. What an installed importer reads is not known: it is given such a place
    only then, too.
    """
    if said is not None and said != recorded:
        raise UsageError(f"{folder} says that it comes from {recorded}, and not from {said}: import that into a folder")
    name, _, item = recorded.partition(":")
    is_ours = name in SOURCES and name not in LOCAL
    is_place = not is_ours and _exists(Path(item)) and Path(item).resolve() != folder.resolve()
    if said is None and (name in {"rows", "harbor"} or is_place):
        raise UsageError(
            f"{folder} says that it comes from this machine: if you want what lies there in the package, name it, "
            f"verihub import {recorded} --update {folder}"
        )


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:  # longer than any name
        return False


def package_name(source: str, item: str) -> str:
    """A name for a package: ``gem`` and ``game:Nim-v0`` become ``gem-game-nim-v0``, so that two sources never collide.

    Rows are named after their file: ``data/Leg_Counting.jsonl`` becomes ``leg-counting``.
    """
    stem = re.sub(r"\.\w+$", "", item.replace("\\", "/").rstrip("/").rpartition("/")[2])
    name = re.sub(r"[^a-z0-9]+", "-", stem.lower()).strip("-")
    if not name:
        raise NotFoundError(f"{item!r} gives no name for a package: write OWNER/NAME")
    return name if source in LOCAL or name.startswith(f"{source}-") else f"{source}-{name}"
