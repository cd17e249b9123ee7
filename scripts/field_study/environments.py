"""A virtual environment for each package, below a cache folder: frameworks contradict one another's dependencies."""

import json
import os
import subprocess
import venv
from pathlib import Path

from scripts.field_study.subjects import Package

INSTALL_SECONDS = 1800


class InstallError(Exception):
    """The package cannot be installed here. The text says why."""


def cache_folder() -> Path:
    """Where environments and lists of failures are kept: ``VERIHUB_FIELD_CACHE``, or a folder of the user's cache."""
    default = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "verihub-field"
    return Path(os.environ.get("VERIHUB_FIELD_CACHE", default))


def python_of(package: Package, folder: Path | None = None) -> Path:
    """The interpreter of the package's environment, which is made where it is missing or holds something else.

    Raises:
        InstallError: pip refused.

    """
    place = (folder or cache_folder()) / "environments" / package.name
    python, mark = place / "bin" / "python", place / "installed.json"
    wanted = json.dumps([package.requirement, *package.needs, package.bare])
    if mark.is_file() and mark.read_text(encoding="utf-8") == wanted:
        return python
    venv.create(place, clear=True, with_pip=True)
    for command in _commands(package):
        done = subprocess.run(
            [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *command],
            capture_output=True, text=True, timeout=INSTALL_SECONDS, check=False,
        )  # fmt: skip
        if done.returncode:
            raise InstallError(f"{package.requirement}: {done.stderr.strip()[-600:]}")
    mark.write_text(wanted, encoding="utf-8")
    return python


def installed_versions(python: Path, names: tuple[str, ...]) -> dict[str, str]:
    """The versions that are really there, by the environment's own account."""
    code = (
        "import json,sys;from importlib.metadata import version as v;print(json.dumps({n: v(n) for n in sys.argv[1:]}))"
    )
    done = subprocess.run([str(python), "-c", code, *names], capture_output=True, text=True, check=True)
    return dict(json.loads(done.stdout))


def requirements_of(python: Path, name: str) -> list[str]:
    """What a package in the environment declares that it needs, as its metadata says it."""
    code = "import json,sys;from importlib.metadata import requires as r;print(json.dumps(r(sys.argv[1]) or []))"
    done = subprocess.run([str(python), "-c", code, name], capture_output=True, text=True, check=True)
    return list(json.loads(done.stdout))


def _commands(package: Package) -> list[list[str]]:
    if package.bare:
        return [["--no-deps", package.requirement], *([[*package.needs]] if package.needs else [])]
    return [[package.requirement, *package.needs]]
