"""``verihub account``: end one's account on a hub."""

from typing import Annotated

import typer

from hub_client.commands.command_context import open_context
from hub_client.commands.confirmation import require_yes
from hub_client.commands.group import subcommands
from hub_client.commands.password_proof import send_as_person
from hub_client.errors import UsageError
from hub_client.transport.credentials import CredentialsFile
from hub_client.transport.requests import accounts, ownership

app = subcommands("Your account on the hub: delete it.")


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
