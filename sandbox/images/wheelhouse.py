"""Locked wheels on local disk: fetched by hash with pip, once, then offline."""

import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from filelock import FileLock
from packaging.utils import canonicalize_name

from sandbox.images.dependency_wheels import box_platforms, check_wheel
from sandbox.images.errors import LockRefusedError, WheelMissingError
from sandbox.images.layers import digest_of_file
from sandbox.images.settings import ImageSettings
from sandbox.images.source_wheel import BuildSource
from sandbox.interface import LockedWheel, Source
from schemas.wheels.box_python import DEFAULT_PYTHON
from schemas.wheels.requirements import LockedRequirement
from schemas.wheels.wheel import read_wheel

_UNREACHABLE = re.compile(
    r"NewConnectionError|ConnectTimeout|Temporary failure|Network is unreachable|ProxyError|SSLError"
)
_NONE_FITS = re.compile(r"No matching distribution found for (\S+)")
_OTHER_BYTES = re.compile(r"DO NOT MATCH THE HASHES|Hashes are required", re.IGNORECASE)


def source_of(
    wheel: Path, settings: ImageSettings, architecture: str = "amd64", build: BuildSource | None = None
) -> Source:
    """Everything a box is made from, starting at a release's wheel on local disk; its dependencies are fetched.

    ``build`` builds those that exist only as source.

    Raises :class:`schemas.wheels.wheel_error.WheelError` for a wheel that is no release, else as :func:`fetch_wheels`.
    """
    contents = read_wheel(wheel.read_bytes())
    python = contents.metadata.box_python
    lock = fetch_wheels(contents.lock, settings, architecture, python, build)
    return Source(digest=contents.digest, wheel=wheel, manifest=contents.manifest, lock=lock, python=python)


def fetch_wheels(
    lock: Sequence[LockedRequirement],
    settings: ImageSettings,
    architecture: str = "amd64",
    python: str = DEFAULT_PYTHON,
    build: BuildSource | None = None,
) -> tuple[LockedWheel, ...]:
    """The wheel file of every locked requirement, from the cache where it is there, else from pip's index.

    Raises :class:`~sandbox.images.errors.WheelMissingError` when one can be had from neither,
    :class:`~sandbox.images.errors.LockRefusedError` when none of the locked hashes is a wheel for the box.
    """
    folder = settings.cache_folder / "wheels"
    folder.mkdir(parents=True, exist_ok=True)
    missing = [requirement for requirement in lock if _cached(folder, requirement) is None]
    if missing:
        with FileLock(settings.cache_folder / "wheels.lock"):
            still = [requirement for requirement in missing if _cached(folder, requirement) is None]
            if still:
                _fill(still, folder, settings, architecture, python, build)
    found = tuple(wheel for requirement in lock if (wheel := _cached(folder, requirement)) is not None)
    if len(found) != len(lock):
        raise WheelMissingError("a fetched wheel vanished from the cache: is another process emptying it?")
    for wheel in found:
        check_wheel(wheel, architecture, python)
    return found


class _NoWheelError(LockRefusedError):
    """No index has a wheel of ``name`` for the box."""

    def __init__(self, name: str, message: str) -> None:
        super().__init__(message)
        self.name = name


def _cached(folder: Path, requirement: LockedRequirement) -> LockedWheel | None:
    """The first locked hash that is in the cache. The folder's name is the hash."""
    for digest in requirement.digests:
        sha256 = digest.removeprefix("sha256:")
        for path in (folder / sha256).glob("*.whl"):
            return LockedWheel(name=requirement.name, version=requirement.version, sha256=sha256, path=path)
    return None


def _fill(
    missing: list[LockedRequirement],
    folder: Path,
    settings: ImageSettings,
    architecture: str,
    python: str,
    build: BuildSource | None,
) -> None:
    """Fetch ``missing``; what has no wheel is built from the source that the lock names."""
    while missing:
        try:
            return _download(missing, folder, settings, architecture, python)
        except _NoWheelError as error:
            named = next((item for item in missing if item.name == error.name), None)
            if build is None or named is None:
                raise
            wheel = build(f"{named.name}=={named.version}", python, named.digests)
            with tempfile.TemporaryDirectory(dir=folder, prefix="built-") as scratch:
                built = Path(scratch) / wheel.file_name
                built.write_bytes(wheel.data)
                _keep(built, wheel.digest, folder)
            missing = [item for item in missing if item is not named]
    return None


def _download(
    requirements: Sequence[LockedRequirement], folder: Path, settings: ImageSettings, architecture: str, python: str
) -> None:
    """Fetch with pip into a scratch folder, then move each file under its hash."""
    with tempfile.TemporaryDirectory(dir=folder, prefix="fetch-") as name:
        scratch = Path(name)
        wanted = scratch / "requirements.txt"
        wanted.write_text("".join(f"{requirement.line()}\n" for requirement in requirements))
        done = _run_pip(_command(wanted, scratch, architecture, python), scratch, settings.fetch_timeout_seconds)
        if done.returncode != 0:
            raise _explained(done.stderr + done.stdout, requirements, python)
        for path in scratch.glob("*.whl"):
            _keep(path, digest_of_file(path), folder)


def _keep(path: Path, digest: str, folder: Path) -> None:
    """Move a whole file, which lies on the cache's disk, under its hash. What lies there is never written to: half a
    wheel of a killed process would be found and refused from then on.
    """
    home = folder / digest.removeprefix("sha256:")
    home.mkdir(exist_ok=True)
    path.replace(home / path.name)


def _command(wanted: Path, destination: Path, architecture: str, python: str) -> list[str]:
    # -I: a pip.py in the working folder must not be taken for pip.
    command = [
        sys.executable,
        "-I",
        "-m",
        "pip",
        "download",
        "--no-deps",
        "--only-binary=:all:",
        "--require-hashes",
        "-q",
    ]
    command += [
        "--no-input",
        "--disable-pip-version-check",
        "--dest",
        str(destination.resolve()),
        "-r",
        str(wanted.resolve()),
    ]
    command += ["--python-version", python, "--implementation", "cp"]
    for abi in (f"cp{python.replace('.', '')}", "abi3", "none"):
        command += ["--abi", abi]
    for platform in box_platforms(architecture):
        command += ["--platform", platform]
    return command


def _run_pip(command: list[str], folder: Path, timeout_seconds: float) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=timeout_seconds, check=False)
    except subprocess.TimeoutExpired:
        raise WheelMissingError(
            f"pip fetched no wheels within {timeout_seconds:g} s: is its index reachable?"
        ) from None


def _explained(
    words: str, requirements: Iterable[LockedRequirement], python: str
) -> WheelMissingError | LockRefusedError:
    """The error to raise for a failure of pip, which tells a network failure from a fault of the lock."""
    names = ", ".join(f"{requirement.name} {requirement.version}" for requirement in requirements)
    if _UNREACHABLE.search(words):
        return WheelMissingError(f"{names}: not in the cache, and pip's index cannot be reached; fetch once online")
    if "No module named pip" in words:
        return WheelMissingError(f"{names}: not in the cache, and this Python has no pip to fetch with")
    if _OTHER_BYTES.search(words):
        return LockRefusedError(f"the index has other bytes for {names} than the lock's hashes: lock again")
    if none := _NONE_FITS.search(words):
        return _NoWheelError(
            canonicalize_name(none[1].partition("==")[0]),
            f"{none[1]} has no binary wheel for the box (CPython {python}, glibc 2.36): lock a version "
            "with one, or let an engine answer, which can build pure Python source",
        )
    return WheelMissingError(f"pip could not fetch {names}: {words.strip()[-500:]}")
