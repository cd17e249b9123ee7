"""``verihub session``: browsers that are logged in as one's account."""

from typing import Annotated

import typer

from hub_client.commands.command_context import open_context
from hub_client.commands.group import subcommands
from hub_client.commands.password_proof import send_as_person
from hub_client.terminal.output import table
from hub_client.transport.requests import accounts

app = subcommands("Browsers that are logged in as you: list, end.")


@app.command(name="list")
def list_sessions() -> None:
    """List the browsers that are logged in as you.

    Proofs of your password that still hold are among them, that of this command too.

    \b
    Examples:
      verihub session list
    """
    with open_context() as context:
        found = send_as_person(context, accounts.list_web_sessions()).items
        listing = table("id", "what", "since", "until", "")
        for one in found:
            what = "browser" if one.kind == "browser" else "password typed"
            more = "this command" if one.is_current else one.client
            listing.add_row(one.id, what, f"{one.created_at:%Y-%m-%d %H:%M}", f"{one.expires_at:%Y-%m-%d %H:%M}", more)
        human = listing if found else "no browser is logged in"
        context.output.result({"items": found}, human=human, quiet="\n".join(one.id for one in found))


@app.command()
def end(session: Annotated[str, typer.Argument(metavar="ID", help="As `verihub session list` shows it.")]) -> None:
    """Log a browser out, at once.

    \b
    Examples:
      verihub session end ID
    """
    with open_context() as context:
        send_as_person(context, accounts.end_web_session(session))
        context.output.result({"ended": session}, human=f"the session {session} is ended", quiet=session)
