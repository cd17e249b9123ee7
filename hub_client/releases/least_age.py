"""Which releases are old enough to be used: the setting ``min_age``."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from hub_client.errors import PolicyError
from schemas.package import Release


@dataclass(frozen=True)
class LeastAge:
    """How long a release must have been public. ``age`` of zero admits every release; ``now`` is this machine's clock.

    The hub is not believed where it says an impossible time: one without a zone counts as UTC, and one that no calendar
    has after ``age`` is never reached.
    """

    age: timedelta
    now: Callable[[], datetime]

    def admits(self, since: datetime) -> bool:
        """Whether what is public since ``since`` may be used now."""
        return not self.age or _with_zone(since) <= self.now() - self.age

    def refusal(self, release: Release, since: datetime) -> PolicyError:
        """Why a release cannot be used that is public since ``since``, and from when on it can."""
        days, now = f"--min-age {self.age / timedelta(days=1):g}", self.now()
        listed, public = _with_zone(release.published_at), _with_zone(since)
        said = f"{release.package} {release.version} was published {_in_utc(listed)}"
        if public > listed:  # A private package was made public, or the hub's list says another time than its journal.
            said += f" and stands in the hub's journal since {_in_utc(public)}"
        try:
            usable = f"with {days} it can be used from {_in_utc(public + self.age)} on"
        except OverflowError:
            usable = f"with {days} it can never be used"
        clock = f"; it is {_in_utc(now)} by this machine's clock: is that right?" if public > now else ""
        return PolicyError(f"{said}, and nothing older fits: {usable}, with --min-age 0 now{clock}")


def _with_zone(moment: datetime) -> datetime:
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)


def _in_utc(moment: datetime) -> str:
    try:
        return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
    except OverflowError:  # in the calendar's first or last hours, with an offset
        return f"{moment:%Y-%m-%d %H:%M}"
