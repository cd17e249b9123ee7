"""What a command says: its result on stdout (human, json or quiet), everything else on stderr."""

import logging
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from hub_client.settings import ClientSettings, OutputFormat, wants_colour
from hub_client.terminal.phases import LOGGER
from hub_client.terminal.plain_text import printable, printable_json
from schemas.base import WireModel

_PIPE_COLUMNS = 250  # Rich takes 80 where there is no terminal, and would cut names that scripts read

Advance = Callable[[int, int], None]
"""Called with (done, total)."""


class Output:
    """The output of one command. Results are printed once, at the end; progress and remarks go to stderr."""

    def __init__(self, settings: ClientSettings) -> None:
        self.format = settings.format
        colour = wants_colour()
        self._results = Console(no_color=not colour, highlight=False, soft_wrap=True, width=_width())
        self._remarks = Console(stderr=True, no_color=not colour, highlight=False, soft_wrap=True)
        self._shows_progress = (
            self._remarks.is_terminal and not settings.no_progress and self.format is OutputFormat.HUMAN
        )

    def result(self, data: Any, *, human: "str | Table | None" = None, quiet: str = "") -> None:
        """Print the command's answer: ``data`` as one JSON object, ``human`` for eyes, ``quiet`` for scripts."""
        if self.format is OutputFormat.JSON:
            print_json(data)
        elif self.format is OutputFormat.QUIET:
            if quiet:
                sys.stdout.write(printable(quiet) + "\n")
        elif isinstance(human, Table):
            self._results.print(human)
        elif human:
            self._results.print(printable(human), markup=False)

    def remark(self, text: str) -> None:
        """Print a remark on stderr. It is left out for json and quiet output."""
        if self.format is OutputFormat.HUMAN:
            self._remarks.print(printable(text), markup=False)

    def warn(self, text: str) -> None:
        """Print a warning on stderr."""
        if self.format is not OutputFormat.QUIET:
            self._remarks.print(f"warning: {printable(text)}", markup=False)

    @contextmanager
    def progress(self, label: str) -> Iterator[Advance]:
        """A progress bar on stderr when it is a terminal; otherwise one line that says what has begun."""
        if not self._shows_progress:
            logging.getLogger(LOGGER).info("%s", label)
            yield _ignore
            return
        columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn())
        with Progress(*columns, TimeElapsedColumn(), console=self._remarks, transient=True) as bars:
            bar: TaskID = bars.add_task(printable(label), total=None)
            yield lambda done, total: bars.update(bar, completed=done, total=total or None)


def _width() -> int | None:
    """A terminal's own width; a pipe or a file has none, so nothing is folded there."""
    return None if sys.stdout.isatty() else _PIPE_COLUMNS


def _ignore(_done: int, _total: int) -> None:
    """Progress when stderr is not a terminal: ignored."""


def print_json(data: Any) -> None:
    """One object on stdout."""
    sys.stdout.write(printable_json(jsonable(data), indent=2) + "\n")


def jsonable(data: Any) -> Any:
    """Models as plain JSON, at any depth of lists and dicts."""
    if isinstance(data, WireModel):
        return data.model_dump(mode="json")
    if isinstance(data, dict):
        return {key: jsonable(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [jsonable(item) for item in data]
    return data


class _PlainTable(Table):
    """A table whose cells are text: brackets in them are no markup, and control characters are written out."""

    def add_row(self, *cells: Any, **options: Any) -> None:
        texts = [Text(" ".join(printable(str(cell)).split("\n")), no_wrap=True, overflow="ellipsis") for cell in cells]
        for column, text in zip(self.columns[:-1], texts, strict=False):
            column.min_width = max(column.min_width or len(str(column.header)), text.cell_len)
        super().add_row(*texts, **options)


def table(*columns: str) -> Table:
    """No boxes, aligned columns. When the terminal is narrow, the last column is shortened, and then the right end of
    every line is cut off: names at the left stay whole, because they are what the next command is given.
    """
    made = _PlainTable(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    for name in columns[:-1]:
        made.add_column(name, no_wrap=True)
    made.add_column(columns[-1])  # Rich shortens columns that may wrap first; no cell does (add_row)
    return made
