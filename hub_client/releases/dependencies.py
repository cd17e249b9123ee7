"""Pinning a package's dependencies to binary wheels by hash, and fetching them, through pip."""

import hashlib
import importlib
import logging
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Collection, Sequence
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import InvalidWheelFilename, canonicalize_name, parse_wheel_filename

from hub_client.errors import CheckFailedError, HubUnreachableError, IntegrityError
from hub_client.releases.cache import Cache
from hub_client.releases.unused_dependencies import empty_wheel, needed_names
from schemas.wheels.box_python import DEFAULT_PYTHON
from schemas.wheels.requirements import LockedRequirement
from schemas.wording import counted

_phases = logging.getLogger("verihub.phases")
_RESOLVE_SECONDS = 900.0
"""The limit for all dependencies of a package. Pip is called again for each that is built, and may try versions for
hours.
"""
_MAX_BUILDS = 16
"""Most dependencies of one package that are built from source."""
_NO_WHEEL = re.compile(
    r"Could not find a version that satisfies the requirement (?P<requirement>[^\n]+?)"
    r"(?: \(from (?!versions)[^\n]*)? \(from versions: "
)
_MANYLINUX = (*(f"manylinux_2_{minor}" for minor in range(36, 16, -1)), "manylinux2014")
"""Every one is named, since pip takes them literally: told 2.28 alone, it takes no wheel for 2.27."""


def lock_dependencies(
    dependencies: Sequence[str], cache: Cache, python: str = DEFAULT_PYTHON, without: Sequence[str] = ()
) -> list[LockedRequirement]:
    """Resolve PEP 508 ``dependencies`` with all they need, to wheels for ``python`` only; keep the wheels in ``cache``.

    One that exists only as source is built in a box; its archive and its wheel are both locked. ``without``: names that
    are left out of the lock, with whatever only they need.
    Raises :class:`CheckFailedError` for one with C extensions and no wheel, and for what cannot be resolved.
    """
    unused = {canonicalize_name(name) for name in without}
    if direct := unused & {canonicalize_name(Requirement(text).name) for text in dependencies}:
        raise CheckFailedError(
            f"without = {sorted(direct)} names dependencies of the package itself: keep one of the two"
        )
    return _resolve(dependencies, cache, python, unused, None)


def lock_what_can_be_built(
    dependencies: Sequence[str], cache: Cache, python: str = DEFAULT_PYTHON
) -> tuple[list[LockedRequirement], dict[str, str]]:
    """As :func:`lock_dependencies`, and name -> why for each that has no wheel for a box and cannot be built there."""
    refused: dict[str, str] = {}
    return _resolve(dependencies, cache, python, (), refused), refused


def lock_alone(requirement: str, cache: Cache, python: str = DEFAULT_PYTHON) -> LockedRequirement:
    """The newest release that fits ``requirement`` (PEP 508), without what it needs; its wheel is in ``cache``."""
    [locked] = _resolve(["--no-deps", requirement], cache, python, (), None)
    return locked


def _resolve(
    dependencies: Sequence[str], cache: Cache, python: str, unused: Collection[str], refused: dict[str, str] | None
) -> list[LockedRequirement]:
    """Lock ``dependencies``, which may begin with options of pip."""
    _phases.info("resolving %s", counted(sum(not text.startswith("-") for text in dependencies), "dependency"))
    with cache.scratch() as folder:
        deadline = time.monotonic() + _RESOLVE_SECONDS
        sources = _download_and_build(list(dependencies), folder, python, deadline, unused=unused, refused=refused)
        left_out = {*unused, *(refused or ())}
        wheels: dict[str, Path] = {parse_wheel_filename(path.name)[0]: path for path in folder.glob("*.whl")}
        kept = needed_names(dependencies, wheels, left_out, python) if left_out else wheels.keys()
        taken = [_add_to_cache(path, cache) for name, path in wheels.items() if name in kept]
        locked = (item.model_copy(update={"digests": (*item.digests, *sources.get(item.name, ()))}) for item in taken)
        return sorted(locked, key=lambda item: item.name)


