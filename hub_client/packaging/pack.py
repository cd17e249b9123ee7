"""From a project folder to the wheel that is its release."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from packaging.utils import canonicalize_name

from hub_client.errors import CheckFailedError
from hub_client.files import write_atomically
from hub_client.packaging.build import build_files
from hub_client.packaging.project import Project, read_project
from hub_client.packaging.wheel import normalise
from hub_client.releases.cache import Cache
from hub_client.releases.dependencies import lock_dependencies
from hub_client.releases.resolve import LoadedPackage, wheel_file_name
from schemas.wheels.requirements import (
    LOCK_FILE_NAME,
    LockedRequirement,
    check_dependency,
    check_lock_covers,
    parse_requirements_lock,
)
from schemas.wheels.shown_lines import problems_of_lines
from schemas.wheels.wheel import WheelContents, WheelError, read_wheel
from schemas.wheels.wheel_error import ProblemList
from schemas.wheels.wheel_metadata import WheelMetadata, read_metadata

_LOCK_HEADER = "# Binary wheels that the boxes install, by hash. Written by `verihub pack`; commit it.\n"


@dataclass(frozen=True)
class PackedWheel:
    """A wheel in memory whose format every hub accepts."""

    data: bytes
    contents: WheelContents

    @property
    def digest(self) -> str:
        """``sha256:…`` of the bytes."""
        return self.contents.digest

    @property
    def file_name(self) -> str:
        """``owner_name-1.0.0-py3-none-any.whl``."""
        return wheel_file_name(self.contents.manifest.id, self.contents.metadata.version)


def pack(folder: Path, cache: Cache, *, relock: bool = False, trust_build: bool = False) -> PackedWheel:
    """Build ``folder`` into its wheel: the same files give the same bytes. None of the project's code runs.

    ``trust_build``: where the wheel cannot be read off the files, call the project's own build backend.

    Dependencies without an up-to-date ``requirements.lock`` are resolved first and the lock is written beside
    ``verihub.toml`` (``relock`` resolves anew). Raises :class:`CheckFailedError` with every fault.
    """
    project = read_project(folder.resolve())
    with cache.scratch() as scratch:
        built = build_files(project, scratch, trust_build=trust_build)
    try:
        files = _with_lock(project, built, cache, relock=relock)
        packed = normalise(files)
        return PackedWheel(packed, _read_new(packed))
    except WheelError as error:
        raise CheckFailedError(_in_project(str(error), project)) from None


def open_wheel(path: Path) -> PackedWheel:
    """A wheel that was built already. Raises :class:`CheckFailedError` with every fault."""
    try:
        data = path.read_bytes()
        return PackedWheel(data, _read_new(data))
    except OSError as error:
        raise CheckFailedError(f"{path} cannot be read: {error.strerror}") from None
    except WheelError as error:
        raise CheckFailedError(f"{path} cannot be a release:\n{error}") from None


def _read_new(data: bytes) -> WheelContents:
    """A wheel that is to be published. Raises ``WheelError``."""
    contents = read_wheel(data)
    said = contents.metadata
    problems = problems_of_lines(
        contents.manifest, summary=said.summary, readme=said.readme, authors=said.authors, links=said.links
    )
    if problems:
        raise WheelError(problems)
    return contents


def load_folder(folder: Path, cache: Cache, *, trust_build: bool = False) -> LoadedPackage:
    """A project folder as if it were a published release: packed, and its wheel kept in the cache."""
    packed = pack(folder, cache, trust_build=trust_build)
    with cache.locked(packed.digest):
        path = cache.find_wheel(packed.digest) or cache.add_wheel(packed.digest, packed.file_name, [packed.data])
    manifest = packed.contents.manifest
    return LoadedPackage(manifest.id, packed.contents.metadata.version, packed.digest, path, packed.contents)


def _with_lock(project: Project, files: dict[str, bytes], cache: Cache, *, relock: bool) -> dict[str, bytes]:
    """``files`` with a ``requirements.lock`` that covers the wheel's dependencies."""
    metadata = _metadata(files)
    if metadata is None:
        return files  # read_wheel reports what is wrong with it.
    dependencies, python = metadata.dependencies, metadata.box_python
    path_in_wheel = f"{project.manifest.import_name}/{LOCK_FILE_NAME}"
    if any(check_dependency(text) for text in dependencies):
        return files  # read_wheel reports what is wrong with them.
    if not dependencies:
        return {path: content for path, content in files.items() if path != path_in_wheel}
    place = project.package_folder / LOCK_FILE_NAME
    text = place.read_text(encoding="utf-8") if place.is_file() else ""
    locked, faults = parse_requirements_lock(text)
    left_out = {canonicalize_name(name) for name in project.without}.intersection(item.name for item in locked)
    if relock or faults or left_out or check_lock_covers(dependencies, locked, python):
        locked = lock_dependencies(dependencies, cache, python, project.without)
        text = render_lock(locked)
        write_atomically(place, text.encode())
    return {**files, path_in_wheel: text.encode()}


def _metadata(files: dict[str, bytes]) -> WheelMetadata | None:
    """The built wheel's metadata; None when something is wrong with it."""
    path = next((path for path in files if path.endswith(".dist-info/METADATA")), "")
    problems = ProblemList()
    metadata = read_metadata(files.get(path, b""), path, problems)
    return None if problems else metadata


def render_lock(locked: Sequence[LockedRequirement]) -> str:
    """The text of ``requirements.lock``."""
    return _LOCK_HEADER + "".join(requirement.line() + "\n" for requirement in locked)


def _in_project(message: str, project: Project) -> str:
    """Replace paths in the wheel by paths in the project, where the author can fix the fault."""
    package = project.manifest.import_name
    shown = project.package_folder.relative_to(project.folder)
    lines = message.replace(f"{package}/", f"{shown}/").splitlines()
    hint = "missing from the wheel"
    return "\n".join(f"{line} (or does .gitignore leave it out?)" if hint in line else line for line in lines)
