"""``verihub email``: the address of one's account, to which a hub mails."""

from typing import Annotated

import typer

from hub_client.commands.command_context import open_context, request_of
from hub_client.commands.group import subcommands
from hub_client.commands.password_proof import send_as_person
from hub_client.transport.requests import accounts
from schemas.account import EmailChange, EmailConfirmation

app = subcommands("Your e-mail address: show, set, confirm.")
_NEXT = "open the link that was mailed, or: verihub email confirm CODE"


@app.command()
def show() -> None:
    """Show your address, and whether it is confirmed. The hub asks for the password; nobody else sees the address.

    \b
    Examples:
      verihub email show
    """
    with open_context() as context:
        found = send_as_person(context, accounts.get_email())
        state = f"confirmed on {found.confirmed_at:%Y-%m-%d}" if found.confirmed_at else "not confirmed"
        context.output.result(found, human=f"{found.email}: {state}", quiet=found.email)
        if found.confirmed_at is None and found.is_needed:
            context.output.remark("this hub wants a confirmed address for publishing and for cases")


@app.command(name="set")
def set_address(address: Annotated[str, typer.Argument(metavar="EMAIL", help="The new address.")]) -> None:
    """Change your address. A link is mailed to the new one, which counts once it is confirmed.

    \b
    Examples:
      verihub email set alice@example.org
    """
    with open_context() as context:
        send_as_person(context, accounts.change_email(request_of(EmailChange, email=address)))
        context.output.result({"email": address}, human=f"your address is {address}", quiet=address)
        context.output.remark(_NEXT)


@app.command()
def send() -> None:
    """Have the link mailed again that confirms your address.

    \b
    Examples:
      verihub email send
    """
    with open_context() as context:
        send_as_person(context, accounts.send_email_link())
        context.output.result({"sent": True}, human="the link is mailed")
        context.output.remark(_NEXT)


@app.command()
def confirm(code: Annotated[str, typer.Argument(metavar="CODE", help="The end of the link that was mailed.")]) -> None:
    """Confirm your address by the code of the mailed link. A whole link will do.

    \b
    Examples:
      verihub email confirm CODE
    """
    with open_context() as context:
        found = code.rpartition("code=")[2] if "code=" in code else code.rpartition("/")[2]
        context.hub.send(accounts.confirm_email(request_of(EmailConfirmation, code=found)))
        context.output.result({"confirmed": True}, human="your address is confirmed")
