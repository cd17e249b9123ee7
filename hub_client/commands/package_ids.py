"""A package's id from what the user typed: checked, and completed where it names no owner."""

from hub_client.errors import UsageError
from hub_client.settings import ClientSettings
from hub_client.transport.credentials import CredentialsFile
from schemas.names import InvalidNameError, check_package_id, names_package


def whole_id(text: str, settings: ClientSettings) -> str:
    """``text`` as a full id: when it names no owner, the account that is logged in is put in front."""
    if not names_package(text):
        found = CredentialsFile(settings.config_dir).find(settings.url)
        if found is None:
            raise UsageError(
                f"whose package is {text}? Write OWNER/{text}, or run `verihub login` first: then it is yours"
            )
        text = f"{found[0]}/{text}"
    return checked_id(text)


def checked_id(text: str) -> str:
    """``text`` if it is a full id. Raises :class:`UsageError` with what would be valid."""
    try:
        return check_package_id(text)
    except InvalidNameError as error:
        raise UsageError(str(error)) from None
