"""What is measured: packages and their verifiers, as ``subjects.toml`` names them."""

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

PLACE = Path(__file__).with_name("subjects.toml")


@dataclass(frozen=True)
class Package:
    """One package of the index, pinned. ``needs``: what it does not declare but its verifiers import.

    ``bare``: installed without its dependencies, because they are gigabytes that its verifiers do not touch.
    ``without``: dependencies that its verifiers do not import and no box can have, left out of a package made of it.
    """

    name: str
    version: str
    licence: str
    extras: str = ""
    needs: tuple[str, ...] = ()
    bare: bool = False
    without: tuple[str, ...] = ()

    @property
    def requirement(self) -> str:
        """``name[extras]==version``."""
        return f"{self.name}{self.extras}=={self.version}"


@dataclass(frozen=True)
class Verifier:
    """One function of a package. ``adapter`` is ``module:function`` in ``adapters``, ``what`` the function's own name.

    ``wants``: a pattern that an answer must match to be asked, right or wrong: the form that its documents demand.
    ``threshold``: from which score on it accepts. ``tags``: where there are any, only cases with one of them are asked.
    ``not_forms``: forms (tags) that its documents exclude, or never claim to read.
    """

    name: str
    package: Package
    what: str
    adapter: str
    families: tuple[str, ...]
    threshold: float = 1.0
    wants: str = ""
    tags: tuple[str, ...] = ()
    not_forms: tuple[str, ...] = ()
    note: str = ""
    options: dict[str, str] = field(default_factory=dict)

    def reads(self, response: str | None) -> bool:
        """Whether the response is in the form that the documents demand."""
        return re.search(self.wants, response or "") is not None


def load_subjects(place: Path = PLACE) -> list[Verifier]:
    """Every verifier, in the order of the file.

    Raises:
        ValueError: a name stands there twice, or a package is not described.

    """
    found = tomllib.loads(place.read_text(encoding="utf-8"))
    packages = {name: _package(name, row) for name, row in found["packages"].items()}
    verifiers = [_verifier(row, packages) for row in found["verifiers"]]
    names = [one.name for one in verifiers]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise ValueError(f"described twice: {', '.join(twice)}")
    return verifiers


def chosen(verifiers: Iterable[Verifier], only: Iterable[str]) -> list[Verifier]:
    """Those whose name or package is in ``only``; all where it is empty. Raises ValueError for an unknown name."""
    verifiers, wanted = list(verifiers), set(only)
    known = {name for one in verifiers for name in (one.name, one.package.name)}
    if unknown := sorted(wanted - known):
        raise ValueError(f"no such verifier or package: {', '.join(unknown)}")
    return [one for one in verifiers if not wanted or wanted & {one.name, one.package.name}]


def _package(name: str, row: dict[str, Any]) -> Package:
    listed: dict[str, Any] = {one: tuple(value) if isinstance(value, list) else value for one, value in row.items()}
    return Package(name, **listed)


def _verifier(row: dict[str, object], packages: dict[str, Package]) -> Verifier:
    package = str(row["package"])
    if package not in packages:
        raise ValueError(f"{row['name']} is of {package}, which [packages] does not describe")
    listed = {name: tuple(value) for name, value in row.items() if isinstance(value, list)}
    return Verifier(**{**row, **listed, "package": packages[package]})  # type: ignore[arg-type]
