"""What one watches, and how often one is mailed."""

from hub_client.transport.requests.call import ApiCall, nothing
from schemas.watches import MailPace, MailPaceChange, Watching

_PATH = "/account/watches"


def list_watches() -> ApiCall[Watching]:
    """All that the account watches."""
    return ApiCall.get(_PATH, Watching.read)


def set_pace(pace: MailPace) -> ApiCall[None]:
    """How often to mail."""
    return ApiCall.send("PUT", _PATH, nothing, MailPaceChange(pace=pace))


def watch(what: str) -> ApiCall[None]:
    """Watch ``owner`` or ``owner/name``."""
    return ApiCall.send("PUT", f"{_PATH}/{what}", nothing)


def unwatch(what: str) -> ApiCall[None]:
    """Watch it no more."""
    return ApiCall.send("DELETE", f"{_PATH}/{what}", nothing)
