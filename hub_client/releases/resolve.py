"""Resolves a reference to one release and its verified wheel."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import MappingProxyType
from typing import Any, Never

from packaging.version import Version
from pydantic import ValidationError

from hub_client.errors import HubUnreachableError, IntegrityError, NotFoundError, PolicyError, UsageError
from hub_client.integrity.journal import Journal, Vouched
from hub_client.integrity.known_authors import NO_AUTHOR, AuthorCheck, KnownAuthors
from hub_client.releases.cache import Cache
from hub_client.releases.least_age import LeastAge
from hub_client.transport.connection import HubConnection
from hub_client.transport.requests import packages
from schemas.names import Reference, distribution_name
from schemas.package import PackageDetail, Release, ReleaseState
from schemas.wheels.wheel import WheelContents, WheelError, read_wheel

_DIGESTS = "digests_seen"
"""Key in the stored index: version -> digest of every release that the hub ever listed to this machine."""

_NO_TIMES: Mapping[str, datetime] = MappingProxyType({})


@dataclass(frozen=True)
class LoadedPackage:
    """A release, or a project folder packed like one, on local disk. ``release`` is None for a folder."""

    package: str
    version: str
    digest: str
    wheel: Path
    contents: WheelContents
    release: Release | None = None
    vouched: Vouched | None = None
    """What the hub has signed about it; None for a folder, or where the hub keeps no journal."""
    author: AuthorCheck = NO_AUTHOR
    """What its author has signed, and what to tell the user about that."""

    @property
    def reference(self) -> str:
        """``owner/name@version``."""
        return f"{self.package}@{self.version}"


def loaded(package: object) -> LoadedPackage:
    """``package`` itself. Raises :class:`UsageError` for anything but a loaded package, such as its name."""
    if isinstance(package, LoadedPackage):
        return package
    example = repr(package) if isinstance(package, str) else '"owner/name"'
    raise UsageError(f"this takes a loaded package, not {type(package).__name__}: package = hub.load({example})")


class Resolver:
    """Resolves references on exactly one hub, and fetches what they mean."""

    def __init__(
        self,
        connection: HubConnection,
        cache: Cache,
        journal: Journal,
        authors: KnownAuthors,
        *,
        offline: bool = False,
        min_age: timedelta = timedelta(0),
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._url = journal.url
        self._connection = connection
        self._cache = cache
        self._journal = journal
        self._authors = authors
        self._offline = offline
        self._least_age = LeastAge(min_age, now)

    def resolve(
        self, reference: Reference, *, any_age: bool = False, public_since: Mapping[str, datetime] = _NO_TIMES
    ) -> Release:
        """The release that ``reference`` means now. ``any_age``: also one that was published within the least age.

        ``public_since``: by version, times that the journal has and the hub's list has not.
        Raises :class:`NotFoundError` when nothing fits, :class:`PolicyError` when it is quarantined or too young.
        """
        detail = self.describe(reference.package)
        release = _choose(reference, detail.releases)
        if not any_age:
            release = self._choose_old(reference, detail.releases, release, public_since)
        if release is None:
            known = ", ".join(_named(release) for release in detail.releases[:8]) or "none"
            raise NotFoundError(f"no release of {reference.package} fits {reference}: its releases are {known}")
        if release.state is ReleaseState.QUARANTINED:
            _refuse_quarantined(release)
        return release

    def _choose_old(
        self,
        reference: Reference,
        releases: list[Release],
        chosen: Release | None,
        public_since: Mapping[str, datetime],
    ) -> Release | None:
        """As ``chosen``, among those that are old enough: who sends a malicious one is mostly found in days.

        Raises :class:`PolicyError` where it leaves none, or a pre-release only in place of a final one.
        """
        since = {one.version: public_since.get(one.version, one.published_at) for one in releases}
        old = _choose(reference, [one for one in releases if self._least_age.admits(since[one.version])])
        if chosen is None:
            return old
        if old is None or (Version(old.version).is_prerelease and not Version(chosen.version).is_prerelease):
            if chosen.state is ReleaseState.QUARANTINED:
                _refuse_quarantined(chosen)
            raise self._least_age.refusal(chosen, since[chosen.version])
        return old

    def describe(self, package_id: str) -> PackageDetail:
        """What the hub says about a package; offline, what it last said.

        Raises :class:`IntegrityError` when the hub speaks of another package, or gives a version other bytes than it
        had when this machine last saw it.
        """
        remembered = self._cache.read_index(self._url, package_id)
        if self._offline:
            return self._remembered(package_id, remembered)
        detail = self._connection.send(packages.get_package(package_id))
        named = {detail.card.id, *(release.package for release in detail.releases)}
        if len(named) == 1 and detail.card.id.partition("/")[2] == package_id.partition("/")[2]:
            self._refuse_other_owner(package_id, detail)
        if named != {package_id}:
            raise IntegrityError(
                f"{self._url} was asked for {package_id} and answers with {', '.join(sorted(named - {package_id}))}: "
                "nothing of it is used; tell whoever runs the hub"
            )
        known = self._refuse_other_bytes(detail, _digests(remembered))
        # Digests are kept when a hub no longer lists a version. Otherwise it could list it again with other bytes.
        self._cache.write_index(self._url, package_id, {**detail.model_dump(mode="json"), _DIGESTS: known})
        return detail

    def _refuse_other_owner(self, package_id: str, detail: PackageDetail) -> None:
        """Raise if the hub answers with the package under its new owner, after it was given away.

        The package is not used under the old name: the user must ask for it by the new one.
        """
        if detail.card.id != package_id:
            raise NotFoundError(
                f"there is no package {package_id} on {self._url}; {detail.card.id} was given to "
                f"{package_id.partition('/')[0]} and has kept its name: ask for {detail.card.id}"
            )

    def _remembered(self, package_id: str, remembered: Any) -> PackageDetail:
        try:
            if remembered is not None:
                return PackageDetail.read(remembered)
        except ValidationError:
            pass  # Damaged, or written by another version of the client: treated as missing.
        raise HubUnreachableError(
            f"{package_id} is not in the cache, and --offline forbids asking {self._url}: pull it once online"
        )

    def _refuse_other_bytes(self, detail: PackageDetail, known: dict[str, str]) -> dict[str, str]:
        """Raise if a version's digest has changed. Returns the digests as first seen, with the new ones."""
        for release in detail.releases:
            before = known.setdefault(release.version, release.digest)
            if before != release.digest:
                raise IntegrityError(
                    f"{release.package} {release.version} was {before} when this machine last saw it, and {self._url} "
                    f"now says {release.digest}: releases never change. If this is a new hub at an old address, delete "
                    f"{self._cache.index_path(self._url, release.package)}"
                )
        return known

    def load(self, reference: Reference, *, strict: bool = False, any_age: bool = False) -> LoadedPackage:
        """Resolve, fetch, verify, read. The bytes are hashed, and held against the hub's journal, on every load.

        ``strict``: the hub must have a proof that it published them, and what is damaged here is an error even where it
        could be fetched again. ``any_age``: see :meth:`resolve`.
        """
        public_since: dict[str, datetime] = {}
        while True:
            release = self.resolve(reference, any_age=any_age, public_since=public_since)
            path = self.fetch(release, strict=strict)
            vouched = self._journal.check_release(release, needs_proof=strict)
            if any_age or vouched is None or self._least_age.admits(vouched.public_since):
                break
            # The list says an earlier time than the journal, which is signed: choose again, with that time.
            public_since[release.version] = vouched.public_since
        author = self._authors.check(release, vouched)
        try:
            contents = read_wheel(path.read_bytes())
        except WheelError as error:
            raise IntegrityError(f"{release.package} {release.version} must not be used: {error}") from None
        if contents.digest != release.digest:
            raise IntegrityError(f"{path} changed while it was read: run again")
        if (contents.manifest.id, contents.metadata.version) != (release.package, release.version):
            raise IntegrityError(
                f"the hub calls these bytes {release.package} {release.version}, they call themselves "
                f"{contents.manifest.id} {contents.metadata.version}: tell whoever runs {self._url}"
            )
        return LoadedPackage(release.package, release.version, release.digest, path, contents, release, vouched, author)

    def fetch(self, release: Release, *, strict: bool = False) -> Path:
        """The wheel on local disk, downloaded if need be. Offline or ``strict``, a damaged one is an error."""
        if found := self._cache.find_wheel(release.digest, strict=strict or self._offline):
            return found
        if self._offline:
            raise HubUnreachableError(
                f"the wheel of {release.package} {release.version} is not in the cache: pull it once online"
            )
        with self._cache.locked(release.digest):
            if found := self._cache.find_wheel(release.digest):
                return found
            file_name = wheel_file_name(release.package, release.version)
            path = packages.wheel_url_path(release.package, release.version)
            with self._connection.download(path, release.size_bytes) as pieces:
                return self._cache.add_wheel(release.digest, file_name, pieces)


