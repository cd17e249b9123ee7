"""What is wrong with the database itself, in one sentence: a full disk, a server that is away, a lock that is held."""

import logging

from sqlalchemy.exc import OperationalError

_ADVICE = (
    (("disk is full", "no space left", "could not extend file", "could not write"), "Free space on its disk."),
    (("readonly database", "unable to open"), "See who may write its folder."),
)


def fault_of(error: BaseException) -> str | None:
    """Why the database cannot do this now, with what to do; None for an error that is not the database's state.

    The same request may succeed later, so no traceback says more.
    """
    if not isinstance(error, OperationalError):
        return None
    lines = str(error.orig).strip().splitlines()
    said = lines[0].rstrip(".") if lines else "it does not answer"
    advice = next((words for signs, words in _ADVICE if any(sign in said.lower() for sign in signs)), "")
    return f"The database cannot do this now: {said}.{f' {advice}' if advice else ''}"


class FaultLog:
    """Writes a fault to the log once, and once more when it is over, however often it is met meanwhile."""

    def __init__(self, log: logging.Logger, who: str) -> None:
        self._log = log
        self._who = who
        self._said = ""

    def note(self, error: BaseException, doing: str) -> None:
        """Say what is wrong. ``doing``: what could not be done, for an error that is a bug, which is logged whole."""
        fault = fault_of(error)
        if fault is None:
            self._log.error("%s; %s tries again", doing, self._who, exc_info=error)
        elif fault != self._said:
            self._said = fault
            self._log.error("%s %s waits, and tries again until it can.", fault, self._who.capitalize())

    def clear(self) -> None:
        """Say that it goes on, where a fault was said before."""
        if self._said:
            self._said = ""
            self._log.warning("the database works again, and %s goes on", self._who)
