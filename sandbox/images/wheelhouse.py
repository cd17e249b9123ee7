"""Locked wheels on local disk: fetched by hash with pip, once, then offline."""

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from filelock import FileLock

from sandbox.images.dependency_wheels import BOX_PYTHON, box_platforms, box_tags, check_wheel
from sandbox.images.errors import LockRefusedError, WheelMissingError
from sandbox.images.layers import digest_of_file
from sandbox.images.settings import ImageSettings
from sandbox.interface import LockedWheel, Source
from schemas.requirements import LockedRequirement
from schemas.wheel import read_wheel

_UNREACHABLE = re.compile(
    r"NewConnectionError|ConnectTimeout|Temporary failure|Network is unreachable|ProxyError|SSLError"
)
_NONE_FITS = re.compile(r"No matching distribution found for (\S+)")
_OTHER_BYTES = re.compile(r"DO NOT MATCH THE HASHES|Hashes are required", re.IGNORECASE)


def source_of(wheel: Path, settings: ImageSettings, architecture: str = "amd64") -> Source:
    """Everything a box is made from, starting at a release's wheel on local disk; its dependencies are fetched.

    Raises :class:`schemas.wheel_error.WheelError` for a wheel that is no release, and as :func:`fetch_wheels` does.
    """
    contents = read_wheel(wheel.read_bytes())
    lock = fetch_wheels(contents.lock, settings, architecture)
    return Source(digest=contents.digest, wheel=wheel, manifest=contents.manifest, lock=lock)


def fetch_wheels(
    lock: Sequence[LockedRequirement], settings: ImageSettings, architecture: str = "amd64"
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
                _download(still, folder, settings, architecture)
    found = tuple(wheel for requirement in lock if (wheel := _cached(folder, requirement)) is not None)
    if len(found) != len(lock):
        raise WheelMissingError("a fetched wheel vanished from the cache: is another process emptying it?")
    tags = box_tags(architecture)
    for wheel in found:
        check_wheel(wheel, tags)
    return found


def _cached(folder: Path, requirement: LockedRequirement) -> LockedWheel | None:
    """The first locked hash that is in the cache. The folder's name is the hash."""
    for digest in requirement.digests:
        sha256 = digest.removeprefix("sha256:")
        for path in (folder / sha256).glob("*.whl"):
            return LockedWheel(name=requirement.name, version=requirement.version, sha256=sha256, path=path)
    return None


def _download(
    requirements: Sequence[LockedRequirement], folder: Path, settings: ImageSettings, architecture: str
) -> None:
    """Fetch with pip into a scratch folder, then move each file under its hash."""
    with tempfile.TemporaryDirectory(dir=folder, prefix="fetch-") as name:
        scratch = Path(name)
        wanted = scratch / "requirements.txt"
        wanted.write_text("".join(f"{requirement.line()}\n" for requirement in requirements))
        done = _run_pip(_command(wanted, scratch, architecture), settings.fetch_timeout_seconds)
        if done.returncode != 0:
            raise _explained(done.stderr + done.stdout, requirements)
        for path in scratch.glob("*.whl"):
            home = folder / digest_of_file(path).removeprefix("sha256:")
            home.mkdir(exist_ok=True)
            shutil.move(path, home / path.name)


def _command(wanted: Path, destination: Path, architecture: str) -> list[str]:
    version = f"{BOX_PYTHON[0]}{BOX_PYTHON[1]}"
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:", "--require-hashes", "-q"]
    command += ["--no-input", "--disable-pip-version-check", "--dest", str(destination), "-r", str(wanted)]
    command += ["--python-version", f"{BOX_PYTHON[0]}.{BOX_PYTHON[1]}", "--implementation", "cp"]
    for abi in (f"cp{version}", "abi3", "none"):
        command += ["--abi", abi]
    for platform in box_platforms(architecture):
        command += ["--platform", platform]
    return command


def _run_pip(command: list[str], timeout_seconds: float) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=timeout_seconds, check=False)
    except subprocess.TimeoutExpired:
        raise WheelMissingError(
            f"pip fetched no wheels within {timeout_seconds:g} s: is its index reachable?"
        ) from None


def _explained(words: str, requirements: Iterable[LockedRequirement]) -> WheelMissingError | LockRefusedError:
    """Our error for a failure of pip: was it the network or the lock."""
    names = ", ".join(f"{requirement.name} {requirement.version}" for requirement in requirements)
    if _UNREACHABLE.search(words):
        return WheelMissingError(f"{names}: not in the cache, and pip's index cannot be reached; fetch once online")
    if "No module named pip" in words:
        return WheelMissingError(f"{names}: not in the cache, and this Python has no pip to fetch with")
    if _OTHER_BYTES.search(words):
        return LockRefusedError(f"the index has other bytes for {names} than the lock's hashes: lock again")
    if none := _NONE_FITS.search(words):
        return LockRefusedError(
            f"{none[1]} has no binary wheel for the box (CPython 3.11, glibc 2.36): a source archive would run its "
            "author's code at install, so it is refused; lock a version with a wheel"
        )
    return WheelMissingError(f"pip could not fetch {names}: {words.strip()[-500:]}")
