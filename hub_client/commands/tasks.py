"""``verihub tasks``: an environment's tasks as lines of JSON, or as a Parquet file."""

import importlib
import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import typer

from hub_client.commands.command_context import open_context
from hub_client.errors import NotFoundError, UsageError
from hub_client.files import whole_file
from hub_client.terminal.plain_text import printable_json
from schemas.wording import counted, nearest

_ENDLESS = 100
"""How many of a generated split, where no number is asked for."""
_COLUMNS = ("id", "prompt", "answer", "info", "tags", "split")
_GROUP = 2000
"""Rows that are in memory at once, and a row group of a Parquet file."""


def tasks(  # noqa: PLR0917 -- a command's options are its parameters
    target: Annotated[
        str,
        typer.Argument(metavar="FOLDER|OWNER/NAME[@VERSION]", help="A project folder (./x) or a package of the hub."),
    ],
    split: Annotated[str | None, typer.Option(metavar="NAME", help="Which split.  [default: the first]")] = None,
    limit: Annotated[
        int | None, typer.Option(min=1, help="How many.  [default: all; 100 where they are generated]")
    ] = None,
    start: Annotated[int, typer.Option(min=0, help="Pass over so many.")] = 0,
    seed: Annotated[int, typer.Option(help="The seed of a generated split.")] = 0,
    find: Annotated[
        str, typer.Option(metavar="TEXT", help="Only tasks with this in id, tags or prompt.", show_default=False)
    ] = "",
    output: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write .jsonl or .parquet, in place of printing lines.")
    ] = None,
) -> None:
    """Print the tasks of one split with their answers, a line of JSON each, or write them into a file.

    \b
    Examples:
      verihub tasks lecture/gsm8k --split test --limit 5
      verihub tasks lecture/gsm8k --split train --output gsm8k.parquet
    """
    if output is not None and output.suffix not in {".jsonl", ".parquet"}:
        raise UsageError(f"{output.name}: a file of tasks ends in .jsonl or .parquet")
    with open_context() as context:
        env = context.hub.environment(target)
        splits = env.package.contents.manifest.tasks
        if not splits:
            raise NotFoundError(f"{env.package.reference} brings no tasks of its own")
        chosen = split or next(iter(splits))
        if chosen not in splits:
            raise NotFoundError(f"there is no split {chosen}; {nearest(chosen, list(splits), what='there are')}")
        is_generated = env.package.contents.task_counts().get(chosen) is None
        reach = limit if not find else None
        if is_generated and reach is None:
            reach = _ENDLESS
        rows = env.tasks(chosen, seed=seed, start=start, limit=reach)
        found = islice((row for row in rows if _holds(row, find)), limit)
        if output is None:
            for row in found:
                typer.echo(printable_json(row))
            return
        with whole_file(output) as fresh:
            count = _write(found, fresh)
        said = f"{counted(count, 'task')} of {chosen} in {output}"
        context.output.result({"file": str(output), "count": count}, human=said, quiet=str(output))


def _holds(row: dict[str, Any], text: str) -> bool:
    where = json.dumps([row["id"], row.get("tags"), row["prompt"]], ensure_ascii=False)
    return text.casefold() in where.casefold()


def _write(rows: Iterator[dict[str, Any]], file: Path) -> int:
    """How many were written. In Parquet, what is no text is a column of JSON, so that all rows have one shape."""
    if file.suffix == ".jsonl":
        count = 0
        with file.open("w", encoding="utf-8") as lines:
            for count, row in enumerate(rows, start=1):  # noqa: B007 -- the count is what is asked for
                lines.write(printable_json(row) + "\n")
        return count
    try:
        arrow, parquet = importlib.import_module("pyarrow"), importlib.import_module("pyarrow.parquet")
    except ImportError:
        raise UsageError("Parquet needs pyarrow here: `pip install pyarrow`, or write a .jsonl file") from None
    schema = arrow.schema([(key, arrow.string()) for key in _COLUMNS])  # else a group without answers has another type
    count = 0
    with parquet.ParquetWriter(file, schema) as writer:
        while group := [{key: _text(row.get(key)) for key in _COLUMNS} for row in islice(rows, _GROUP)]:
            writer.write_table(arrow.Table.from_pylist(group, schema=schema))
            count += len(group)
    return count


def _text(value: Any) -> str | None:
    return value if value is None or isinstance(value, str) else json.dumps(value, ensure_ascii=False)
