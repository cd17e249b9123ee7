"""Pure decisions about giving away and deleting."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from schemas.wording import counted

OFFER_LIFETIME = timedelta(days=14)  # chosen, not measured
DECLINED_FOR = timedelta(days=30)
"""For so long a package is not offered again to who has declined it."""
KEPT_FOR = timedelta(days=1)
"""Who has taken a package over keeps it for so long: each transfer is an entry of the journal, and measures anew."""
MOST_OPEN_OFFERS = 20
"""So many packages an owner may have offered at one time."""
DELETABLE_FOR = timedelta(hours=72)
"""After its publish a release can be deleted for so long. npm and crates.io have the same time."""


@dataclass(frozen=True)
class Uses:
    """What others have built on a release. Their packages count whichever of the package's releases they refer to."""

    packages: int = 0
    runs: int = 0
    cases: int = 0
    results: int = 0
    audits: int = 0

    def __str__(self) -> str:
        words = (
            (self.packages, "package that needs it", "packages that need it"),
            (self.runs, "run that used it", "runs that used it"),
            (self.cases, "counter-example against it", "counter-examples against it"),
            (self.results, "benchmark result on it", "benchmark results on it"),
            (self.audits, "grade that rests on it", "grades that rest on it"),
        )
        return ", ".join(counted(number, one, many) for number, one, many in words if number)


def why_not_deleted(published_at: datetime, now: datetime, uses: Uses) -> str:
    """Why a release cannot be deleted, in one sentence; empty when it can."""
    if now - published_at > DELETABLE_FOR:
        return f"it was published more than {DELETABLE_FOR // timedelta(hours=1)} hours ago"
    return f"others have built on it ({uses})" if str(uses) else ""


def is_offer_open(state: str, offered_at: datetime, now: datetime) -> bool:
    """Whether an offer can still be accepted."""
    return state == "open" and now - offered_at < OFFER_LIFETIME


def is_taken_lately(state: str, answered_at: datetime | None, now: datetime) -> bool:
    """Whether the package changed hands by this offer, too short a time ago to be offered on."""
    return state == "accepted" and answered_at is not None and now - answered_at < KEPT_FOR


def is_declined_lately(state: str, answered_at: datetime | None, now: datetime) -> bool:
    """Whether the same receiver has declined too short a time ago to be asked again."""
    return state == "declined" and answered_at is not None and now - answered_at < DECLINED_FOR
