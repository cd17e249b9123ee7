"""Inspects a wheel in a child process with limits of memory, time and files: a zip bomb kills only the child."""

import atexit
import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any

from hub_server.adapters.inspecting_child import DONE
from hub_server.errors import InvalidPackageError
from hub_server.ports.wheel_inspector import Inspection
from hub_server.settings import LimitSettings
from schemas.manifest import Manifest
from schemas.package import ProjectLink, ReleaseFile
from schemas.problem import ProblemPart

_CHILD = Path(__file__).with_name("inspecting_child.py")
_SPARE_SECONDS = 5.0
"""A child ends itself in time; so much later it counts as gone."""


class _ForkServer:
    """A process with all imports, which forks a child for each wheel: an interpreter of its own took 0.28 s to start.

    One for each process of the hub, started when it is first needed.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._requests: socket.socket | None = None
        self._inherited: list[subprocess.Popen[bytes] | None] = []

    def ask(self, request: dict[str, Any], files: list[int]) -> None:
        """Send a request with its open files. Raises ``OSError`` where no server can be started."""
        text = json.dumps(request).encode()
        with self._lock:
            for _ in range(2):  # a server that has died is replaced
                if self._requests is None:
                    self._start()
                assert self._requests is not None
                try:
                    socket.send_fds(self._requests, [text], files)
                except (BrokenPipeError, ConnectionResetError):
                    self._end()
                else:
                    return
        raise OSError("the process that inspects wheels ends at once")

    def _start(self) -> None:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-I", str(_CHILD)],
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,  # a Ctrl-C in the terminal is for the hub
            )
        self._requests = ours

    def _end(self) -> None:
        if self._requests is not None:
            self._requests.close()
        if self._process is not None:
            self._process.kill()
            self._process.wait()
        self._requests = self._process = None

    def close(self) -> None:
        """End the server. Called when the process ends."""
        with self._lock:
            self._end()

    def forget(self) -> None:
        """Leave the server to the process that it belongs to. Called in a process that was just forked."""
        if self._requests is not None:
            self._requests.close()
        self._inherited.append(self._process)  # an object that is collected would ask about a child that is not ours
        self._lock, self._process, self._requests = threading.Lock(), None, None


_SERVER = _ForkServer()
atexit.register(_SERVER.close)
os.register_at_fork(after_in_child=_SERVER.forget)


class ChildWheelInspector:
    """One short-lived child a wheel; it reads the file that it is given, and only JSON comes back."""

    def __init__(self, limits: LimitSettings) -> None:
        self._limits = limits

    def inspect(self, path: Path, digest: str) -> Inspection:
        request = {
            "digest": digest,
            "memory_mb": self._limits.inspect_memory_mb,
            "seconds": self._limits.inspect_seconds,
            "wheel_bytes": self._limits.wheel_bytes,
        }
        ours, theirs = socket.socketpair()
        with path.open("rb") as wheel, tempfile.TemporaryFile() as answer, ours:
            with theirs:
                _SERVER.ask(request, [wheel.fileno(), answer.fileno(), theirs.fileno()])
            ours.settimeout(self._limits.inspect_seconds + _SPARE_SECONDS)
            try:
                is_done = ours.recv(1) == DONE
            except (TimeoutError, ConnectionResetError):
                is_done = False
            answer.seek(0)
            text = answer.read()
        if not is_done:
            raise InvalidPackageError(
                "The wheel cannot be read within this hub's limits of memory and time "
                f"({self._limits.inspect_seconds:.0f} s): make it smaller, or build it again with `verihub pack`."
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
    facts["links"] = [ProjectLink.model_validate(link) for link in facts["links"]]
    facts["files"] = [ReleaseFile.model_validate(file) for file in facts["files"]]
    inspection = Inspection(**facts)
    assert inspection.digest == digest, "the child names what it read"
    return inspection
