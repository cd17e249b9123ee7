"""``verihub monitor``: a copy of the hub's whole journal, checked entry by entry."""

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from hub_client.commands.command_context import open_context
from hub_client.integrity.journal_copy import CopiedEntry, JournalCopy
from hub_client.terminal.output import Output
from schemas.wording import counted


def monitor(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The copy: one entry a line. Made where there is none.")],
) -> None:
    """Keep a copy of the hub's journal, and prove that the hub has changed nothing of it.

    Prints what is new. Exits 7, and writes nothing, where an entry is not signed, is missing, or was changed.

    \b
    Examples:
      verihub monitor journal.jsonl
    """
    with open_context() as context:
        copy = JournalCopy(file, context.hub.journal, context.hub)
        entries: list[CopiedEntry] = []
        try:
            entries.extend(copy.bring_up_to_date())
        finally:  # what is in the copy by now is new in no later run
            if entries or sys.exception() is None:
                _print(context.output, copy, entries)


def _print(output: Output, copy: JournalCopy, entries: list[CopiedEntry]) -> None:
    lines = [_line(entry) for entry in entries]
    lines.append(f"{counted(copy.size, 'entry', 'entries')}, {len(entries)} new, root {copy.root.hex()}")
    result = {"items": [_item(entry) for entry in entries], "size": copy.size, "root": copy.root.hex()}
    output.result(result, human="\n".join(lines), quiet=copy.root.hex())


def _line(entry: CopiedEntry) -> str:
    said = entry.statement
    about = f"{said.package} {said.version or ''}".rstrip() if said.package else f"key {said.sha256[:16]}"
    return f"{entry.position + 1}  {said.at:%Y-%m-%d %H:%M}  {said.act}  {about}"


def _item(entry: CopiedEntry) -> dict[str, Any]:
    return {"position": entry.position, **entry.statement.model_dump(mode="json")}
