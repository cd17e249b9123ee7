"""The console script ``verihub``. The list of commands is printed without importing what any of them needs."""

import importlib
import sys
from collections.abc import Sequence
from typing import Any

import typer

from hub_client.commands.group import app

_LISTS = ("--help", "-h", "--version", "-V")


def run(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code. Never raises, never prints a traceback."""
    try:
        words = _with_help_first(list(arguments))
        if words[0] in _LISTS:
            status = typer.main.get_command(app).main(args=words[:1], prog_name="verihub", standalone_mode=False)
            return status if isinstance(status, int) else 0
        running: Any = importlib.import_module("hub_client.commands.runner")  # brings settings, errors and pydantic
        code: int = running.run(words)
        return code
    except KeyboardInterrupt:
        sys.stderr.write("verihub: interrupted; nothing was begun\n")
        return 130
    except BrokenPipeError:
        return 1


def _with_help_first(words: list[str]) -> list[str]:
    """``help CMD`` is ``CMD --help``; nothing at all is ``--help``."""
    if words[:1] == ["help"]:
        words = [*words[1:], "--help"]
    return words or ["--help"]


def main() -> None:
    """The console script."""
    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
