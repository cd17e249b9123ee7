"""Attempts whose process, box, engine or hub was lost on the way: which are played again, how often and when.

Training and evaluation decide by the same rules. Of a try that was lost nothing is kept.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from hub_client.errors import HubClientError, HubUnreachableError, PolicyError
from hub_client.evaluation.attempt import HarnessFailedError, HarnessLostError
from schemas.problem import ProblemCode

LOST_BOX_PAUSES = (0.0, 1.0)
"""Seconds before each further try after a process or box has ended: few, since it may have ended by its own fault."""
AWAY_PAUSES = (1.0, 5.0, 25.0)
"""The same where hub or engine did not answer, or had no place: chosen, as long as one takes to start again."""
LONGEST_OUTAGE = 300.0
"""Seconds after which no attempt waits any more for what is away: chosen, for a machine that starts again."""


@dataclass
class Outage:
    """How long hub or engine has been away, as all attempts of a round know it.

    Each attempt waits through all pauses by itself. Without a common end, 512 of which eight live at once would wait
    for half an hour for a hub that is gone for good.
    """

    clock: Callable[[], float] = time.monotonic
    since: float | None = None

    def is_too_long(self) -> bool:
        """Note that it is away; whether it has been for too long."""
        now = self.clock()
        self.since = now if self.since is None else self.since
        return now - self.since > LONGEST_OUTAGE

    def end(self) -> None:
        """An attempt has ended well."""
        self.since = None


@dataclass
class Tries:
    """The tries of one attempt."""

    outage: Outage = field(default_factory=Outage)
    lost: int = 0
    """Tries that were lost so far, the last one included."""
    _boxes: int = 0
    _away: int = 0

    def pause_after(self, error: HubClientError) -> float | None:
        """Seconds until the next try after one that ended with ``error``; None: there is no other.

        Raises ``error`` itself where no other try and no other attempt would escape it, such as a token that is
        revoked.
        """
        if isinstance(error, HarnessLostError):
            self.lost += 1
            self._boxes += 1
            return _at(LOST_BOX_PAUSES, self._boxes)
        if isinstance(error, HarnessFailedError):
            return None
        if not is_away(error):
            raise error
        self.lost += 1
        self._away += 1
        return None if self.outage.is_too_long() else _at(AWAY_PAUSES, self._away)


def is_away(error: HubClientError) -> bool:
    """Whether hub or engine did not answer, or had no place for another session."""
    has_no_place = error.problem is not None and error.problem.code == ProblemCode.TOO_MANY_REQUESTS
    return isinstance(error, HubUnreachableError) or (isinstance(error, PolicyError) and has_no_place)


def _at(pauses: tuple[float, ...], number: int) -> float | None:
    return pauses[number - 1] if number <= len(pauses) else None
