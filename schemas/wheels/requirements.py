"""requirements.lock: a package's dependencies, pinned to the bytes of binary wheels."""

import re
from collections.abc import Iterable

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from schemas.base import WireModel
from schemas.names import DIGEST_PATTERN
from schemas.wheels.box_python import BOX_PYTHONS, DEFAULT_PYTHON

LOCK_FILE_NAME = "requirements.lock"

_LINE = re.compile(
    rf"(?P<name>[A-Za-z0-9][A-Za-z0-9._-]*)==(?P<version>\S+)(?P<hashes>(?:\s+--hash={DIGEST_PATTERN})+)"
)
# Markers are evaluated for a box, not for the machine that reads them.
_BOX: dict[str, str] = {
    "extra": "",
    "implementation_name": "cpython",
    "os_name": "posix",
    "platform_python_implementation": "CPython",
    "platform_system": "Linux",
    "sys_platform": "linux",
}
_SHOWN = 200
_PARENTHESES = 50  # the parser calls itself for each, and far more exhaust its stack
_DIGEST = re.compile(DIGEST_PATTERN)


class LockedRequirement(WireModel):
    """One dependency: ``name`` is canonical (PEP 503), ``digests`` are ``sha256:…`` of the wheels that may serve it."""

    name: str
    version: str
    digests: tuple[str, ...]

    def line(self) -> str:
        """The line that ``pip install --require-hashes`` reads."""
        return " ".join([f"{self.name}=={self.version}", *(f"--hash={digest}" for digest in sorted(self.digests))])


def parse_requirements_lock(text: str) -> tuple[list[LockedRequirement], list[tuple[int, str]]]:
    """(requirements, problems as (line number from 1, sentence)) of a lock written in pip's syntax.

    Only ``name==version --hash=sha256:…`` lines and comments are accepted: no URLs, options, markers or includes.
    """
    found: dict[str, LockedRequirement] = {}
    problems: list[tuple[int, str]] = []
    for number, line in _logical_lines(text):
        match = _LINE.fullmatch(line)
        if match is None or not _is_version(match["version"]):
            problems.append(
                (number, f"{line[:80]!r} is not name==version --hash=sha256:…: write it with `verihub pack`")
            )
            continue
        name = canonicalize_name(match["name"])
        if name in found:
            problems.append((number, f"{name} is locked twice: keep one line"))
        digests = tuple(_DIGEST.findall(match["hashes"]))
        found[name] = LockedRequirement(name=name, version=match["version"], digests=digests)
    return list(found.values()), problems


def _logical_lines(text: str) -> Iterable[tuple[int, str]]:
    """Lines joined over trailing backslashes, without comments and blanks, each with its first line's number."""
    pending, first = "", 0
    for number, raw in enumerate(text.splitlines(), start=1):
        line = raw.strip()
        if line.startswith("#"):
            continue
        first = first or number
        if line.endswith("\\"):
            pending += line[:-1].rstrip() + " "
            continue
        if joined := (pending + line).strip():
            yield first, joined
        pending, first = "", 0
    if pending.strip():
        yield first, pending.strip()


def _is_version(text: str) -> bool:
    try:
        Version(text)
    except ValueError:  # InvalidVersion, or a number of more than 4300 digits
        return False
    return True


def box_markers(python: str = DEFAULT_PYTHON) -> dict[str, str]:
    """The values of PEP 508's environment markers in a box with that Python."""
    return {**_BOX, "python_version": python, "python_full_version": BOX_PYTHONS[python]}


def check_lock_covers(
    dependencies: Iterable[str], locked: Iterable[LockedRequirement], python: str = DEFAULT_PYTHON
) -> list[str]:
    """What the wheel's own ``dependencies`` (PEP 508) ask for and ``locked`` does not give, one sentence each.

    ``python`` is that of the package's boxes.
    """
    markers = box_markers(python)
    versions = {requirement.name: requirement.version for requirement in locked}
    faults = []
    for text in dependencies:
        requirement = Requirement(text)
        if requirement.marker is not None and not requirement.marker.evaluate(markers):
            continue
        name = canonicalize_name(requirement.name)
        if name not in versions:
            faults.append(f"dependency {text!r} is not in {LOCK_FILE_NAME}: pack with `verihub pack`, which writes it")
        elif not requirement.specifier.contains(versions[name], prereleases=True):
            faults.append(
                f"{LOCK_FILE_NAME} has {name} {versions[name]}, but the package asks for {text!r}: pack again"
            )
    return faults


def check_dependency(text: str) -> str:
    """What is wrong with one ``Requires-Dist``, or empty. URLs and local paths are refused."""
    shown = repr(text if len(text) <= _SHOWN else text[:_SHOWN] + "…")
    if text.count("(") > _PARENTHESES:
        return f"dependency {shown} is nested too deeply"
    try:
        requirement = Requirement(text)
        requirement.specifier.contains("1")  # What cannot be compared must raise here, not later where it is compared.
        if requirement.marker is not None:
            requirement.marker.evaluate(box_markers())
    except ValueError as error:  # InvalidRequirement, an undefined comparison, a number of more than 4300 digits
        return f"dependency {shown} cannot be read: {str(error).splitlines()[0]}"
    if requirement.url:
        return f"dependency {shown} points to a URL: name a released version instead, for example {requirement.name}>=1"
    return ""
