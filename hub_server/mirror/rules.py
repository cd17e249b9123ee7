"""What follows from the journal's entries about one package, and which facts a release has then."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from packaging.version import InvalidVersion

from hub_server.catalog.rules.versions import version_key
from schemas.journal.entries import Act, Statement
from schemas.names import InvalidNameError, check_package_id
from schemas.package import Release

MOST_LETTERS = 2000
"""Of a reason in the other hub's words."""
LOOK_AGAIN = timedelta(days=1)
"""A package without news is looked at again after so long."""
_LONGEST_PAUSE = timedelta(hours=6)  # chosen: pauses double from a minute up to it
_ELSEWHERE = "The hub that this one mirrors gives no reason."


@dataclass(frozen=True)
class SignedRelease:
    """What the journal says of a release: its bytes since when, and the state that it came into last."""

    version: str
    digest: str
    published_at: datetime
    state: Act

    @property
    def is_shown(self) -> bool:
        """Whether its bytes may be given to anybody."""
        return self.state not in (Act.QUARANTINED, Act.TAKEN_DOWN)


@dataclass(frozen=True)
class SignedPackage:
    """What the journal says of a package. ``owner_sha256``: of the name of who has it; empty: whom its id names."""

    releases: dict[str, SignedRelease]
    owner_sha256: str


class ContradictionError(ValueError):
    """Entries of one journal contradict each other."""


def read_entries(entries: Sequence[Statement]) -> SignedPackage:
    """What all entries about a package, in order, say together. Raises :class:`ContradictionError`."""
    releases: dict[str, SignedRelease] = {}
    by_key: dict[str, str] = {}
    owner = ""
    for entry in entries:
        if entry.act is Act.TRANSFER:
            owner = entry.sha256
            continue
        version, digest = entry.version or "", f"sha256:{entry.sha256}"
        before = releases.get(version)
        if before is not None and before.digest != digest:
            raise ContradictionError(f"the journal names two different wheels as {entry.package} {version}")
        if before is not None and before.state is Act.TAKEN_DOWN:
            continue  # nothing brings it back
        _check_distinct(by_key, entry, version)
        since = entry.at
        state: Act = Act.ACTIVE if entry.act is Act.PUBLISH else entry.act
        if before is not None and entry.act is Act.PUBLISH:
            # A release from before the hub kept a journal: its states may be entered before its publish.
            since, state = min(entry.at, before.published_at), before.state
        elif before is not None:
            since = before.published_at
        releases[version] = SignedRelease(version, digest, since, state)
    return SignedPackage(releases, owner)


def _check_distinct(by_key: dict[str, str], entry: Statement, version: str) -> None:
    """Raise where the journal names two spellings of one version (1.0 and 1.0.0). ``by_key``: those that were seen."""
    try:
        known = by_key.setdefault(version_key(version), version)
    except InvalidVersion:
        raise ContradictionError(f"the journal names {entry.package} {version!r}, which is no version") from None
    if known != version:
        raise ContradictionError(f"the journal names {entry.package} {version} twice, in two spellings")


def facts_of(signed: SignedRelease, told: Release | None) -> dict[str, str | None]:
    """The reasons to store with a release: that of the state in the journal, in the other hub's words if it has any."""

    def words(reason: str | None) -> str:
        return (reason if reason is not None else _ELSEWHERE if told is None else told.state_reason)[:MOST_LETTERS]

    reasons: dict[str, str | None] = dict.fromkeys(("yanked", "deprecated", "quarantined", "taken_down"))
    if signed.state is Act.YANKED:
        reasons["yanked"] = words(told.yanked_reason if told else None)
    elif signed.state is Act.DEPRECATED:
        reasons["deprecated"] = words(told.deprecated_reason if told else None)
    elif signed.state is Act.QUARANTINED:
        reasons["quarantined"] = words(told.quarantined_reason if told else None) or _ELSEWHERE
    elif signed.state is Act.TAKEN_DOWN:
        reasons["taken_down"] = words(told.taken_down_reason if told else None) or _ELSEWHERE
    return reasons


def words_of(told: str | None) -> str | None:
    """A text of the other hub that nobody has signed, cut short."""
    return told[:MOST_LETTERS] if told is not None else None


def name_of(told: str, otherwise: str) -> str:
    """The name of an account that the other hub tells, if it is one."""
    try:
        check_package_id(f"{told}/x")
    except InvalidNameError:
        return otherwise
    return told


def pause_after(tries: int) -> timedelta:
    """How long a package waits after it could not be mirrored ``tries`` times in a row: a minute, then longer."""
    doublings: int = min(max(tries - 1, 0), 10)
    return min(timedelta(minutes=1 << doublings), _LONGEST_PAUSE)
