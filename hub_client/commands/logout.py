"""``verihub logout``: forget the token for this hub."""

from hub_client.settings import ClientSettings
from hub_client.terminal.output import Output
from hub_client.transport.credentials import CredentialsFile


def logout() -> None:
    """Forget the token for this hub; to revoke it, use `verihub token revoke`.

    \b
    Examples:
      verihub logout --url https://hub.example.org
    """
    settings = ClientSettings.load()
    was_there = CredentialsFile(settings.config_dir).forget(settings.url)
    human = f"the token for {settings.url} is forgotten" if was_there else f"there was no token for {settings.url}"
    Output(settings).result({"url": settings.url, "forgotten": was_there}, human=human)
