"""Calls a project's own build backend (PEP 517), for users who trust it. It runs code of the project's author."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hub_client.errors import CheckFailedError
from schemas.wheels.archive import read_archive
from schemas.wheels.wheel_error import WheelError

_TIMEOUT_SECONDS = 300  # chosen, not measured
_DEFAULT_BACKEND = "hatchling.build"
_SECRET_VARIABLE = re.compile(
    r"VERIHUB_.*|.*(TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL|APIKEY).*|(.*_)?(KEY|KEYS|PAT|AUTH)(_.*)?", re.IGNORECASE
)
# Runs in the project folder. Exit 3: the backend is not installed.
_SCRIPT = """
import importlib, json, sys
job = json.loads(sys.argv[1])
sys.path[:0] = job["backend_path"]
module, _, attribute = job["backend"].partition(":")
try:
    backend = importlib.import_module(module)
except ModuleNotFoundError as error:
    print(error, file=sys.stderr)
    sys.exit(3)
for name in filter(None, attribute.split(".")):
    backend = getattr(backend, name)
print(backend.build_wheel(job["target"], None, None))
"""


def build_with_backend(folder: Path, pyproject: dict[str, Any], target: Path) -> dict[str, bytes]:
    """Build the project's wheel into ``target`` and return the files in it.

    No build environment is made and nothing is downloaded: the backend must be installed beside Verihub. It runs as the
    user, in a process of its own, without the tokens and keys of the environment.
    Raises :class:`CheckFailedError` with the end of what the backend said.
    """
    system = pyproject.get("build-system", {})
    backend = system.get("build-backend", _DEFAULT_BACKEND)
    if not isinstance(backend, str):
        raise CheckFailedError("pyproject.toml: [build-system] build-backend must be a text")
    requires, places = _texts(system, "requires"), _texts(system, "backend-path")
    job = {"backend": backend, "backend_path": [str(folder / place) for place in places], "target": str(target)}
    command = [sys.executable, "-I", "-c", _SCRIPT, json.dumps(job)]
    try:
        done = subprocess.run(
            command, cwd=folder, env=without_secrets(os.environ), capture_output=True,  # noqa: TID251 -- handed on
            encoding="utf-8", errors="replace", timeout=_TIMEOUT_SECONDS, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise CheckFailedError(f"building {folder} took longer than {_TIMEOUT_SECONDS} seconds") from None
    if done.returncode == 3:
        needs = " ".join(f"'{item}'" for item in requires) or backend.split(".")[0]
        raise CheckFailedError(
            f"{folder} is built with {backend}, which is not installed beside Verihub: `pip install {needs}`, "
            'or use build-backend = "hatchling.build"'
        )
    if done.returncode != 0:
        said = "\n".join(done.stderr.strip().splitlines()[-6:]) or f"exit status {done.returncode}"
        raise CheckFailedError(f"{backend} could not build {folder}:\n{said}")
    built = sorted(target.glob("*.whl"))
    if len(built) != 1:
        raise CheckFailedError(f"{backend} made {len(built)} wheels of {folder} instead of one")
    try:
        # Modes are normalised, so an executable source file is not a fault.
        return read_archive(built[0].read_bytes(), plain_modes=False)
    except WheelError as error:
        raise CheckFailedError(f"{backend} made a wheel that cannot be read:\n{error}") from None


def _texts(system: Mapping[str, Any], name: str) -> list[str]:
    found = system.get(name, [])
    if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
        raise CheckFailedError(f"pyproject.toml: [build-system] {name} must be a list of texts")
    return found


def without_secrets(environment: Mapping[str, str]) -> dict[str, str]:
    """``environment`` without possible secrets: ``VERIHUB_…``, ``…_KEY``, ``…TOKEN…`` and the like."""
    return {name: value for name, value in environment.items() if not _SECRET_VARIABLE.fullmatch(name)}
