"""``verihub``: which command there is and where it lives; errors become one line and an exit code."""

import importlib
import sys
import tempfile
import traceback
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import entry_points, version
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.exceptions import TyperException

from hub_client.error_output import print_error
from hub_client.errors import HubClientError, UsageError
from hub_client.settings import ClientSettings, OutputFormat, command_line

GROUP = "verihub.commands"

# name -> (module:function or module:app, one line). Modules are imported only when their command runs.
COMMANDS: dict[str, tuple[str, str]] = {
    "init": ("hub_client.commands.init:init", "Start a package from a working example."),
    "check": ("hub_client.commands.check:check", "Find out what a hub would refuse, and what changed since a release."),
    "pack": ("hub_client.commands.pack:pack", "Build a package's wheel."),
    "publish": ("hub_client.commands.publish:publish", "Send packages to the hub, where they are measured."),
    "yank": ("hub_client.commands.yank:yank", "Take a release out of @latest and ranges."),
    "search": ("hub_client.commands.search:search", "Search the catalogue."),
    "info": ("hub_client.commands.info:info", "Show a package, its rewards and its measured rates."),
    "pull": ("hub_client.commands.pull:pull", "Fetch a release, verified, into the cache."),
    "lock": ("hub_client.commands.lock:lock", "Pin packages, images and audits in verihub.lock."),
    "sync": ("hub_client.commands.sync:sync", "Fetch exactly what verihub.lock pins."),
    "audit": ("hub_client.commands.audit:audit", "Measure a verifier's false positives and false negatives."),
    "compare": ("hub_client.commands.compare:compare", "Compare two verifiers: where they agree and where they part."),
    "score": ("hub_client.commands.score:score", "Judge one response."),
    "eval": ("hub_client.commands.evaluate:evaluate", "Evaluate a model on a benchmark or an environment."),
    "mcp": ("hub_client.commands.mcp:mcp", "Serve packages' tools over the Model Context Protocol."),
    "cases": ("hub_client.commands.cases:app", "Counter-examples: submit one, list them."),
    "login": ("hub_client.commands.login:login", "Log in, or sign up."),
    "logout": ("hub_client.commands.logout:logout", "Forget the token for this hub."),
    "whoami": ("hub_client.commands.whoami:whoami", "Say whose token is used."),
    "token": ("hub_client.commands.token:app", "Make, list and revoke tokens."),
    "run": ("hub_client.commands.run:app", "Training and evaluation runs on the hub."),
    "export": ("hub_client.commands.export:export", "Make an environment known to verifiers and prime-rl."),
    "openenv": ("hub_client.commands.openenv:openenv", "Serve an environment to OpenEnv's clients."),
    "doctor": ("hub_client.commands.doctor:doctor", "Find out what this machine lacks, and how to get it."),
}
# One line for the commands of our other packages; anybody else's show where they come from.
ELSEWHERE = {
    "serve": "Run a whole hub in this process.",
    "worker": "Add hands to a hub: run its jobs.",
    "train": "Train a model on the hub's environments.",
}
OURS = ("hub_client", "sandbox", "schemas")
_VALUED = {"--format": "format", "--url": "url"}
_FLAGS = {"--offline": "offline"}


class LazyGroup(TyperGroup):
    """Lists every command by its line here, and imports only the one that runs."""

    def list_commands(self, ctx: typer.Context) -> list[str]:  # type: ignore[override]
        del ctx
        return [*COMMANDS, *sorted(_foreign_names() - COMMANDS.keys())]

    def get_command(self, ctx: typer.Context, cmd_name: str) -> TyperCommand | None:  # type: ignore[override]
        """A stand-in for the list of commands; :meth:`resolve_command` brings the real one."""
        if cmd_name not in self.list_commands(ctx):
            return None
        line = COMMANDS[cmd_name][1] if cmd_name in COMMANDS else ELSEWHERE.get(cmd_name, "An installed extension.")
        return TyperCommand(cmd_name, help=line, short_help=line)

    def resolve_command(self, ctx: typer.Context, args: list[str]) -> tuple[str | None, Any, list[str]]:  # type: ignore[override]
        """Import the command that was asked for."""
        name, stand_in, rest = super().resolve_command(ctx, args)
        return name, (_load(name) if name and stand_in else None), rest


def _foreign_names() -> set[str]:
    return {point.name for point in entry_points(group=GROUP)}


