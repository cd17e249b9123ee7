"""Dependencies that a package leaves out, because the part of a library that it uses does not import them."""

import email
import io
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from schemas.wheels.box_python import DEFAULT_PYTHON
from schemas.wheels.requirements import box_markers

_PLAIN = {"==", "===", ">=", "~=", "<="}


def needed_names(
    dependencies: Iterable[str], wheels: Mapping[str, Path], without: Iterable[str], python: str = DEFAULT_PYTHON
) -> set[str]:
    """Which of ``wheels`` (canonical name -> file) PEP 508 ``dependencies`` reach without passing ``without``."""
    markers, left_out = box_markers(python), {canonicalize_name(name) for name in without}
    asked: set[tuple[str, frozenset[str]]] = set()
    pending = _applying(dependencies, markers, frozenset())
    while pending:
        requirement = pending.pop()
        name, extras = canonicalize_name(requirement.name), frozenset(requirement.extras)
        if name in wheels and name not in left_out and (name, extras) not in asked:
            asked.add((name, extras))
            pending += _applying(_requirements_of(wheels[name]), markers, extras)
    return {name for name, _ in asked}


def empty_wheel(requirement: str) -> tuple[str, bytes]:
    """(file name, bytes) of a wheel without content that satisfies ``requirement``, for pip to resolve with."""
    wanted = Requirement(requirement)
    name = canonicalize_name(wanted.name).replace("-", "_")
    pinned = [item.version.removesuffix(".*") for item in wanted.specifier if item.operator in _PLAIN]
    version = str(max(map(Version, pinned), default=Version("9999")))
    info = f"{name}-{version}.dist-info"
    files = {
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: verihub\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for path, text in files.items():
            archive.writestr(path, text)
        archive.writestr(f"{info}/RECORD", "".join(f"{path},,\n" for path in (*files, f"{info}/RECORD")))
    return f"{name}-{version}-py3-none-any.whl", buffer.getvalue()


def _applying(texts: Iterable[str], markers: dict[str, str], extras: frozenset[str]) -> list[Requirement]:
    """The requirements whose markers hold in a box, for one of ``extras`` or for none."""
    found = map(Requirement, texts)
    settings = [{**markers, "extra": extra} for extra in ("", *extras)]
    return [item for item in found if item.marker is None or any(map(item.marker.evaluate, settings))]


def _requirements_of(wheel: Path) -> list[str]:
    with zipfile.ZipFile(wheel) as archive:
        path = next(name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        return email.message_from_bytes(archive.read(path)).get_all("Requires-Dist") or []