def _digests(remembered: Any) -> dict[str, str]:
    """Version -> digest, as far as a remembered index can be read."""
    try:
        listed = {str(release["version"]): str(release["digest"]) for release in remembered["releases"]}
        return {**listed, **{str(version): str(digest) for version, digest in remembered.get(_DIGESTS, {}).items()}}
    except (AttributeError, KeyError, TypeError):  # written by another version: it is asked for anew
        return {}


def wheel_file_name(package_id: str, version: str) -> str:
    """What pip expects the wheel to be called."""
    return f"{distribution_name(package_id).replace('-', '_')}-{version}-py3-none-any.whl"


def _refuse_quarantined(release: Release) -> Never:
    reason = f" ({release.state_reason})" if release.state_reason else ""
    raise PolicyError(f"{release.package} {release.version} is quarantined{reason} and cannot be used")


def _named(release: Release) -> str:
    """The version, and why it is not chosen."""
    if release.state is not ReleaseState.ACTIVE:
        return f"{release.version} ({release.state})"
    return f"{release.version} (not @latest)" if release.blocked_from_latest else release.version


def _choose(reference: Reference, releases: list[Release]) -> Release | None:
    """An exact pin finds any release. Other references find only active and deprecated ones that may be latest."""
    if reference.digest is not None:
        return next((release for release in releases if release.digest == reference.digest), None)
    by_version = {release.version: release for release in releases}
    if reference.version is not None:
        return by_version.get(reference.choose(list(by_version)) or "")
    eligible = [
        release.version
        for release in releases
        if release.state in (ReleaseState.ACTIVE, ReleaseState.DEPRECATED) and not release.blocked_from_latest
    ]
    return by_version.get(reference.choose(eligible) or "")