def fetch_locked(
    locked: Sequence[LockedRequirement], cache: Cache, *, offline: bool, python: str = DEFAULT_PYTHON
) -> list[tuple[LockedRequirement, str, Path]]:
    """Each requirement with the digest and the place of its wheel. Downloads what the cache lacks, by hash."""
    missing = [requirement for requirement in locked if _find_wheel(requirement, cache) is None]
    if missing and offline:
        names = ", ".join(f"{requirement.name} {requirement.version}" for requirement in missing)
        raise HubUnreachableError(f"dependencies are not in the cache ({names}): run once without --offline")
    if missing:
        _phases.info("fetching %s", counted(len(missing), "dependency"))
        with cache.scratch() as folder:
            wanted = folder.resolve() / "wanted.txt"
            wanted.write_text("".join(requirement.line() + "\n" for requirement in missing))
            target = folder / "wheels"
            target.mkdir()
            deadline = time.monotonic() + _RESOLVE_SECONDS
            _download_and_build(["--no-deps", "--require-hashes", "-r", str(wanted)], target, python, deadline, missing)
            for path in target.iterdir():
                _add_to_cache(path, cache)
    return [(requirement, *_get_wheel(requirement, cache)) for requirement in locked]


def _find_wheel(requirement: LockedRequirement, cache: Cache) -> tuple[str, Path] | None:
    found = ((digest, cache.find_wheel(digest)) for digest in requirement.digests)
    return next(((digest, path) for digest, path in found if path is not None), None)


def _get_wheel(requirement: LockedRequirement, cache: Cache) -> tuple[str, Path]:
    found = _find_wheel(requirement, cache)
    if found is None:
        name = f"{requirement.name} {requirement.version}"
        raise IntegrityError(f"pip brought {name} with another hash than its lock: pack the package again")
    return found


def _download_and_build(
    arguments: list[str],
    target: Path,
    python: str,
    deadline: float,
    locked: Sequence[LockedRequirement] = (),
    *,
    unused: Collection[str] = (),
    refused: dict[str, str] | None = None,
) -> dict[str, tuple[str, ...]]:
    """Fetch wheels into ``target``; what has none is built and offered to pip. Name -> digest of its source archive.

    For a name in ``unused``, and with ``refused`` for what cannot be built, pip is offered an empty wheel.
    ``deadline``: in seconds of ``time.monotonic``.
    """
    digests = {requirement.name: requirement.digests for requirement in locked}
    sources: dict[str, tuple[str, ...]] = {}
    with tempfile.TemporaryDirectory(prefix="verihub-built-") as built:
        while True:
            try:
                _download([*arguments, "--find-links", built], target, python, deadline)
            except _NoWheelError as error:
                name = canonicalize_name(Requirement(error.requirement).name)
                if name in sources or len(sources) >= _MAX_BUILDS:
                    raise
                sources[name] = ()
                if name not in unused:
                    try:
                        sources[name] = (
                            _build(error, python, digests.get(name, ()), Path(built), arguments, deadline),
                        )
                        continue
                    except CheckFailedError as why:
                        if refused is None:
                            raise
                        refused[name] = str(why)
                file_name, content = empty_wheel(error.requirement)
                (Path(built) / file_name).write_bytes(content)
            else:
                return sources


def _build(
    missing: "_NoWheelError",
    python: str,
    digests: Sequence[str],
    folder: Path,
    arguments: Sequence[str],
    deadline: float,
) -> str:
    """Build what ``missing`` names into ``folder``; the digest of its source archive."""
    _phases.info("building %s from source, in a box", missing.requirement)
    # This imports the sandbox, which the client does without where nothing is built.
    builds = importlib.import_module("hub_client.execution.source_builds")
    try:
        wheel = builds.build_source(missing.requirement, python, digests)
    except CheckFailedError as error:
        direct = "" if digests else _find_direct(missing, python, folder, arguments, deadline)
        through = f"; {direct}, a dependency of this package, needs it" if direct else ""
        raise CheckFailedError(f"dependencies cannot be locked: {error}{through}") from None
    (folder / wheel.file_name).write_bytes(wheel.data)
    return str(wheel.source_digest)


