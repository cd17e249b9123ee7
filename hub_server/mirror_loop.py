"""Follows another hub in its own thread, pass after pass, until it is told to stop or a check of that hub fails."""

import logging
import threading

from sqlalchemy.exc import OperationalError

from hub_server.database.faults import FaultLog
from hub_server.errors import HubServerError
from hub_server.kernel.services import Services
from hub_server.mirror import actions
from hub_server.mirror.errors import OriginAwayError, UntrueError

_log = logging.getLogger("hub_server.mirror")


class MirrorLoop:
    """Runs passes. Two of them on one database do no harm: each writes only what the other has not."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._stopping = threading.Event()
        self._faults = FaultLog(_log, "the mirror")
        self._thread = threading.Thread(target=self.run, name="mirror", daemon=True)

    def start(self) -> None:
        """Follow from a thread."""
        self._thread.start()

    def stop(self, seconds: float) -> None:
        """Begin no other package, and wait so long for the one under way."""
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join(seconds)

    def run(self) -> None:
        """Follow until stopped. What the other hub does is kept for the operator, who may start the mirror again."""
        while not self._stopping.is_set() and (pause := self.run_one()) is not None:
            self._stopping.wait(pause)

    def run_one(self) -> float | None:
        """One pass; seconds to wait for the next, none while packages are due.

        None when the other hub was not believed: nothing more is asked of it.
        """
        pause = self._services.settings.mirror.poll_seconds
        try:
            if actions.run_pass(self._services, self._stopping.is_set):
                pause = 0.0
            self._faults.clear()
        except UntrueError as error:
            _log.error("the mirror has stopped, and shows what it had: %s", error)
            self._note(str(error), stops=True)
            return None
        except (OriginAwayError, HubServerError) as error:
            _log.warning("the mirror waits: %s", error)
            self._note(str(error), stops=False)
        except OperationalError as error:
            self._faults.note(error, "a pass of the mirror failed")
        except Exception as error:  # noqa: BLE001 -- the next pass may get further
            _log.exception("a pass of the mirror failed")
            self._note(f"a pass failed ({type(error).__name__}); see the log", stops=False)
        return pause

    def _note(self, problem: str, *, stops: bool) -> None:
        try:
            actions.note_problem(self._services, problem, stops=stops)
        except Exception:  # noqa: BLE001 -- the log has both then
            _log.exception("the state of the mirror could not be written")
