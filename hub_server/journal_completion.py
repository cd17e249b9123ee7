"""At a start: what was published before the hub kept a journal is entered in it, while the hub answers already."""

import logging
import threading
from collections.abc import Callable

from hub_server.errors import ReadOnlyError
from hub_server.kernel.services import Services
from hub_server.publishing import actions as publishing

_log = logging.getLogger(__name__)
_RETRY_SECONDS = 30.0  # chosen, not measured


def complete_journal(services: Services, say: Callable[[str], None], stopped: threading.Event) -> None:
    """Enter what the journal lacks; again after half a minute where that failed, until the hub is ``stopped``.

    A hub that is read-only, or becomes so meanwhile, goes on within half a minute of its end.

    Meanwhile ``/readyz`` answers 503: a client refuses a release of which the journal says nothing.
    """
    while not stopped.is_set():
        try:
            publishing.enter_missing_releases(services, say, stopped.is_set)
        except ReadOnlyError:
            stopped.wait(_RETRY_SECONDS)
        except Exception:  # noqa: BLE001 -- the next try may get further
            _log.exception("releases could not be entered in the journal; it is tried again in half a minute")
            stopped.wait(_RETRY_SECONDS)
        else:
            return