def _find_direct(
    missing: "_NoWheelError", python: str, folder: Path, dependencies: Sequence[str], deadline: float
) -> str:
    """Which of the package's own ``dependencies`` needs ``missing``.

    Pip does not say it. Empty when it is one of them.
    """
    wanted = canonicalize_name(Requirement(missing.requirement).name)
    if wanted in [canonicalize_name(Requirement(text).name) for text in dependencies]:
        return ""
    for text in dependencies:
        with tempfile.TemporaryDirectory(prefix="verihub-one-") as scratch:
            try:
                _download([text, "--find-links", str(folder)], Path(scratch), python, deadline)
            except _NoWheelError as error:
                if canonicalize_name(Requirement(error.requirement).name) == wanted:
                    return text
            except (CheckFailedError, HubUnreachableError):
                continue
    return ""


def _download(arguments: list[str], target: Path, python: str, deadline: float) -> None:
    if shutil.which(sys.executable) is None:
        raise CheckFailedError("this Python cannot run pip, which dependencies need")
    machine = {"arm64": "aarch64", "AMD64": "x86_64"}.get(platform.machine(), platform.machine())
    # -I and the empty folder: otherwise a pip.py in the user's folder could be run instead of pip.
    command = [sys.executable, "-I", "-m", "pip", "--disable-pip-version-check", "--no-input", "download", "-q"]
    command += ["--only-binary", ":all:", "--python-version", python, "--implementation", "cp"]
    command += [part for abi in (f"cp{python.replace('.', '')}", "abi3", "none") for part in ("--abi", abi)]
    command += [part for name in _MANYLINUX for part in ("--platform", f"{name}_{machine}")]
    command += ["--platform", "any", "-d", str(target.resolve()), *arguments]
    try:
        left = max(0.0, deadline - time.monotonic())
        done = subprocess.run(command, cwd=target, capture_output=True, text=True, timeout=left, check=False)
    except subprocess.TimeoutExpired:
        named = ", ".join(text for text in arguments if not text.startswith(("-", "/")))
        raise HubUnreachableError(
            f"pip did not resolve the dependencies ({named or 'those of the lock'}) within {_RESOLVE_SECONDS:g} s and "
            "was ended: is the package index reachable? If it is, pip is trying many versions: pin them in "
            'pyproject.toml (name==1.2), or leave out what is not used (without = ["name"])'
        ) from None
    if done.returncode != 0:
        if none := _NO_WHEEL.search(done.stderr):
            raise _NoWheelError(_explain(done.stderr, python), none["requirement"])
        raise CheckFailedError(_explain(done.stderr, python))


def _explain(pip_output: str, python: str) -> str:
    """What pip said, as one message with what to do."""
    errors = [line.removeprefix("ERROR: ") for line in pip_output.splitlines() if line.startswith("ERROR: ")]
    what = errors[0] if errors else pip_output.strip()[-400:] or "no reason given"
    return (
        f"dependencies cannot be locked: {what}\n"
        f"  A dependency needs a wheel for CPython {python} on Linux, or pure Python source that can be built without "
        "network. Loosen the version, or depend on something else"
    )


class _NoWheelError(CheckFailedError):
    """No index has a wheel for ``requirement``."""

    def __init__(self, message: str, requirement: str) -> None:
        super().__init__(message)
        self.requirement = requirement


def _add_to_cache(path: Path, cache: Cache) -> LockedRequirement:
    """Keep a wheel that pip has brought, and lock it by its hash."""
    try:
        name, version, _, _ = parse_wheel_filename(path.name)
    except InvalidWheelFilename:
        raise CheckFailedError(f"pip brought {path.name}, which is not a wheel") from None
    content = path.read_bytes()
    digest = f"sha256:{hashlib.sha256(content).hexdigest()}"
    cache.add_wheel(digest, path.name, [content])
    return LockedRequirement(name=str(name), version=str(version), digests=(digest,))
