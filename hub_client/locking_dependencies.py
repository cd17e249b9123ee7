"""Pinning a package's dependencies to binary wheels by hash, and fetching them, through pip."""

import hashlib
import platform
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from packaging.utils import InvalidWheelFilename, parse_wheel_filename

from hub_client.cache import Cache
from hub_client.errors import CheckFailedError, HubUnreachableError, IntegrityError
from schemas.requirements import LockedRequirement

BOX_PYTHON = "3.11"
"""What the boxes run; images are made for it."""
_TIMEOUT_SECONDS = 600
_MANYLINUX = ("manylinux_2_36", "manylinux_2_28", "manylinux_2_17", "manylinux2014")


def lock_dependencies(dependencies: Sequence[str], cache: Cache) -> list[LockedRequirement]:
    """Resolve PEP 508 ``dependencies`` with all they need, to wheels only; keep the wheels in ``cache``.

    Raises :class:`CheckFailedError` for one that exists as source only or cannot be resolved.
    """
    with cache.scratch() as folder:
        _download(list(dependencies), folder)
        return sorted((_take(path, cache) for path in folder.iterdir()), key=lambda locked: locked.name)


def fetch_locked(
    locked: Sequence[LockedRequirement], cache: Cache, *, offline: bool
) -> list[tuple[LockedRequirement, str, Path]]:
    """Each requirement with the digest and the place of its wheel. Downloads what the cache lacks, by hash."""
    missing = [requirement for requirement in locked if _find(requirement, cache) is None]
    if missing and offline:
        names = ", ".join(f"{requirement.name} {requirement.version}" for requirement in missing)
        raise HubUnreachableError(f"dependencies are not in the cache ({names}): run once without --offline")
    if missing:
        with cache.scratch() as folder:
            wanted = folder / "wanted.txt"
            wanted.write_text("".join(requirement.line() + "\n" for requirement in missing))
            target = folder / "wheels"
            target.mkdir()
            _download(["--no-deps", "--require-hashes", "-r", str(wanted)], target)
            for path in target.iterdir():
                _take(path, cache)
    return [(requirement, *_get(requirement, cache)) for requirement in locked]


def _find(requirement: LockedRequirement, cache: Cache) -> tuple[str, Path] | None:
    found = ((digest, cache.find_wheel(digest)) for digest in requirement.digests)
    return next(((digest, path) for digest, path in found if path is not None), None)


def _get(requirement: LockedRequirement, cache: Cache) -> tuple[str, Path]:
    found = _find(requirement, cache)
    if found is None:
        name = f"{requirement.name} {requirement.version}"
        raise IntegrityError(f"pip brought {name} with another hash than its lock: pack the package again")
    return found


def _download(arguments: list[str], target: Path) -> None:
    if shutil.which(sys.executable) is None:
        raise CheckFailedError("this Python cannot run pip, which dependencies need")
    machine = {"arm64": "aarch64", "AMD64": "x86_64"}.get(platform.machine(), platform.machine())
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input", "download", "-q"]
    command += ["--only-binary", ":all:", "--python-version", BOX_PYTHON, "--implementation", "cp"]
    command += [part for abi in ("cp311", "abi3", "none") for part in ("--abi", abi)]
    command += [part for name in _MANYLINUX for part in ("--platform", f"{name}_{machine}")]
    command += ["--platform", "any", "-d", str(target), *arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_TIMEOUT_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        raise HubUnreachableError(
            f"pip did not finish within {_TIMEOUT_SECONDS} seconds: is the package index reachable?"
        ) from None
    if done.returncode != 0:
        raise CheckFailedError(_explain(done.stderr))


def _explain(said: str) -> str:
    errors = [line.removeprefix("ERROR: ") for line in said.splitlines() if line.startswith("ERROR: ")]
    what = errors[0] if errors else said.strip()[-400:] or "no reason given"
    return (
        f"dependencies cannot be locked: {what}\n"
        f"  A dependency needs a wheel for CPython {BOX_PYTHON} on Linux; one that exists only as source is refused, "
        "because building it would run its code. Loosen the version, or depend on something else"
    )


def _take(path: Path, cache: Cache) -> LockedRequirement:
    try:
        name, version, _, _ = parse_wheel_filename(path.name)
    except InvalidWheelFilename:
        raise CheckFailedError(f"pip brought {path.name}, which is not a wheel") from None
    content = path.read_bytes()
    digest = f"sha256:{hashlib.sha256(content).hexdigest()}"
    cache.add_wheel(digest, path.name, [content])
    return LockedRequirement(name=str(name), version=str(version), digests=(digest,))
