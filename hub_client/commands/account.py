"""``verihub account``: one's password, what one changed, an account's standing, and the end of the account."""

import sys
from collections.abc import Iterator
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
from schemas.evidence.standing import Standing
from schemas.wording import counted

_MOST_LINES = 500  # chosen: what a person reads; the page has all

app = subcommands("Accounts: standing; of your own password, activity, delete.")


@app.callback()
def account() -> None:
    """Your account on the hub."""


@app.command()
def standing(
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="An account; without it, your own.")] = None,
) -> None:
    """Show an account's points and what it may do.

    Each case that earned or cost points is listed, the newest first.

    \b
    Examples:
      verihub account standing
      verihub account standing alice
    """
    with open_context() as context:
        account = name or context.hub.send(accounts.whoami()).name
        found = context.hub.send(accounts.get_standing(account))
        items, seen = list(found.items), found
        while seen.next is not None and len(items) < _MOST_LINES:
            seen = context.hub.send(accounts.get_standing(account, seen.next))
            items += seen.items
        found = found.model_copy(update={"items": items, "next": seen.next})
        context.output.result(found, human="\n".join(_standing_lines(found)), quiet=str(found.points))


def _standing_lines(found: Standing) -> Iterator[str]:
    quotas = found.quotas
    stands = "it has standing" if found.has_standing else f"{found.missing} more for standing"
    yield f"{found.account}: {counted(found.points, 'point')}, {stands}"
    yield (
        f"  at most {quotas.waiting} cases that wait against one package, {quotas.cases} to one release, "
        f"{quotas.labels} answers and {quotas.words} seconds or disputes in 24 hours"
    )
    if found.waiting:
        yield f"  {counted(found.waiting, 'case')} would give a point once somebody trusted confirms it"
    for one in found.items:
        where = f"{one.package} {one.case}" if one.case else "a case that moderators hide"
        yield f"  {one.at:%Y-%m-%d} {one.points:+d} {where}: {one.why}"
    if found.next is not None:
        yield f"  and more: these are the newest {len(found.items)}"


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
    """Change your password.

    Every browser is logged out and every token ends, this machine's too: log in again. Both passwords are asked for.
    Without a terminal they come from stdin: the old one, the new one and, where the account has a second factor, a code
    of it, each on a line.

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
    """List what your account changed.

    The newest comes first, each with the credential that it was done by. The hub asks for the password.

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
