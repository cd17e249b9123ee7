"""``verihub second-factor``: what signing in needs beside the password."""

import sys
from typing import Annotated

import typer

from hub_client.commands.command_context import open_context, request_of
from hub_client.commands.group import subcommands
from hub_client.commands.password_proof import person_of, send_as_person
from hub_client.errors import UsageError
from hub_client.terminal.output import table
from hub_client.terminal.plain_text import printable
from hub_client.transport.requests import accounts
from schemas.account import SecondFactorCode
from schemas.wording import counted

app = subcommands("A second factor for signing in: show, on, off, remove a security key.")


@app.command()
def show() -> None:
    """Show which second factors your account has.

    It also says how many recovery codes are left. The hub asks for the password.

    \b
    Examples:
      verihub second-factor show
    """
    with open_context() as context:
        found = send_as_person(context, accounts.get_second_factor())
        listing = table("what", "id", "since", "last used")
        if found.enabled_at is not None:
            listing.add_row("authenticator app", "", f"{found.enabled_at:%Y-%m-%d}", "")
        for key in found.security_keys:
            used = f"{key.last_used_at:%Y-%m-%d}" if key.last_used_at else "never"
            listing.add_row(f"security key {key.name}", key.id, f"{key.created_at:%Y-%m-%d}", used)
        human = listing if found.is_on else "no second factor: the password alone signs you in"
        context.output.result(found, human=human, quiet="\n".join(key.id for key in found.security_keys))
        if found.is_on:
            context.output.remark(f"{counted(found.recovery_codes_left, 'recovery code')} left")


@app.command()
def on() -> None:
    """Switch on codes of an authenticator app (TOTP).

    The password is asked for, then a secret is printed for the app, then a code of the app is asked for. The recovery
    codes are printed once, at the end, on stdout: each signs you in once without the app. Security keys are added in a
    browser, at the account's page.

    \b
    Examples:
      verihub second-factor on
    """
    with open_context() as context, person_of(context) as hub:
        begun = hub.send(accounts.start_second_factor())
        typer.echo(printable(f"give the app this secret: {begun.secret}\n{begun.uri}"), err=True)
        code = typer.prompt("code of the app", err=True) if sys.stdin.isatty() else sys.stdin.readline().strip()
        if not code:
            raise UsageError("nothing was changed: a code of the app switches the second factor on")
        made = hub.send(accounts.enable_second_factor(request_of(SecondFactorCode, code=code)))
        context.output.result(made, human="\n".join(made.codes), quiet="\n".join(made.codes))
        context.output.remark("the second factor is on; keep these recovery codes, they are not shown again")


@app.command()
def off(
    code: Annotated[str, typer.Argument(metavar="CODE", help="Of the app, or a recovery code.")],
) -> None:
    """Switch codes of the app off.

    Security keys stay. The hub asks for the password and a code first. A code counts once, so that CODE must be
    another one.

    \b
    Examples:
      verihub second-factor off 492039
    """
    with open_context() as context:
        send_as_person(context, accounts.disable_second_factor(request_of(SecondFactorCode, code=code)))
        context.output.result({"enabled": False}, human="the app is switched off")


@app.command(name="remove-key")
def remove_key(
    key: Annotated[str, typer.Argument(metavar="ID", help="As `verihub second-factor show` lists it.")],
) -> None:
    """Let a security key sign you in no more.

    \b
    Examples:
      verihub second-factor remove-key ID
    """
    with open_context() as context:
        send_as_person(context, accounts.remove_security_key(key))
        context.output.result({"removed": key}, human=f"the security key {key} is removed", quiet=key)
