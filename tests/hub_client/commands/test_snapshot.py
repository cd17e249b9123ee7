"""Every command and option, compared with what is stored, so that a change of the command line is seen as one.

To store the command line as it is now: ``python -m tests.hub_client.commands.test_snapshot``.
"""

import inspect
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import Any, get_args, get_type_hints

import typer

from hub_client.commands.command_list import GROUPS
from hub_client.commands.group import app, load_command

STORED = Path(__file__).parent / "snapshot" / "command_line.txt"


def test_the_command_line_is_the_stored_one() -> None:
    assert described() == STORED.read_text(encoding="utf-8"), (
        "the command line changed: if that is meant, run `python -m tests.hub_client.commands.test_snapshot` and say so "
        "in CHANGELOG.md"
    )


def test_every_argument_and_option_says_what_it_is() -> None:
    silent = [
        line for line in STORED.read_text(encoding="utf-8").splitlines() if line.startswith("  ") and line.endswith("]")
    ]
    assert [line for line in silent if "]  " not in line] == []


def described() -> str:
    """Each command with its arguments and options: names, values, default, what it says of itself."""
    lines = ["verihub", *_parameters(typer.main.get_command(app), "  ")]
    for heading, group in GROUPS.items():
        lines += ["", f"# {heading}"]
        for name in group:
            lines += ["", *_command(f"verihub {name}", load_command(name))]
    return "\n".join(lines) + "\n"


def _command(title: str, command: Any) -> Iterator[str]:
    yield title
    yield from _parameters(command, "  ")
    for name, inner in sorted(getattr(command, "commands", {}).items()):
        yield ""
        yield from _command(f"{title} {name}", inner)


def _parameters(command: Any, indent: str) -> Iterator[str]:
    hints = get_type_hints(inspect.unwrap(command.callback)) if command.callback else {}
    for parameter in command.params:
        if parameter.name in ("help", "install_completion", "show_completion"):
            continue
        is_option = parameter.param_type_name == "option"
        values = _values(hints.get(parameter.name)) or parameter.metavar or "value"
        notes = [
            "argument" if not is_option else "flag" if parameter.is_flag else values,
            "required" if parameter.required else "",
            "repeated" if parameter.nargs == -1 or parameter.multiple else "",
            f"default {parameter.default!s}" if _has_default(parameter) else "",
        ]
        names = " / ".join([*parameter.opts, *parameter.secondary_opts])
        yield f"{indent}{names}  [{', '.join(note for note in notes if note)}]  {parameter.help or ''}".rstrip()


def _values(hint: Any) -> str:
    """The words of an enumeration, also of one in a list or beside None."""
    if isinstance(hint, type) and issubclass(hint, Enum):
        return "|".join(str(one.value) for one in hint)
    return next((words for inner in get_args(hint) if (words := _values(inner))), "")


def _has_default(parameter: Any) -> bool:
    return isinstance(parameter.default, str | int | float | Path) and parameter.default not in (False, "")


if __name__ == "__main__":
    STORED.write_text(described(), encoding="utf-8")
