"""Pure decisions of the catalogue: what a search may ask, which release is the latest, how versions order."""

from collections.abc import Iterable
from dataclasses import dataclass

from packaging.version import Version

from hub_server.errors import InvalidRequestError
from hub_server.paging import check_limit
from schemas.package import AuditSummary, ReleaseState

SORTS = ("relevance", "updated", "newest", "jaw", "downloads", "name")
UNMEASURED_JAW = 2.0


@dataclass(frozen=True)
class SearchRequest:
    """What a reader asks of the catalogue. Several values of one facet mean *any of them*."""

    text: str = ""
    kinds: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    grades: tuple[str, ...] = ()
    licences: tuple[str, ...] = ()
    owner: str | None = None
    sort: str = "relevance"
    cursor: str | None = None
    limit: int = 20

    def __post_init__(self) -> None:
        if self.sort not in SORTS:
            raise InvalidRequestError(f"sort={self.sort!r} is unknown: use one of {', '.join(SORTS)}.")
        check_limit(self.limit)

    @property
    def order(self) -> str:
        """The sort that is meant: without words there is no relevance, so the freshest come first."""
        return "updated" if self.sort == "relevance" and not self.text.strip() else self.sort


def version_key(text: str) -> str:
    """A text that orders, byte by byte, as PEP 440 orders versions, and is equal for equal ones (1.0 and 1.0.0).

    >>> sorted(["1.10", "1.9", "1.9rc1", "1.9.dev2", "1.9.post1"], key=version_key)
    ['1.9.dev2', '1.9rc1', '1.9', '1.9.post1', '1.10']
    """
    version = Version(text)
    release = list(version.release)
    while len(release) > 1 and release[-1] == 0:
        release.pop()
    numbers = ".".join(f"{number:020d}" for number in release) + "!"  # "!" sorts before "."
    if version.pre is not None:
        pre = f"1{version.pre[0][0]}{version.pre[1]:020d}"
    else:
        pre = "0" if version.dev is not None and version.post is None else "2"
    post = f"1{version.post:020d}" if version.post is not None else "0"
    dev = f"0{version.dev:020d}" if version.dev is not None else "1"
    return f"{version.epoch:06d}!{numbers}{pre}{post}{dev}"


@dataclass(frozen=True)
class Candidate:
    """What the choice of ``@latest`` looks at."""

    version: str
    key: str
    is_prerelease: bool
    state: str
    blocked: str


def choose_latest(candidates: Iterable[Candidate]) -> Candidate | None:
    """The highest release that is final, neither yanked nor quarantined, and not blocked."""
    eligible = [
        c
        for c in candidates
        if not c.is_prerelease and not c.blocked and c.state in (ReleaseState.ACTIVE, ReleaseState.DEPRECATED)
    ]
    return max(eligible, key=lambda c: c.key, default=None)


def choose_shown(candidates: Iterable[Candidate]) -> Candidate | None:
    """The release that a card describes: ``@latest``, else the newest that is not quarantined."""
    everything = list(candidates)
    latest = choose_latest(everything)
    if latest is not None:
        return latest
    visible = [c for c in everything if c.state != ReleaseState.QUARANTINED]
    return max(visible, key=lambda c: (c.state != ReleaseState.YANKED, c.key), default=None)


def jaw_of(summary: AuditSummary | None) -> float:
    """The upper end of the wider interval, or the mark of the unmeasured."""
    if summary is None or (summary.overall.fpr.value is None and summary.overall.fnr.value is None):
        return UNMEASURED_JAW
    return max(summary.overall.fpr.high, summary.overall.fnr.high)
