"""Prints a constraints file that pins every direct dependency of some extras to the lowest version that is allowed.

scripts/lowest_versions.py server,postgres > constraints.txt
"""

import re
import sys
import tomllib
from pathlib import Path

from packaging.requirements import Requirement

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


def main() -> None:
    extras = re.split(r"[,\s]+", sys.argv[1]) if len(sys.argv) > 1 else []
    pins = {one.name: floor(one) for one in requirements(extras)}
    print(*sorted(f"{name}=={version}" for name, version in pins.items() if version), sep="\n")


if __name__ == "__main__":
    main()
