"""``verihub watch``: mail about what happens to packages and owners."""

from typing import Annotated

import typer

from hub_client.commands.command_context import open_context
from hub_client.commands.group import subcommands
from hub_client.errors import UsageError
from hub_client.terminal.output import table
from hub_client.transport.requests import watches
from schemas.names import InvalidNameError, check_package_id, names_package
from schemas.watches import MailPace

app = subcommands("Be mailed what happens to packages and owners.")

_PACES = {MailPace.HOUR: "at most one an hour", MailPace.DAY: "at most one a day", MailPace.NEVER: "none"}
What = Annotated[str, typer.Argument(metavar="OWNER[/NAME]", help="A package, or all that an owner has.")]


@app.command()
def add(what: What) -> None:
    """Watch a package, or all that an owner has.

    \b
    Examples:
      verihub watch add alice/sums
      verihub watch add alice
    """
    with open_context() as context:
        context.hub.send(watches.watch(_checked(what)))
        context.output.result({"watching": what}, human=f"you watch {what}")
        if not context.hub.send(watches.list_watches()).is_mailed:
            context.output.remark(f"no mail goes out yet: confirm your address at {context.settings.url}/account")


@app.command(name="list")
def list_watches() -> None:
    """List what you watch.

    \b
    Examples:
      verihub watch list
    """
    with open_context() as context:
        found = context.hub.send(watches.list_watches())
        listing = table("what", "since")
        names = [item.package or item.owner for item in found.items]
        for name, item in zip(names, found.items, strict=True):
            listing.add_row(name, f"{item.since:%Y-%m-%d}")
        context.output.result(found, human=listing if names else "you watch nothing", quiet="\n".join(names))
        waits = found.pace is not MailPace.NEVER and not found.is_mailed
        context.output.remark(f"mails: {_PACES[found.pace]}{', once your address is confirmed' if waits else ''}")


@app.command()
def remove(what: What) -> None:
    """Stop watching a package or an owner.

    \b
    Examples:
      verihub watch remove alice/sums
    """
    with open_context() as context:
        context.hub.send(watches.unwatch(_checked(what)))
        context.output.result({"removed": what}, human=f"you watch {what} no more")


@app.command()
def pace(
    often: Annotated[MailPace, typer.Argument(help="At most once an hour, at most once a day, or never.")],
) -> None:
    """Say how often you are mailed.

    \b
    Examples:
      verihub watch pace day
    """
    with open_context() as context:
        context.hub.send(watches.set_pace(often))
        context.output.result({"pace": often}, human=f"mails from now on: {_PACES[often]}")


def _checked(what: str) -> str:
    try:
        if names_package(what):
            return check_package_id(what)
        check_package_id(f"{what}/x")
    except InvalidNameError as error:
        raise UsageError(str(error)) from None
    return what
