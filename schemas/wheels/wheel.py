"""Reads a release from the bytes of its wheel. Nothing is extracted or run, and every fault is listed."""

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from packaging.utils import canonicalize_name

from schemas.evidence.cases import AuditCase
from schemas.manifest import Manifest, ManifestError
from schemas.names import digest_of, distribution_name
from schemas.package import ReleaseFile
from schemas.task import Task
from schemas.wheels.archive import CEILING, ArchiveLimits, read_archive
from schemas.wheels.changelog import CHANGELOG_NAME, notes_of
from schemas.wheels.package_data import case_rows, check_data_files, task_lines, task_rows
from schemas.wheels.requirements import LOCK_FILE_NAME, LockedRequirement, check_lock_covers, parse_requirements_lock
from schemas.wheels.wheel_error import ProblemList, WheelError
from schemas.wheels.wheel_metadata import WheelMetadata, check_dist_info, check_dist_info_name, read_metadata

__all__ = ["WheelContents", "WheelError", "read_wheel"]

MANIFEST_NAME = "verihub.toml"

_NATIVE_SUFFIX = re.compile(r"\.(?:so|pyd|dll|dylib|exe|o|a|lib|wasm)$|\.so\.\d", re.IGNORECASE)
_NATIVE_MAGIC = (b"\x7fELF", b"\xfe\xed\xfa\xce", b"\xfe\xed\xfa\xcf", b"\xce\xfa\xed\xfe", b"\xcf\xfa\xed\xfe")


@dataclass(frozen=True)
class WheelContents:
    """A wheel that passed every check. ``files`` maps paths from the wheel's root to their bytes."""

    digest: str
    size_bytes: int
    manifest: Manifest
    metadata: WheelMetadata
    files: dict[str, bytes] = field(repr=False)
    lock: tuple[LockedRequirement, ...] = ()

    @property
    def readme(self) -> str:
        """The project's README, usually Markdown; untrusted."""
        return self.metadata.readme

    @property
    def notes(self) -> str:
        """What the package's CHANGELOG.md says of this version, Markdown; untrusted. Empty where it says nothing."""
        changelog = self.files.get(f"{self.manifest.import_name}/{CHANGELOG_NAME}", b"")
        return notes_of(changelog.decode("utf-8", "replace"), self.metadata.version)

    @cached_property
    def release_files(self) -> list[ReleaseFile]:
        """Every file with its size and SHA-256, by path."""
        return [
            ReleaseFile(path=path, size=len(content), sha256=hashlib.sha256(content).hexdigest())
            for path, content in sorted(self.files.items())
        ]

    def read_data(self, path_in_package: str) -> bytes:
        """The bytes of a file by its path inside the import package. Raises ``KeyError`` when there is none."""
        return self.files[f"{self.manifest.import_name}/{path_in_package}"]

    def tasks(self, split: str) -> Iterator[Task]:
        """The tasks of a split that is a file. ``KeyError``: unknown split; ``ValueError``: a function makes it."""
        source = self._file_of(split)
        return task_rows(self.read_data(source), source, split)

    def task_lines(self, split: str, *, with_answer: bool) -> Iterator[bytes]:
        """The same as lines of JSON, newline included, of a wheel whose rows were checked. Raises as :meth:`tasks`."""
        source = self._file_of(split)
        return task_lines(self.read_data(source), source, split, with_answer=with_answer)

    def _file_of(self, split: str) -> str:
        made_by = self.manifest.generated_splits.get(split)
        if made_by is not None:
            raise ValueError(f"split {split} of {self.manifest.id} is made by {made_by}, which runs in a sandbox")
        return self.manifest.tasks[split]

    def cases(self) -> list[AuditCase]:
        """The labelled cases of every audit file, in order. Their origin is ``author``, whatever the file says."""
        return [case.as_authors for path in self.manifest.case_files for case in case_rows(self.read_data(path), path)]

    def task_counts(self) -> dict[str, int | None]:
        """Tasks a split; None for one that a function generates."""
        return {
            split: sum(1 for _ in self.tasks(split)) if split in self.manifest.stored_splits else None
            for split in self.manifest.tasks
        }


