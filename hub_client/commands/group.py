"""The root command: lists all commands in groups, and imports only the one that runs."""

import difflib
import gc
import importlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any, get_args

import typer
from typer.core import TyperCommand, TyperGroup

from hub_client.commands.command_list import (
    COMMANDS,
    GROUPS,
    MEANT,
    OTHER_NAMES,
    all_names,
    extension_names,
    extensions,
    line_of,
)

_OURS = ("hub_client", "sandbox", "schemas")
_HELP_NAMES: dict[str, Any] = {"help_option_names": ["-h", "--help"]}


class HelpfulGroup(TyperGroup):
    """Prints its help when called without a subcommand (exit 0), and suggests a name for a mistyped subcommand."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """No arguments ask for help."""
        return super().parse_args(ctx, args or ["--help"])

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        """Find the command, or say which one may have been meant."""
        names = self.list_commands(ctx)
        if args and args[0] not in names and not args[0].startswith("-"):
            meant = MEANT.get(args[0], "")
            near = [meant] if meant in names else difflib.get_close_matches(args[0], names, n=2, cutoff=0.5)
            hint = f" Did you mean {' or '.join(near)}?" if near else ""
            ctx.fail(f"No such command {args[0]!r}.{hint}")
        return super().resolve_command(ctx, args)


class RootGroup(HelpfulGroup):
    """Lists commands by their one-line descriptions, and imports a command only when it is called."""

    def list_commands(self, ctx: Any) -> list[str]:
        del ctx
        return all_names()

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """A placeholder for listing. :meth:`resolve_command` returns the real command."""
        if cmd_name not in self.list_commands(ctx):
            return None
        return TyperCommand(cmd_name, help=line_of(cmd_name), short_help=line_of(cmd_name))

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        """Import the command that was asked for."""
        args = [OTHER_NAMES.get(args[0], args[0]), *args[1:]] if args else args
        name, stand_in, rest = super().resolve_command(ctx, args)
        return name, (load_command(name) if name and stand_in else None), rest

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Print one section for each group."""
        del ctx
        sections = {heading: list(group) for heading, group in GROUPS.items()}
        for heading, names in {**sections, "Extensions": sorted(extension_names())}.items():
            if names:
                with formatter.section(heading):
                    formatter.write_dl([(name, line_of(name)) for name in names])


def load_command(name: str) -> Any:
    """The Typer command behind a name. Raises :class:`UsageError` where an extra is missing."""
    try:
        with _no_search_for_garbage():
            found = _imported(name)
    except ModuleNotFoundError as error:
        if name in COMMANDS and (error.name or "").startswith(_OURS):
            raise
        extra = "sandbox" if name in COMMANDS else {"train": "trainer", "serve-model": "trainer"}.get(name, "server")
        errors: Any = importlib.import_module("hub_client.errors")  # slow to import, and only a failure needs it
        how: str = importlib.import_module("schemas.extras").how_to_install(extra)  # so is this
        raise errors.UsageError(f"`verihub {name}` needs {error.name}: {how}") from None
    command = typer.main.get_command(found if isinstance(found, typer.Typer) else _app_of(found))
    _show_values_in_words(command)
    return command


_WORDS = {str: "TEXT", int: "N", float: "NUMBER", Path: "PATH"}


def _show_values_in_words(command: Any) -> None:
    """``--task TEXT`` and not ``--task <str>``: Typer shows the types of Python, which a user need not know."""
    for parameter in command.params:
        if parameter.param_type_name == "argument":
            parameter.metavar = parameter.metavar or parameter.name.upper()
            parameter.display_type_rich = _no_type
            parameter.get_usage_pieces = partial(_usage_pieces, parameter)
        elif parameter.metavar is None and (described := getattr(parameter, "type_descriptor", None)) is not None:
            kinds = [*get_args(described.annotation), described.annotation]
            choices = "|".join(str(getattr(one, "value", one)) for one in described.choices or ())
            parameter.metavar = choices or next((_WORDS[kind] for kind in kinds if kind in _WORDS), None)
    for inner in getattr(command, "commands", {}).values():
        _show_values_in_words(inner)


def _no_type(**_: Any) -> str:
    return ""


def _usage_pieces(parameter: Any, _: Any) -> list[str]:
    """``FOLDER`` where it must be given, ``[FOLDER]`` where it may be, with dots where there may be more."""
    return [
        (parameter.metavar if parameter.required else f"[{parameter.metavar}]")
        + ("..." if parameter.nargs != 1 else "")
    ]


@contextmanager
def _no_search_for_garbage() -> Iterator[None]:
    """While modules are imported: they stay, so there is none. Searching took a tenth of the CPU time of importing the
    server (0.6 of 6.2 s on a machine with much else to do).
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _imported(name: str) -> Any:
    if name in COMMANDS:
        module, _, attribute = COMMANDS[name][0].partition(":")
        return getattr(importlib.import_module(module), attribute)
    return extensions()[name].load()


def _app_of(function: Callable[..., Any]) -> typer.Typer:
    made = typer.Typer(add_completion=False, rich_markup_mode=None, context_settings=_HELP_NAMES)
    made.command(help=function.__doc__)(function)
    return made


def subcommands(about: str) -> typer.Typer:
    """An application for a command that has subcommands."""
    return typer.Typer(
        cls=HelpfulGroup, help=about, rich_markup_mode=None, add_completion=False, context_settings=_HELP_NAMES
    )


app = typer.Typer(
    name="verihub", cls=RootGroup, rich_markup_mode=None, pretty_exceptions_enable=False, context_settings=_HELP_NAMES
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"verihub {version('verihub')}")
        raise typer.Exit


@app.callback()
def _root(
    output_format: Annotated[
        str, typer.Option("--format", metavar="FORMAT", help="human, json (one object on stdout) or quiet.")
    ] = "human",
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="The bare result; the same as --format quiet.")] = False,
    offline: Annotated[bool, typer.Option("--offline", help="Use the cache only.")] = False,
    url: Annotated[str, typer.Option("--url", metavar="URL", help="The hub.  [env: VERIHUB_URL]")] = "",
    *,
    min_age: Annotated[
        float,
        typer.Option(
            "--min-age", metavar="DAYS", help="Use releases published so long ago at least.  [env: VERIHUB_MIN_AGE]"
        ),
    ] = 0.0,
    trust_build: Annotated[
        bool, typer.Option("--trust-build", help="Let projects run their own build code on this machine, as you.")
    ] = False,
    show_version: Annotated[
        bool,
        typer.Option("--version", "-V", is_eager=True, callback=_print_version, help="Print the version and exit."),
    ] = False,
) -> None:
    """Verihub: RL environments, tools and verifiers, each verifier with its measured error rates.

    `verihub help COMMAND` explains a command and gives examples. --format, --quiet, --offline, --url, --min-age and
    --trust-build may stand anywhere.

    Exit codes: 0 ok, 1 bug, 2 usage, 3 not authenticated, 4 not found, 5 conflict, 6 check failed, 7 integrity,
    8 unreachable or offline miss, 9 refused, 130 interrupted.
    """
    # Global options were removed before: see runner.split_globals.
    del output_format, quiet, offline, url, min_age, trust_build, show_version
