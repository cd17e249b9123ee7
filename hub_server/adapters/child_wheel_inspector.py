"""Inspects a wheel in a child process with limits of memory, time and files: a zip bomb kills only the child."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from hub_server.errors import InvalidPackageError
from hub_server.ports.wheel_inspector import Inspection
from hub_server.settings import LimitSettings
from schemas.manifest import Manifest
from schemas.package import ReleaseFile
from schemas.problem import ProblemPart

_CHILD = Path(__file__).with_name("inspecting_child.py")


class ChildWheelInspector:
    """One short-lived interpreter a wheel; it reads the file from its standard input, and only JSON comes back."""

    def __init__(self, limits: LimitSettings) -> None:
        self._limits = limits

    def inspect(self, path: Path, digest: str) -> Inspection:
        with path.open("rb") as wheel, tempfile.TemporaryFile() as answer:
            command = [
                sys.executable, "-I", str(_CHILD), digest,
                str(self._limits.inspect_memory_mb), str(int(self._limits.inspect_seconds)),
                str(self._limits.wheel_bytes),
            ]  # fmt: skip
            try:
                done = subprocess.run(
                    command, stdin=wheel, stdout=answer, stderr=subprocess.DEVNULL,
                    timeout=self._limits.inspect_seconds, check=False,
                )  # fmt: skip
            except subprocess.TimeoutExpired:
                raise InvalidPackageError(
                    f"Reading the wheel took longer than {self._limits.inspect_seconds:.0f} s: make it smaller."
                ) from None
            answer.seek(0)
            text = answer.read()
        if done.returncode != 0 or not text:
            raise InvalidPackageError(
                "The wheel cannot be read within this hub's limits of memory and time: make it smaller, "
                "or build it again with `verihub pack`."
            )
        return read_answer(json.loads(text), digest)


def read_answer(answer: dict[str, Any], digest: str) -> Inspection:
    """The child's JSON as an inspection. Raises ``InvalidPackageError`` when it holds problems."""
    problems = answer.get("problems")
    if problems is not None:
        parts = [ProblemPart.model_validate(part) for part in problems]
        raise InvalidPackageError(
            "\n".join(f"{p.pointer}: {p.message}" if p.pointer else p.message for p in parts), errors=parts
        )
    facts = dict(answer)
    facts["manifest"] = Manifest.model_validate(facts["manifest"])
    facts["files"] = [ReleaseFile.model_validate(file) for file in facts["files"]]
    inspection = Inspection(**facts)
    assert inspection.digest == digest, "the child names what it read"
    return inspection
