"""``verihub admin read-only``: nothing is written until the operator says so."""

from typing import Annotated, Literal

import typer

from hub_server.admin.opened_hub import REFUSED, Data, opened_hub
from hub_server.cli import say
from hub_server.database import read_only as mode


def read_only(
    state: Annotated[Literal["on", "off"] | None, typer.Argument(help="Without it: say how it is.")] = None,
    reason: Annotated[str, typer.Option(help="Why, in a sentence; whoever wants to write reads it.")] = "",
    data: Data = None,
) -> None:
    """Let nobody write, or let everybody write again.

    Holds at once for every process of the hub, workers too. After `on` has returned, nothing more is committed.
    Reading goes on; jobs wait.

    \b
    Examples:
      verihub admin read-only on --reason "The database moves until 14:00 UTC."
      verihub admin read-only off
    """
    if state == "on" and not reason.strip():
        say('Say why: verihub admin read-only on --reason "The database moves until 14:00 UTC."')
        raise typer.Exit(REFUSED)
    with opened_hub(data) as services:
        if state is not None:
            with services.database.writing(even_if_read_only=True) as session:
                if state == "on":
                    mode.set_read_only(session, services.clock.now(), reason.strip())
                else:
                    mode.set_writable(session)
        with services.database.reading() as session:
            found = mode.read_only_reason(session)
    say("The hub takes writes." if found is None else f"The hub is read-only: {found}")
