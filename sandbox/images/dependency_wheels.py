"""Reading the binary wheels of a lock without installing them: nothing runs, no links, sizes capped while reading."""

import functools
import stat
import zipfile
from collections.abc import Iterable, Iterator

from packaging.tags import Tag, compatible_tags, cpython_tags
from packaging.utils import InvalidWheelFilename, canonicalize_name, parse_wheel_filename

from sandbox.images.errors import LockRefusedError, WheelRefusedError
from sandbox.images.layers import digest_of_file
from sandbox.interface import LockedWheel
from schemas.wheels.archive_names import name_fault
from schemas.wheels.box_python import DEFAULT_PYTHON, as_numbers

_GLIBC = range(36, 4, -1)
_MACHINES = {"amd64": "x86_64", "arm64": "aarch64"}

MAX_FILES = 30_000  # chosen, not measured
MAX_FILE_BYTES = 256 * 2**20  # chosen, not measured
MAX_TOTAL_BYTES = 1024 * 2**20  # chosen, not measured
_BLOCK = 1 << 20


def box_platforms(architecture: str) -> list[str]:
    """Wheel platform tags that a box can load, newest first. ``architecture`` as Go spells it."""
    machine = _MACHINES.get(architecture, architecture)
    return [*(f"manylinux_2_{minor}_{machine}" for minor in _GLIBC), f"manylinux2014_{machine}", f"linux_{machine}"]


@functools.lru_cache(maxsize=16)
def box_tags(architecture: str, python: str = DEFAULT_PYTHON) -> frozenset[Tag]:
    """Every wheel tag that a box with this Python can use."""
    platforms = box_platforms(architecture)
    version = as_numbers(python)
    interpreter = f"cp{version[0]}{version[1]}"
    found = (
        *cpython_tags(version, platforms=platforms),
        *compatible_tags(version, interpreter=interpreter, platforms=platforms),
    )
    return frozenset(found)


def read_locked_wheels(
    lock: Iterable[LockedWheel], architecture: str, python: str = DEFAULT_PYTHON
) -> dict[str, bytes]:
    """Merge the locked wheels into one site folder: path -> content.

    Every file is first checked against the lock. Raises
    :class:`~sandbox.images.errors.WheelRefusedError` for bytes that were not locked, unsafe archives and
    two wheels that disagree about a file, :class:`~sandbox.images.errors.LockRefusedError` for a wheel that does not
    fit the box.
    """
    merged: dict[str, bytes] = {}
    budget = _Budget()
    for wheel in lock:
        check_wheel(wheel, architecture, python)
        for name, data in _site_files(wheel, budget):
            if merged.setdefault(name, data) != data:
                raise WheelRefusedError(f"{wheel.name} {wheel.version} overwrites {name} of another locked wheel")
    return merged


def check_wheel(wheel: LockedWheel, architecture: str, python: str = DEFAULT_PYTHON) -> None:
    """Refuse a file that is not the wheel that was locked, or that the box cannot use."""
    try:
        name, version, _, wheel_tags = parse_wheel_filename(wheel.path.name)
    except InvalidWheelFilename as error:
        raise LockRefusedError(
            f"{wheel.path.name} is not a wheel ({error}): only binary wheels can be locked"
        ) from None
    if canonicalize_name(wheel.name) != name or str(version) != wheel.version:
        raise WheelRefusedError(f"{wheel.path.name} is not {wheel.name} {wheel.version}, which the lock names")
    if not wheel_tags & box_tags(architecture, python):
        raise LockRefusedError(
            f"{wheel.path.name} does not fit the box (CPython {python}, glibc 2.36): lock again with "
            "`verihub pack --relock`"
        )
    digest = digest_of_file(wheel.path)
    if digest != f"sha256:{wheel.sha256}":
        raise WheelRefusedError(f"{wheel.path.name} has {digest}, but the lock says sha256:{wheel.sha256}")


class _Budget:
    """What all wheels of a lock may hold together."""

    def __init__(self) -> None:
        self._files, self._bytes = MAX_FILES, MAX_TOTAL_BYTES

    def spend(self, wheel: LockedWheel, size: int) -> None:
        self._files -= 1
        self._bytes -= size
        if self._files < 0 or self._bytes < 0:
            raise WheelRefusedError(
                f"with {wheel.path.name}, the wheels of the lock have more than {MAX_FILES} files or "
                f"{MAX_TOTAL_BYTES >> 20} MB"
            )


def _site_files(wheel: LockedWheel, budget: _Budget) -> Iterator[tuple[str, bytes]]:
    """What installing the wheel would put into a site folder; scripts, headers and start-up hooks are left out."""
    try:
        with zipfile.ZipFile(wheel.path) as archive:
            for entry in archive.infolist():
                name = _site_name(_checked_name(wheel, entry))
                if name is not None:
                    data = _content(wheel, archive, entry)
                    budget.spend(wheel, len(data))
                    yield name, data
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError) as error:
        raise WheelRefusedError(f"{wheel.path.name} cannot be read: {error}") from None


def _checked_name(wheel: LockedWheel, entry: zipfile.ZipInfo) -> str:
    """The entry's name, when it is a sound one of a regular file or a folder."""
    mode = stat.S_IFMT(entry.external_attr >> 16)
    if mode not in (0, stat.S_IFREG, stat.S_IFDIR):
        raise WheelRefusedError(f"{wheel.path.name}: {entry.filename} is a link or a device")
    fault = name_fault(entry.orig_filename.rstrip("/"))
    if fault:
        raise WheelRefusedError(f"{wheel.path.name}: {entry.orig_filename!r} {fault}")
    return entry.orig_filename


def _site_name(name: str) -> str | None:
    """Where the file goes in a site folder; None for what stays out."""
    if name.endswith(("/", ".pth", ".pyc")):
        return None
    top, _, rest = name.partition("/")
    if top.endswith(".data"):
        scheme, _, inner = rest.partition("/")
        return inner if scheme in ("purelib", "platlib") and inner and not inner.endswith(".pth") else None
    return name


def _content(wheel: LockedWheel, archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bytes:
    """The entry's bytes; the size limit is checked while reading, because the header's size may be false."""
    parts, total = [], 0
    with archive.open(entry) as stream:
        while block := stream.read(_BLOCK):
            parts.append(block)
            total += len(block)
            if total > MAX_FILE_BYTES:
                raise WheelRefusedError(f"{wheel.path.name}: {entry.filename} is over {MAX_FILE_BYTES >> 20} MB")
    return b"".join(parts)


def lock_lines(lock: Iterable[LockedWheel]) -> list[str]:
    """One line a wheel, sorted: what the digest of a lock is taken of."""
    return sorted(f"{canonicalize_name(wheel.name)}=={wheel.version} sha256:{wheel.sha256}" for wheel in lock)
