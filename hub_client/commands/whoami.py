"""``verihub whoami``: whose token is used."""

from hub_client.commands.session import open_session
from hub_client.transport.requests import accounts


def whoami() -> None:
    """Say whose token is used on this hub.

    \b
    Examples:
      verihub whoami
    """
    with open_session() as session:
        account = session.hub.send(accounts.whoami())
        human = f"{account.name} on {session.settings.url}{' (moderator)' if account.is_moderator else ''}"
        session.output.result({"account": account, "url": session.settings.url}, human=human, quiet=account.name)
