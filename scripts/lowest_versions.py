"""Prints a constraints file that pins every direct dependency of some extras to the lowest version that is allowed.

scripts/lowest_versions.py server,postgres > constraints.txt
"""

import re
import sys
import tomllib
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

PROJECT = tomllib.loads((Path(__file__).resolve().parents[1] / "pyproject.toml").read_text())["project"]


def requirements(extras: list[str]) -> list[Requirement]:
    """The core's requirements and those of ``extras``, with the extras that these name in turn."""
    found = [Requirement(line) for line in PROJECT["dependencies"]]
    for extra in extras:
        for line in PROJECT["optional-dependencies"][extra]:
            one = Requirement(line)
            found += requirements(sorted(one.extras)) if one.name == PROJECT["name"] else [one]
    return found


def floor(one: Requirement) -> str | None:
    """The lowest version that a requirement allows; None where it names none."""
    lowest = [spec.version for spec in one.specifier if spec.operator in (">=", "==", "~=")]
    return lowest[0] if lowest else None


def pins(found: list[Requirement]) -> list[str]:
    """``name==version`` of each distribution that has a floor: the highest, where several requirements name one."""
    lowest: dict[str, str] = {}
    for one in found:
        version, name = floor(one), canonicalize_name(one.name)
        if version is not None:
            lowest[name] = max(version, lowest.get(name, version), key=Version)
    return sorted(f"{name}=={version}" for name, version in lowest.items())


def main() -> None:
    extras = re.split(r"[,\s]+", sys.argv[1]) if len(sys.argv) > 1 else []
    print(*pins(requirements(extras)), sep="\n")


if __name__ == "__main__":
    main()
