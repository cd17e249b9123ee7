"""From a reference to one release and its verified wheel."""

from dataclasses import dataclass
from pathlib import Path

from hub_client.cache import Cache
from hub_client.connection import Connection
from hub_client.errors import HubUnreachableError, IntegrityError, NotFoundError, PolicyError
from hub_client.requests import packages
from schemas.names import Reference, distribution_name
from schemas.package import PackageDetail, Release, ReleaseState
from schemas.wheel import WheelContents, WheelError, read_wheel


@dataclass(frozen=True)
class LoadedPackage:
    """A release, or a project folder packed as one, on local disk. ``release`` is None for a folder."""

    package: str
    version: str
    digest: str
    wheel: Path
    contents: WheelContents
    release: Release | None = None

    @property
    def reference(self) -> str:
        """``owner/name@version``."""
        return f"{self.package}@{self.version}"


class Resolver:
    """Resolves references on exactly one hub, and fetches what they mean."""

    def __init__(self, url: str, connection: Connection, cache: Cache, *, offline: bool = False) -> None:
        self._url = url
        self._connection = connection
        self._cache = cache
        self._offline = offline

    def resolve(self, reference: Reference) -> Release:
        """The release that ``reference`` means now.

        Raises :class:`NotFoundError` when nothing fits, :class:`PolicyError` when what fits is quarantined.
        """
        detail = self.describe(reference.package)
        release = _choose(reference, detail.releases)
        if release is None:
            known = ", ".join(_named(release) for release in detail.releases[:8]) or "none"
            raise NotFoundError(f"no release of {reference.package} fits {reference}: its releases are {known}")
        if release.state is ReleaseState.QUARANTINED:
            reason = f" ({release.state_reason})" if release.state_reason else ""
            raise PolicyError(f"{reference.package} {release.version} is quarantined{reason} and cannot be used")
        return release

    def describe(self, package_id: str) -> PackageDetail:
        """What the hub says about a package; offline, what it last said."""
        if self._offline:
            remembered = self._cache.read_index(self._url, package_id)
            if remembered is None:
                raise HubUnreachableError(
                    f"{package_id} is not in the cache, and --offline forbids asking {self._url}: pull it once online"
                )
            return PackageDetail.read(remembered)
        detail = self._connection.send(packages.get_package(package_id))
        self._cache.write_index(self._url, package_id, detail.model_dump(mode="json"))
        return detail

    def load(self, reference: Reference) -> LoadedPackage:
        """Resolve, fetch, verify, read. The bytes are hashed on every load."""
        release = self.resolve(reference)
        path = self.fetch(release)
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
        return LoadedPackage(release.package, release.version, release.digest, path, contents, release)

    def fetch(self, release: Release) -> Path:
        """The wheel on local disk, downloaded if need be."""
        if found := self._cache.find_wheel(release.digest):
            return found
        if self._offline:
            raise HubUnreachableError(
                f"the wheel of {release.package} {release.version} is not in the cache: pull it once online"
            )
        with self._cache.locked(release.digest):
            if found := self._cache.find_wheel(release.digest):
                return found
            file_name = wheel_file_name(release.package, release.version)
            with self._connection.download(packages.wheel_url_path(release.package, release.version)) as pieces:
                return self._cache.add_wheel(release.digest, file_name, pieces)


def wheel_file_name(package_id: str, version: str) -> str:
    """What pip expects the wheel to be called."""
    return f"{distribution_name(package_id).replace('-', '_')}-{version}-py3-none-any.whl"


def _named(release: Release) -> str:
    """The version, with what keeps it from being chosen."""
    if release.state is not ReleaseState.ACTIVE:
        return f"{release.version} ({release.state})"
    return f"{release.version} (not @latest)" if release.blocked_from_latest else release.version


def _choose(reference: Reference, releases: list[Release]) -> Release | None:
    """An exact pin finds any release; everything else only active and deprecated ones that may be latest."""
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