def read_wheel(data: bytes, limits: ArchiveLimits = CEILING, *, rows_checked: bool = False) -> WheelContents:
    """Check ``data`` as a release and return what it holds.

    ``rows_checked`` leaves out the rows of tasks and cases, for bytes that passed here before, as their digest shows:
    a large split takes as long to check as to read. Each row is still parsed when it is read.

    Raises :class:`WheelError`, whose ``problems`` list everything that could be found wrong at once.
    """
    files = read_archive(data, limits)
    problems = ProblemList()
    dist_info = _find_dist_info(files, problems)
    manifest = _read_manifest(files, problems)
    problems.raise_if_any()
    assert manifest is not None
    check_dist_info(files, dist_info, problems)
    metadata = read_metadata(files.get(f"{dist_info}/METADATA", b""), f"{dist_info}/METADATA", problems)
    problems.raise_if_any()
    assert metadata is not None
    check_dist_info_name(dist_info, metadata, problems)
    _check_layout(files, dist_info, manifest, metadata, problems)
    _check_entry_points(files, manifest, problems)
    lock = _read_lock(files, manifest, metadata, problems)
    if not rows_checked:
        check_data_files(files, manifest, problems)
    problems.raise_if_any()
    return WheelContents(digest_of(data), len(data), manifest, metadata, files, lock)


def _find_dist_info(files: dict[str, bytes], problems: ProblemList) -> str:
    found = sorted({path.split("/")[0] for path in files if path.split("/")[0].endswith(".dist-info")})
    if len(found) == 1:
        return found[0]
    problems.add("", f"a wheel has one .dist-info folder; this archive has {len(found)}: build it with `verihub pack`")
    return ""


def _read_manifest(files: dict[str, bytes], problems: ProblemList) -> Manifest | None:
    """Finds the only ``IMPORT_NAME/verihub.toml``. Whether the import name fits its id is checked later."""
    places = sorted(path for path in files if path.count("/") == 1 and path.endswith(f"/{MANIFEST_NAME}"))
    if len(places) != 1:
        where = f"; found {', '.join(places)}" if places else ""
        problems.add(MANIFEST_NAME, f"a package has one verihub.toml, beside its __init__.py{where}")
        return None
    try:
        return Manifest.from_toml(files[places[0]].decode("utf-8"))
    except UnicodeDecodeError:
        problems.add(places[0], "is not UTF-8: save the file as UTF-8")
    except ManifestError as error:
        for line in str(error).splitlines():
            problems.add(places[0], line.removeprefix("verihub.toml: "))
    return None


def _check_layout(
    files: dict[str, bytes], dist_info: str, manifest: Manifest, metadata: WheelMetadata, problems: ProblemList
) -> None:
    """Checks the layout: one import package, named after the id; nothing that runs at installation or when Python
    starts; readable source.
    """
    expected = distribution_name(manifest.id)
    if canonicalize_name(metadata.name) != expected:
        problems.add(
            "pyproject.toml", f"the project is named {metadata.name}, but id = {manifest.id!r} needs {expected}"
        )
    package = manifest.import_name
    if f"{package}/__init__.py" not in files:
        problems.add(f"{package}/__init__.py", f"is missing: id = {manifest.id!r} needs the import package {package}")
    for path, content in files.items():
        top = path.split("/")[0]
        if top.endswith(".data"):
            problems.add(path, "a .data folder would be installed outside the package: remove it")
        elif path.endswith(".pth"):
            problems.add(path, "a .pth file runs when Python starts: remove it")
        elif top not in (package, dist_info):
            problems.add(path, f"lies outside {package}/: a package brings one import package, named after its id")
        elif path.endswith((".pyc", ".pyo")) or "__pycache__" in path:
            problems.add(path, "is compiled Python, which nobody can read: leave it out")
        elif _NATIVE_SUFFIX.search(path) or content.startswith(_NATIVE_MAGIC):
            problems.add(path, "is native code: a package is pure Python; depend on a binary wheel instead")


def _check_entry_points(files: dict[str, bytes], manifest: Manifest, problems: ProblemList) -> None:
    """Checks that each ``module:name`` of this package names a module that the wheel holds."""
    for point in manifest.entry_points.values():
        module = point.module.replace(".", "/")
        if f"{module}.py" not in files and f"{module}/__init__.py" not in files:
            problems.add(MANIFEST_NAME, f"{point} names a module that the wheel does not hold ({module}.py)")
    if manifest.recipe and f"{manifest.import_name}/{manifest.recipe}" not in files:
        problems.add(
            MANIFEST_NAME,
            f"recipe = {manifest.recipe!r}, but the wheel has no {manifest.import_name}/{manifest.recipe}",
        )


def _read_lock(
    files: dict[str, bytes], manifest: Manifest, metadata: WheelMetadata, problems: ProblemList
) -> tuple[LockedRequirement, ...]:
    path = f"{manifest.import_name}/{LOCK_FILE_NAME}"
    locked, faults = parse_requirements_lock(files.get(path, b"").decode("utf-8", "replace"))
    for number, sentence in faults:
        problems.add(f"{path}:{number}", sentence)
    for sentence in check_lock_covers(metadata.dependencies, locked, metadata.box_python):
        problems.add(path, sentence)
    return tuple(locked)
