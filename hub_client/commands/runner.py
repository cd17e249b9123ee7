"""Runs one command with its settings; errors become one line and an exit code."""

import sys
import tempfile
import traceback
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from importlib.metadata import version
from pathlib import Path
from typing import Any

import typer
from pydantic import ValidationError
from typer.exceptions import TyperException

from hub_client.commands.command_list import MEANT_OPTIONS
from hub_client.commands.group import app
from hub_client.errors import HubClientError, UsageError
from hub_client.settings import ClientSettings, OutputFormat, command_line
from hub_client.terminal.errors import print_error
from hub_client.terminal.phases import phases_on_stderr
from hub_client.terminal.plain_text import printable
from schemas.settings import why_unusable

_VALUED = {"--format": "format", "--url": "url", "--min-age": "min_age"}
_FLAGS: dict[str, tuple[str, Any]] = {
    "--offline": ("offline", True),
    "--trust-build": ("trust_build", True),
    "--quiet": ("format", OutputFormat.QUIET),
    "-q": ("format", OutputFormat.QUIET),
}


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
            setting, on = _FLAGS[argument]
            found[setting] = on
        elif name in _VALUED:
            taken = value if separator else next(pending, None)
            if taken is None:
                raise UsageError(f"{name} needs a value")
            found[_VALUED[name]] = taken
        else:
            rest.append(argument)
    return found, rest


def run(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code. Never raises and never prints a traceback."""
    shown = OutputFormat.HUMAN
    try:
        options, rest = split_globals(arguments)
        with command_line(options):
            settings = ClientSettings.load()
            shown = settings.format
            is_talking = shown is OutputFormat.HUMAN and not settings.no_progress
            with phases_on_stderr() if is_talking else nullcontext():
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
    except ValidationError as error:
        return _report_setting(error, shown) if why_unusable(error) else _report_bug(error, arguments)
    except Exception as error:  # noqa: BLE001 -- nobody above catches it: a bug is written to a file, not over the screen
        return _report_bug(error, arguments)
    if status == 130:
        sys.stderr.write("verihub: interrupted; nothing was left half-written\n")
    return status if isinstance(status, int) else 0


def _show_usage(error: TyperException, shown: OutputFormat) -> None:
    error.message = error.message.replace("Value error, ", "")  # pydantic's own words
    _suggest_option(error)
    show = getattr(error, "show", None)
    if show is None or shown is OutputFormat.JSON:
        print_error(UsageError(error.format_message()), shown)
    else:
        show()


def _suggest_option(error: Any) -> None:
    """In place of an option that is only spelt alike, the one that other tools call by the name that was typed."""
    meant = MEANT_OPTIONS.get(getattr(error, "option_name", ""))
    context = getattr(error, "ctx", None)
    known = [name for parameter in context.command.params for name in parameter.opts] if context else []
    if meant in known:
        error.possibilities = [meant]


def _report_setting(error: ValidationError, shown: OutputFormat) -> int:
    """Reports a setting of the sandbox or of a hub, which is read where it is needed first."""
    print_error(UsageError(f"a setting is not valid: {why_unusable(error)}"), shown)
    return UsageError.exit_code


def _report_machine(error: OSError, shown: OutputFormat) -> int:
    """Reports an error of the machine, such as a full disk or a folder without permission.

    It is not reported as a bug.
    """
    what = f"{error.filename}: " if error.filename else ""
    print_error(
        HubClientError(
            f"{what}{error.strerror or error}: nothing was left half-written; fix the cause and run it again"
        ),
        shown,
    )
    return HubClientError.exit_code


def _report_bug(error: Exception, arguments: Sequence[str]) -> int:
    """Save the traceback to a file, with any token on the command line removed."""
    said: Mapping[str, str] = {"version": version("verihub"), "python": sys.version, "command": " ".join(arguments[:1])}
    text = "\n".join([*(f"{key}: {value}" for key, value in said.items()), "", *traceback.format_exception(error)])
    with tempfile.NamedTemporaryFile("w", prefix="verihub-bug-", suffix=".txt", delete=False, encoding="utf-8") as file:
        file.write(text)
    sys.stderr.write(
        f"verihub: this is a bug in Verihub, not yours: {type(error).__name__}: {printable(str(error))}\n"
        f"  The traceback is in {Path(file.name)}; please report it.\n"
    )
    return 1
