"""``verihub whoami``: whose token is used."""

from hub_client.commands.command_context import open_context
from hub_client.transport.requests import accounts


def whoami() -> None:
    """Say whose token is used on this hub.

    \b
    Examples:
      verihub whoami
    """
    with open_context() as context:
        account = context.hub.send(accounts.whoami())
        human = f"{account.name} on {context.settings.url}{' (moderator)' if account.is_moderator else ''}"
        context.output.result({"account": account, "url": context.settings.url}, human=human, quiet=account.name)
