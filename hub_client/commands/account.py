"""``verihub account``: one's password, what one changed, and the end of the account."""

import sys
from typing import Annotated

import typer

from hub_client.commands.command_context import open_context, request_of
from hub_client.commands.confirmation import require_yes
from hub_client.commands.group import subcommands
from hub_client.commands.password_proof import ask_password, password_of, send_as_person, send_with_code
from hub_client.errors import UsageError
from hub_client.terminal.output import table
from hub_client.transport.credentials import CredentialsFile
from hub_client.transport.requests import accounts, ownership
from schemas.account import PasswordChange

app = subcommands("Your account on the hub: password, activity, delete.")


@app.callback()
def account() -> None:
    """Your account on the hub."""


@app.command()
def delete(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The account's name, so that no other one is deleted.")],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Delete your account for good.

    Its address, tokens, keys, watches and webhooks go with it. It is refused while the account owns packages that
    others may have pinned: give them away before, or delete them (`verihub owner`). The hub asks for the password.
    Nobody can take the name again.

    \b
    Examples:
      verihub account delete alice
    """
    with open_context() as context:
        own = context.hub.send(accounts.whoami()).name
        if name != own:
            raise UsageError(f"the account that is logged in is {own}: type that name to delete it")
        require_yes(f"Delete the account {name} on {context.settings.url} for good?", yes=yes)
        send_as_person(context, ownership.delete_account(name))
        CredentialsFile(context.settings.config_dir).forget(context.settings.url)
        context.output.result({"deleted": name}, human=f"the account {name} is deleted", quiet=name)


@app.command()
def password() -> None:
    """Change your password. Every browser is logged out and every token ends, this machine's too: log in again.

    Both passwords are asked for. Without a terminal they come from stdin: the old one, the new one and, where the
    account has a second factor, a code of it, each on a line.

    \b
    Examples:
      verihub account password
    """
    with open_context() as context:
        name = context.hub.send(accounts.whoami()).name
        old = password_of(name)
        new = ask_password(is_new=True) if sys.stdin.isatty() else sys.stdin.readline().rstrip("\r\n")
        send_with_code(context, accounts.change_password, request_of(PasswordChange, old=old, new=new))
        CredentialsFile(context.settings.config_dir).forget(context.settings.url)
        context.output.result({"changed": name}, human=f"the password of {name} is changed", quiet=name)
        context.output.remark(f"every token has ended: verihub login --name {name}")


@app.command()
def activity(limit: Annotated[int, typer.Option(min=1, max=100, help="How many at most.")] = 20) -> None:
    """List what your account changed, the newest first, and by which credential. The hub asks for the password.

    \b
    Examples:
      verihub account activity
    """
    with open_context() as context:
        page = send_as_person(context, accounts.list_activity(limit=limit))
        listing = table("at", "what", "by", "")
        for one in page.items:
            listing.add_row(f"{one.at:%Y-%m-%d %H:%M}", one.act, one.by, one.target)
        human = listing if page.items else "nothing was changed"
        context.output.result({"items": page.items, "next": page.next}, human=human)
