"""One transaction of the operator on a hub's own database, which may be in use by a running hub."""

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from hub_server.cli import read_settings, say, wired
from hub_server.database.visibility import EVERYTHING
from hub_server.errors import HubServerError, MirrorError
from hub_server.kernel.caller import operator
from hub_server.kernel.services import Services
from hub_server.kernel.unit_of_work import UnitOfWork

REFUSED = 9
"""The exit status of what the hub refuses, as of every command."""
Data = Annotated[Path | None, typer.Option(help="The folder that holds database and blobs.")]
Reason = Annotated[str, typer.Option(help="Why; everybody can read it in the log.")]


@contextlib.contextmanager
def opened_hub(data: Path | None, *, may_make: bool = False, on_mirror: bool = True) -> Iterator[Services]:
    """The hub's services. A refusal is said in one sentence, and ends the command; so is a folder without a hub.

    ``may_make``: a hub is made where there is none. ``on_mirror``: whether it may be done on a mirror.
    """
    settings = read_settings(data, None, None)
    if not may_make and not settings.storage.database_url and not settings.data.is_dir():
        say(f"There is no hub in {settings.data}: name its folder with --data, or start it once with `verihub serve`.")
        raise typer.Exit(REFUSED)
    with wired(settings) as services, refusals_are_said():
        origin = services.settings.mirror.of
        if origin and not on_mirror:
            raise MirrorError(f"This is a read-only mirror of {origin}: that hub's operator does this there.")
        yield services


@contextlib.contextmanager
def refusals_are_said() -> Iterator[None]:
    """A refusal in the block is said in one sentence, and ends the command."""
    try:
        yield
    except HubServerError as error:
        say(error.detail)
        raise typer.Exit(REFUSED) from None


@contextlib.contextmanager
def operating(data: Path | None) -> Iterator[UnitOfWork]:
    """One transaction in the operator's name."""
    with opened_hub(data, on_mirror=False) as services, services.database.writing(sees=EVERYTHING) as session:
        yield UnitOfWork(session, services, operator())
