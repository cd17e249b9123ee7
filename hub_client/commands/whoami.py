"""``verihub whoami``: whose token is used, and its organisations."""

from hub_client.commands.command_context import open_context
from hub_client.transport.requests import accounts


def whoami() -> None:
    """Say whose token is used on this hub, and which organisations the account is in.

    \b
    Examples:
      verihub whoami
    """
    with open_context() as context:
        account = context.hub.send(accounts.whoami())
        human = f"{account.name} on {context.settings.url}{' (moderator)' if account.is_moderator else ''}"
        if account.organizations:
            roles = (f"{one.organization} ({one.role})" for one in account.organizations)
            human += f"\norganisations: {', '.join(roles)}"
        context.output.result({"account": account, "url": context.settings.url}, human=human, quiet=account.name)
