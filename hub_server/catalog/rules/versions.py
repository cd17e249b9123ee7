"""How versions order, which one is ``@latest``, and which one a package's card describes."""

from collections.abc import Iterable
from dataclasses import dataclass

from packaging.version import Version

from schemas.package import ReleaseState


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
class LatestCandidate:
    """What the choice of ``@latest`` looks at."""

    version: str
    key: str
    is_prerelease: bool
    state: str
    blocked: str


def choose_latest(candidates: Iterable[LatestCandidate]) -> LatestCandidate | None:
    """The highest release that is final, neither yanked nor quarantined, and not blocked."""
    eligible = [
        c
        for c in candidates
        if not c.is_prerelease and not c.blocked and c.state in (ReleaseState.ACTIVE, ReleaseState.DEPRECATED)
    ]
    return max(eligible, key=lambda c: c.key, default=None)


def choose_shown(candidates: Iterable[LatestCandidate]) -> LatestCandidate | None:
    """The release that a card describes: ``@latest``, else the newest that is not quarantined."""
    everything = list(candidates)
    latest = choose_latest(everything)
    if latest is not None:
        return latest
    visible = [c for c in everything if c.state != ReleaseState.QUARANTINED]
    return max(visible, key=lambda c: (c.state != ReleaseState.YANKED, c.key), default=None)
