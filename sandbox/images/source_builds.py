"""Dependencies that exist only as source, built into pure Python wheels in a box without network."""

import io
import json
import re
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Sequence
from importlib.resources import files as resources
from pathlib import Path

from packaging.utils import InvalidWheelFilename, canonicalize_name, parse_wheel_filename

from sandbox.images.base import ensure_base
from sandbox.images.dependency_wheels import MAX_FILE_BYTES, read_locked_wheels
from sandbox.images.engine import ImageEngine
from sandbox.images.errors import LockRefusedError, WheelMissingError
from sandbox.images.layers import tar_of
from sandbox.images.settings import ImageSettings
from sandbox.images.source_wheel import BuiltWheel
from sandbox.images.wheelhouse import fetch_wheels
from schemas.names import digest_of
from schemas.wheels.requirements import parse_requirements_lock

_MAX_SOURCE_BYTES = 64 * 2**20  # chosen, not measured
_WORK = "/build"
"""A tmpfs of the container that an engine runs a step in: the only folder that the build can write to."""
_NATIVE_SOURCE = re.compile(r"\.(?:c|cc|cpp|cxx|pyx|rs|go|f|f90|cu|m)$", re.IGNORECASE)
_NATIVE = re.compile(r"\.(?:so|pyd|dll|dylib|a|o)$|\.so\.\d", re.IGNORECASE)
_COMPILER = re.compile(
    r"gcc|\bcc\b|g\+\+|clang|compil|cython|rustc|cargo|ext_modules|build_ext|gfortran|autoconf|configure", re.IGNORECASE
)
_DATE = (2020, 2, 2, 0, 0, 0)


def build_from_source(
    engine: ImageEngine, settings: ImageSettings, requirement: str, python: str, digests: Sequence[str] = ()
) -> BuiltWheel:
    """Find the source archive that fits ``requirement`` (PEP 508), and build it in a box with that Python.

    ``digests``: those of the lock, which the archive's and the wheel's must be among; empty while a lock is made.
    Raises :class:`~sandbox.images.errors.LockRefusedError` for C extensions, failing builds and other bytes than
    locked, :class:`~sandbox.images.errors.WheelMissingError` where no index has an archive.
    """
    with tempfile.TemporaryDirectory(prefix="verihub-source-") as folder:
        archive = _find_source(requirement, python, Path(folder), settings)
        source = archive.read_bytes()
    named = archive.name
    if len(source) > _MAX_SOURCE_BYTES:
        raise LockRefusedError(f"{named} has more than {_MAX_SOURCE_BYTES >> 20} MB")
    if digests and digest_of(source) not in digests:
        raise LockRefusedError(f"the index has other bytes for {named} than the lock's hashes: lock again")
    answer, data = _run(engine, settings, python, named, source)
    if "error" in answer:
        raise LockRefusedError(_why_failed(named, source, str(answer["error"]), python))
    file_name = Path(str(answer.get("file", ""))).name
    built = BuiltWheel(file_name, _repacked(named, file_name, data, requirement, python), digest_of(source))
    if digests and built.digest not in digests:
        raise LockRefusedError(f"{named} was built into other bytes than those that were locked: lock again")
    return built


def _find_source(requirement: str, python: str, folder: Path, settings: ImageSettings) -> Path:
    program = (resources("sandbox.images") / "find_source.py").read_text()
    command = [sys.executable, "-I", "-c", program, requirement, python, str(folder)]
    try:
        done = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, timeout=settings.fetch_timeout_seconds, check=False
        )
        return Path(json.loads(done.stdout.strip().splitlines()[-1])["path"])
    except (subprocess.TimeoutExpired, ValueError, IndexError):
        raise WheelMissingError(
            f"pip could not look for a source archive of {requirement}: is its index reachable?"
        ) from None
    except KeyError:
        raise LockRefusedError(f"the index has neither a wheel nor a source archive of {requirement}") from None


