"""``verihub token``: tokens that act for one's account, and until when they are valid."""

from typing import Annotated

import typer

from hub_client.client import parse_reference
from hub_client.commands.command_context import open_context, request_of
from hub_client.commands.group import subcommands
from hub_client.commands.password_proof import send_as_person
from hub_client.errors import UsageError
from hub_client.terminal.output import table
from hub_client.transport.requests import accounts
from schemas.account import LOGIN_SCOPES, Scope, TokenCreate

app = subcommands("Make, list and revoke tokens.")


@app.command()
def create(
    name: Annotated[str, typer.Argument(help="What it is for, for example ci.")],
    scope: Annotated[
        list[Scope] | None, typer.Option(help="What the token may do. Default: everything but moderate.")
    ] = None,
    package: Annotated[
        str | None, typer.Option(metavar="OWNER/NAME", help="Publishes this one package and nothing else.")
    ] = None,
    owner: Annotated[
        str | None, typer.Option(metavar="OWNER", help="Publishes packages of this owner and nothing else.")
    ] = None,
    days: Annotated[int, typer.Option(min=1, max=365, help="How many days the token is valid.")] = 90,
) -> None:
    """Make a token. Its secret is shown once, on stdout.

    \b
    Examples:
      verihub token create ci --scope publish --days 30
      verihub token create ci --package alice/final-number
      verihub token create ci --owner my-group
    """
    with open_context() as context:
        if package and owner:
            raise UsageError("a token is of one package or of one owner: give --package or --owner")
        scopes = scope or ([Scope.PUBLISH] if package or owner else list(LOGIN_SCOPES))
        given = {"package": parse_reference(package).package} if package else {}  # an older hub knows no such fields
        given |= {"owner": owner} if owner else {}
        request = request_of(TokenCreate, name=name, scopes=scopes, expires_days=days, **given)
        made = send_as_person(context, accounts.create_token(request))
        context.output.result(made, human=made.secret, quiet=made.secret)
        context.output.remark(f"good until {made.token.expires_at:%Y-%m-%d}; it is not shown again")


@app.command(name="list")
def list_tokens() -> None:
    """List your tokens. Their secrets are stored nowhere.

    \b
    Examples:
      verihub token list
    """
    with open_context() as context:
        found = send_as_person(context, accounts.list_tokens()).items
        listing = table("id", "name", "scopes", "of", "until", "last used")
        for item in found:
            used = f"{item.last_used_at:%Y-%m-%d}" if item.last_used_at else "never"
            until = f"{item.expires_at:%Y-%m-%d}"
            listing.add_row(item.id, item.name, " ".join(item.scopes), item.package or item.owner or "any", until, used)
        human = listing if found else "no tokens"
        context.output.result({"items": found}, human=human, quiet="\n".join(item.id for item in found))


@app.command()
def revoke(token_id: Annotated[str, typer.Argument(metavar="ID", help="As `verihub token list` shows it.")]) -> None:
    """Revoke a token: it stops working at once.

    \b
    Examples:
      verihub token revoke ID
    """
    with open_context() as context:
        send_as_person(context, accounts.revoke_token(token_id))
        context.output.result({"revoked": token_id}, human=f"token {token_id} is revoked")
