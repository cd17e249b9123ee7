"""One pass of a mirror: copy new journal entries, read new events, and update the packages that they concern."""

import logging
import time
from collections.abc import Callable
from datetime import timedelta

from hub_server.database.visibility import EVERYTHING
from hub_server.journal import actions as journal
from hub_server.kernel.services import Services
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.mirror import queries
from hub_server.mirror.actions.journal_copy import copy_journal
from hub_server.mirror.actions.origin import OriginHub
from hub_server.mirror.actions.packages import WheelBudget, bring_up_to_date
from hub_server.mirror.errors import NotThereError, OriginAwayError, PackageProblemError, UntrueError
from hub_server.mirror.rules import LOOK_AGAIN, pause_after
from schemas.events import EventPage

_log = logging.getLogger("hub_server.mirror")
_MOST_EVENTS = 2**62  # an origin may send any number, and the databases hold none from 2**63 on
_MOST_EVENT_PAGES = 100
"""In one pass: what is beyond is read in the next."""


def run_pass(services: Services, is_over: Callable[[], bool]) -> bool:
    """Ask the other hub for news, and bring packages up to date until none is due or ``poll_seconds`` are over.

    Whether packages may still be due, as in a first copy: then nobody needs to wait for news.
    Raises ``OriginAwayError`` and ``UntrueError``. Whatever was done before stays done.
    """
    origin = OriginHub(services)
    _begin_events(services, origin)
    copy_journal(services, origin, is_over)
    if is_over():
        return True
    _follow_events(services, origin)
    _note(services, asked=True)
    until = time.monotonic() + services.settings.mirror.poll_seconds
    budget = WheelBudget(services)
    while not is_over() and time.monotonic() < until:
        if not _look_at_next(services, origin, budget, is_over):
            return False
    return True


def _begin_events(services: Services, origin: OriginHub) -> None:
    """Remember the newest event before the first look at the journal: what happens from then on is not missed."""
    with services.database.reading() as session:
        followed = journal.find_followed(session)
        if followed is None or followed.event is not None:
            return
    newest = _sound(origin.events(0), 0).newest
    with services.database.writing() as session:
        followed = journal.find_followed(session)
        if followed is not None and followed.event is None:
            followed.event = newest


def _follow_events(services: Services, origin: OriginHub) -> None:
    """Have packages looked at that something happened to. An event is a hint: nothing in it is believed."""
    for _ in range(_MOST_EVENT_PAGES):
        with services.database.reading() as session:
            followed = journal.find_followed(session)
            since = followed.event or 0 if followed is not None else 0
        try:
            page = _sound(origin.events(since), since)
            following, is_new_list = page.next, False
        except NotThereError:  # the other hub has fewer events than it had: every package is looked at again
            page = _sound(origin.events(0), 0)
            following, is_new_list = page.newest, True
        if following == since:
            return
        with services.database.writing(sees=EVERYTHING) as session:
            work = UnitOfWork(session, services)
            followed = journal.find_followed(session)
            if followed is None or (followed.event or 0) != since:
                return  # another process of this mirror was faster
            if is_new_list:
                queries.mark_all(session, work.now)
            else:
                named = {event.package for event in page.items if event.package is not None}
                queries.mark(session, named, work.now, adds=False)
            followed.event = following
        if following >= page.newest:
            return


def _sound(page: EventPage, since: int) -> EventPage:
    """The page, unless its numbers lead nowhere."""
    if not since <= page.next <= page.newest < _MOST_EVENTS:
        raise OriginAwayError(f"its events after {since} end with {page.next} of {page.newest}")
    return page


def _look_at_next(services: Services, origin: OriginHub, budget: WheelBudget, is_over: Callable[[], bool]) -> bool:
    """Bring the package that has waited longest up to date; False when none is due."""
    with services.database.reading(sees=EVERYTHING) as session:
        row = queries.next_due(session, services.clock.now())
        if row is None:
            return False
        package_id, wanted = row.package_id, row.wanted
    problem, goes_on = "", True
    try:
        bring_up_to_date(services, origin, package_id, budget, is_over)
    except (PackageProblemError, OriginAwayError) as error:
        problem, goes_on = str(error), isinstance(error, PackageProblemError)
        _log.warning("%s is not mirrored whole: %s", package_id, problem)
    except UntrueError:
        raise
    except Exception as error:  # noqa: BLE001 -- what one package of strangers brings must not hold up the others
        problem = f"{package_id} could not be kept ({type(error).__name__})"
        _log.exception("%s could not be kept", package_id)
    if not is_over():
        _note_look(services, package_id, wanted, problem)
    return goes_on


def _note_look(services: Services, package_id: str, wanted: int, problem: str) -> None:
    """When the package is looked at next: at once where news came meanwhile, soon after a problem, else in a day."""
    with services.database.writing(sees=EVERYTHING) as session:
        row = queries.find(session, package_id)
        assert row is not None, "it was read before, and is never deleted"
        now = services.clock.now()
        row.problem, row.tries = problem[:2000], row.tries + 1 if problem else 0
        if not problem:
            row.seen = max(row.seen, wanted)
        pause = pause_after(row.tries) if problem else LOOK_AGAIN
        row.look_at = now + (pause if row.wanted == wanted else timedelta(0))


def note_problem(services: Services, problem: str, *, stops: bool) -> None:
    """Keep why a pass failed, for the operator."""
    _note(services, asked=False, problem=problem, stops=stops)


def _note(services: Services, *, asked: bool, problem: str = "", stops: bool = False) -> None:
    with services.database.writing() as session:
        followed = journal.find_followed(session)
        if followed is None:
            raise UntrueError("this hub follows no other")
        followed.problem, followed.is_stopped = problem[:2000], stops
        if asked:
            followed.asked_at = services.clock.now()