def _run(
    engine: ImageEngine, settings: ImageSettings, python: str, name: str, source: bytes
) -> tuple[dict[str, object], bytes]:
    """What the build said, and the bytes behind it."""
    base = ensure_base(engine, settings, python=python).references[0]
    locked, _ = parse_requirements_lock((resources("sandbox.images") / "build_backends.lock").read_text())
    architecture = engine.architecture()
    backends = read_locked_wheels(fetch_wheels(locked, settings, architecture, python), architecture, python)
    work = {f"backends/{path}": data for path, data in backends.items()} | {f"archive/{name}": source}
    program = (resources("sandbox.images") / "build_in_box.py").read_text()
    command = ["python3", "-I", "-S", "-c", program, f"archive/{name}", "backends", _WORK]
    output = engine.run_once(base, command, tar_of(work), settings.build_timeout_seconds)
    header, _, data = output.partition(b"\n")
    try:
        answer = json.loads(header)
    except (ValueError, RecursionError):
        answer = None
    return (answer if isinstance(answer, dict) else {"error": "the build ended without an answer"}), data


def _why_failed(name: str, source: bytes, said: str, python: str) -> str:
    """One sentence: C extensions, a backend that a box does not have, or the end of what was said."""
    if _has_native_source(source) and _COMPILER.search(said):
        return (
            f"{name} has C extensions and no wheel for the box (CPython {python}, glibc 2.36), and a box has no "
            "compiler: depend on a version with such a wheel, or on something else"
        )
    last = next((line for line in reversed(said.strip().splitlines()) if line.strip()), "it gave no reason")
    if lacking := re.search(r"No module named '([\w.]+)'", last):
        return (
            f"{name} needs {lacking[1]} to be built, which a box does not have: there are setuptools, setuptools-scm, "
            "hatchling, flit-core and poetry-core"
        )
    return f"{name} could not be built in a box without network: {last[:300]}"


def _has_native_source(source: bytes) -> bool:
    try:
        if zipfile.is_zipfile(io.BytesIO(source)):
            with zipfile.ZipFile(io.BytesIO(source)) as archive:
                names = archive.namelist()
        else:
            with tarfile.open(fileobj=io.BytesIO(source)) as tar:
                names = tar.getnames()
    except (tarfile.TarError, zipfile.BadZipFile, OSError, EOFError):
        return False
    return any(_NATIVE_SOURCE.search(path) for path in names)


def _repacked(source: str, file_name: str, data: bytes, requirement: str, python: str) -> bytes:
    """The wheel, if it is pure Python and what was asked for: sorted, undated, uncompressed, so the same everywhere."""
    try:
        name, _, _, tags = parse_wheel_filename(file_name)
        with zipfile.ZipFile(io.BytesIO(data)) as built:
            entries = {entry.filename: _content(source, built, entry) for entry in built.infolist()}
    except (InvalidWheelFilename, zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError) as error:
        raise LockRefusedError(f"{source} was built into something that is no wheel: {error}") from None
    wanted = re.match(r"[A-Za-z0-9._-]+", requirement)
    if wanted is None or canonicalize_name(wanted[0]) != name:
        raise LockRefusedError(f"{source} was built into {file_name}, which is not {requirement}")
    if any(tag.abi != "none" or tag.platform != "any" for tag in tags) or any(map(_NATIVE.search, entries)):
        raise LockRefusedError(
            f"{source} has C extensions and no wheel for the box (CPython {python}, glibc 2.36): depend on a version "
            "with such a wheel, or on something else"
        )
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for path, content in sorted(entries.items()):
            if not path.endswith("/"):
                archive.writestr(zipfile.ZipInfo(path, date_time=_DATE), content)
    return buffer.getvalue()


def _content(source: str, archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bytes:
    with archive.open(entry) as stream:
        data = stream.read(MAX_FILE_BYTES + 1)
    if len(data) > MAX_FILE_BYTES:
        raise LockRefusedError(f"{source}: {entry.filename} is over {MAX_FILE_BYTES >> 20} MB")
    return data