def _load(name: str) -> Any:
    """The Typer command behind a name."""
    if name in COMMANDS:
        module, _, attribute = COMMANDS[name][0].partition(":")
        try:
            found: Any = getattr(importlib.import_module(module), attribute)
        except ModuleNotFoundError as error:
            if (error.name or "").startswith(OURS):
                raise
            raise UsageError(f"`verihub {name}` needs {error.name}: pip install 'verihub[sandbox]'") from None
    else:
        point = next(point for point in entry_points(group=GROUP) if point.name == name)
        try:
            found = point.load()
        except ModuleNotFoundError as error:
            extra = {"train": "trainer"}.get(name, "server")
            raise UsageError(f"`verihub {name}` needs {error.name}: pip install 'verihub[{extra}]'") from None
    return typer.main.get_command(found if isinstance(found, typer.Typer) else _app_of(found))


def _app_of(function: Callable[..., Any]) -> typer.Typer:
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    app.command(help=function.__doc__)(function)
    return app


app = typer.Typer(
    name="verihub", cls=LazyGroup, no_args_is_help=True, rich_markup_mode=None, pretty_exceptions_enable=False
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"verihub {version('verihub')}")
        raise typer.Exit


@app.callback()
def _root(
    output_format: Annotated[
        OutputFormat, typer.Option("--format", help="human, json (one object on stdout) or quiet.")
    ] = OutputFormat.HUMAN,
    offline: Annotated[bool, typer.Option("--offline", help="Use the cache only.")] = False,
    url: Annotated[str, typer.Option("--url", help="The hub.  [env: VERIHUB_URL]")] = "",
    show_version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_print_version, help="Print the version and exit.")
    ] = False,
) -> None:
    """A hub of measured verifiers and environments. --format, --offline and --url may stand anywhere.

    Exit codes: 0 ok, 1 bug, 2 usage, 3 not authenticated, 4 not found, 5 conflict, 6 check failed, 7 integrity,
    8 unreachable or offline miss, 9 policy, 130 interrupted.
    """
    del output_format, offline, url, show_version  # taken out of the arguments already: see split_globals


def split_globals(arguments: Sequence[str]) -> tuple[dict[str, Any], list[str]]:
    """(global options, everything else). They may stand before or after the command, up to a ``--``."""
    found: dict[str, Any] = {}
    rest: list[str] = []
    pending = iter(arguments)
    for argument in pending:
        name, separator, value = argument.partition("=")
        if argument == "--":
            rest += [argument, *pending]
        elif argument in _FLAGS:
            found[_FLAGS[argument]] = True
        elif name in _VALUED:
            taken = value if separator else next(pending, None)
            if taken is None:
                raise UsageError(f"{name} needs a value")
            found[_VALUED[name]] = taken
        else:
            rest.append(argument)
    return found, rest


def run(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code. Never raises, never prints a traceback."""
    shown = OutputFormat.HUMAN
    try:
        options, rest = split_globals(arguments)
        with command_line(options):
            shown = ClientSettings.load().format
            status = typer.main.get_command(app).main(args=rest, prog_name="verihub", standalone_mode=False)
    except HubClientError as error:
        print_error(error, shown)
        return error.exit_code
    except TyperException as error:
        _show_usage(error, shown)
        return UsageError.exit_code
    except (KeyboardInterrupt, typer.Abort):
        status = 130
    except BrokenPipeError:
        return 1
    except OSError as error:
        return _report_machine(error, shown)
    except Exception as error:  # noqa: BLE001 -- the last door: a bug is written to a file, not over the screen
        return _report_bug(error, arguments)
    if status == 130:
        sys.stderr.write("verihub: interrupted; nothing was left half-written\n")
    return status if isinstance(status, int) else 0


def main() -> None:
    """The console script."""
    sys.exit(run(sys.argv[1:]))


def _show_usage(error: TyperException, shown: OutputFormat) -> None:
    show = getattr(error, "show", None)
    if show is None or shown is OutputFormat.JSON:
        print_error(UsageError(error.format_message()), shown)
    else:
        show()


def _report_machine(error: OSError, shown: OutputFormat) -> int:
    """The disk is full, a folder is not ours, and the like: nobody's bug."""
    what = f"{error.filename}: " if error.filename else ""
    print_error(
        HubClientError(f"{what}{error.strerror or error}: nothing was left half-written; mend it, run again"), shown
    )
    return HubClientError.exit_code


def _report_bug(error: Exception, arguments: Sequence[str]) -> int:
    """Save the traceback; a token on the command line is not part of it."""
    said: Mapping[str, str] = {"version": version("verihub"), "python": sys.version, "command": " ".join(arguments[:1])}
    text = "\n".join([*(f"{key}: {value}" for key, value in said.items()), "", *traceback.format_exception(error)])
    with tempfile.NamedTemporaryFile("w", prefix="verihub-bug-", suffix=".txt", delete=False, encoding="utf-8") as file:
        file.write(text)
    sys.stderr.write(
        f"verihub: this is a bug in Verihub, not yours: {type(error).__name__}: {error}\n"
        f"  The traceback is in {Path(file.name)}; please report it.\n"
    )
    return 1


if __name__ == "__main__":
    main()
