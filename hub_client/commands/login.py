"""``verihub login``: a token for this hub, kept where only its owner can read it."""

import sys
from typing import Annotated

import typer
from pydantic import ValidationError

from hub_client.client import Hub
from hub_client.commands.browser_confirmation import confirmed_in_browser
from hub_client.commands.command_context import CommandContext, open_context, request_of
from hub_client.commands.password_proof import ask_password, send_with_code
from hub_client.errors import NotLoggedInError, PolicyError, UsageError
from hub_client.settings import ClientSettings
from hub_client.terminal.plain_text import printable
from hub_client.transport.requests import accounts
from schemas.account import SHORTEST_PASSWORD, AccountCreate, LoginRequest


def login(
    name: Annotated[str | None, typer.Option(help="The account's name.")] = None,
    sign_up: Annotated[
        str | None, typer.Option(metavar="EMAIL", help="Make the account first, with this address.")
    ] = None,
    password_stdin: Annotated[bool, typer.Option("--password-stdin", help="Read the password from stdin.")] = False,
    with_token: Annotated[bool, typer.Option("--with-token", help="Read a token from stdin instead.")] = False,
    browser: Annotated[bool, typer.Option("--browser", help="Confirm in a browser, on any machine.")] = False,
) -> None:
    """Log in (or sign up) and keep the token. Secrets are read from the terminal or stdin, never from arguments.

    \b
    Examples:
      verihub login --name alice --sign-up alice@example.org
      verihub login --browser
      verihub login --with-token < token.txt
    """
    if with_token and (browser or sign_up or password_stdin):
        raise UsageError("--with-token reads the token alone from stdin: leave the other options out")
    with open_context() as context:
        _confirm_hub(context)
        if with_token:
            token = sys.stdin.read().strip()
        elif browser:
            token = _by_browser(context)
        else:
            token = _by_password(context, name, sign_up, password_stdin)
        account = _owner_of(context.settings, token)
        context.hub.credentials.store(context.settings.url, account, token)
        human = f"logged in to {context.settings.url} as {account}; the token is in {context.hub.credentials.path}"
        context.output.result({"url": context.settings.url, "account": account}, human=human, quiet=account)


def _confirm_hub(context: CommandContext) -> None:
    """Ask before sending a password to a hub that only a project's file names. The password was not meant for it."""
    if not context.settings.project_url:
        return
    named = f"{context.settings.url} is named by {context.settings.project_file}, not by you"
    if not sys.stdin.isatty():
        raise UsageError(f"{named}: if you trust it, say so with --url {context.settings.url}")
    if not typer.confirm(f"{printable(named)}. Log in there?", default=False, err=True):
        raise PolicyError("nothing was sent")


def _by_password(context: CommandContext, name: str | None, email: str | None, from_stdin: bool) -> str:
    if not from_stdin and not sys.stdin.isatty():
        raise UsageError(
            "there is no terminal to type a password on: add --password-stdin and send it to stdin, for example "
            f"`verihub login --name {name or 'NAME'}{f' --sign-up {email}' if email else ''} --password-stdin < "
            "password.txt`"
        )
    if name is None and from_stdin:
        raise UsageError("--password-stdin needs --name")
    account = name or typer.prompt("account", err=True)
    if email is not None:
        # A wrong name is reported before the password is asked for.
        _new_account(account, email, "x" * SHORTEST_PASSWORD)
    password = sys.stdin.read().rstrip("\r\n") if from_stdin else ask_password(is_new=email is not None)
    if email is not None:
        return context.hub.send(accounts.sign_up(_new_account(account, email, password))).token
    request = request_of(LoginRequest, name=account, password=password)
    return send_with_code(context, accounts.log_in, request).secret


def _new_account(name: str, email: str, password: str) -> AccountCreate:
    try:
        return AccountCreate(name=name, email=email, password=password)
    except ValidationError as error:
        rules = {
            "name": f"an account's name is 2 to 39 of a-z and 0-9, not {name!r}",
            "email": f"an e-mail address has an @ and no space, not {email!r}",
            "password": f"a password has {SHORTEST_PASSWORD} characters or more",
        }
        raise UsageError("; ".join(rules[str(fault["loc"][0])] for fault in error.errors())) from None


def _by_browser(context: CommandContext) -> str:
    code = context.hub.send(accounts.start_device_login())
    return confirmed_in_browser(context, code, accounts.collect_device_token).secret


def _owner_of(settings: ClientSettings, token: str) -> str:
    """The token's account. A wrong token is not stored."""
    if not token:
        raise UsageError("no token came on stdin: `verihub login --with-token < token.txt`")
    with Hub(settings=settings.model_copy(update={"token": token})) as hub:
        try:
            return hub.send(accounts.whoami()).name
        except NotLoggedInError as error:
            raise NotLoggedInError(
                f"{settings.url} does not know this token: copy it again, or make one on its page /account",
                problem=error.problem,
            ) from None
