"""What happened on a hub, in order."""

from urllib.parse import quote

from hub_client.transport.requests.call import ApiCall
from schemas.events import EventPage


def list_events(since: int = 0, *, owner: str | None = None, limit: int | None = None) -> ApiCall[EventPage]:
    """Events after a number. Of one owner: private ones too, where the caller may see them."""
    path = f"/owners/{quote(owner, safe='')}/events" if owner else "/events"
    return ApiCall.get(path, EventPage.read, since=since, limit=limit)
