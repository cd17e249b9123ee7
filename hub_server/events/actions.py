"""Reading events. Whatever changes something announces it (``UnitOfWork.announce``)."""

from hub_server.database import events
from hub_server.database.visibility import EVERYTHING, seeing
from hub_server.errors import InvalidRequestError, NotAllowedError
from hub_server.kernel.caller import require_owner
from hub_server.kernel.cursors import check_limit
from hub_server.kernel.unit_of_work import UnitOfWork
from schemas.account import Scope
from schemas.events import Event, EventKind, EventPage


def list_events(work: UnitOfWork, since: int, limit: int) -> EventPage:
    """Public events after ``since``, in order. What is private is in none: its owner's webhooks and mails tell it.

    ``newest`` is read first: an event that is committed in between is then in the next page, and is not passed over.
    """
    with seeing(work.session, EVERYTHING):  # only public events have positions, and the last one is found by its key
        newest = events.newest_position(work.session)
    if not 0 <= since <= newest:
        raise InvalidRequestError(f"The newest event of this hub is number {newest}: since is between 0 and {newest}.")
    rows = events.public_events(work.session, since, newest, check_limit(limit))
    is_last = len(rows) < limit
    last = newest if is_last else rows[-1].position
    assert last is not None, "public events have positions"
    return EventPage(items=[event_of(row) for row in rows], next=last, newest=newest)


def list_own_events(work: UnitOfWork, owner: str, since: int, limit: int) -> EventPage:
    """Events of what ``owner`` has, private ones too, after its first ``since``, in order: for itself and its members.

    They are numbered among the owner's own: numbers of all would tell how much happens in private elsewhere.
    """
    caller = require_owner(work.caller, owner, Scope.READ)
    if caller.only:
        raise NotAllowedError("A workflow's token publishes releases, and reads no events.")
    with seeing(work.session, EVERYTHING):  # also of what was given away since
        newest = events.count_events_of_owner(work.session, owner)
        if not 0 <= since <= newest:
            raise InvalidRequestError(f"{owner} has {newest} events: since is between 0 and {newest}.")
        rows = events.events_of_owner(work.session, owner, since, min(check_limit(limit), newest - since))
    return EventPage(items=[event_of(row) for row in rows], next=since + len(rows), newest=newest)


def event_of(row: events.EventRow) -> Event:
    """A row as the API, webhooks and mirrors show it."""
    return Event(
        position=row.position,
        kind=EventKind(row.kind),
        at=row.at,
        owner=row.owner,
        package=row.package_id,
        version=row.version,
        run=row.run_id,
        facts=row.facts,
    )
