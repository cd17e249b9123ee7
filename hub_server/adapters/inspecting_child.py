"""The other end of ``child_wheel_inspector``: a process that has all imports and forks a child for each wheel.

Its standard input is a Unix socket. A request is JSON, with three open files beside it: the wheel, where the answer
goes, and a socket that the child alone holds. The child writes the answer as JSON, and then a single byte to that
socket. It is killed by its own limits when the wheel is a bomb, and then the socket ends without that byte.
"""

import gc
import json
import os
import resource
import signal
import socket
from typing import Any

from schemas.wheels.archive import ArchiveLimits
from schemas.wheels.wheel import WheelContents, WheelError, read_wheel

DONE = b"."
"""What the child writes last."""
MOST_BYTES = 1000
"""Of a request."""


def _limit(memory_mb: int, seconds: float) -> None:
    signal.setitimer(signal.ITIMER_REAL, seconds)  # its signal ends the process
    resource.setrlimit(resource.RLIMIT_AS, (memory_mb * 2**20, memory_mb * 2**20))
    resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 1, int(seconds) + 1))
    resource.setrlimit(resource.RLIMIT_FSIZE, (64 * 2**20, 64 * 2**20))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))


def facts_of(contents: WheelContents) -> dict[str, Any]:
    """What the parent wants to know, as JSON can say it."""
    metadata = contents.metadata
    return {
        "digest": contents.digest,
        "size_bytes": contents.size_bytes,
        "manifest": contents.manifest.model_dump(mode="json", by_alias=True),
        "version": metadata.version,
        "summary": metadata.summary,
        "licence": metadata.licence,
        "requires_python": metadata.requires_python,
        "dependencies": list(metadata.dependencies),
        "readme": contents.readme,
        "authors": list(metadata.authors),
        "links": [link.model_dump(mode="json") for link in metadata.links],
        "notes": contents.notes,
        "files": [file.model_dump(mode="json") for file in contents.release_files],
        "task_counts": contents.task_counts(),
        "case_count": len(contents.cases()),
    }


def inspect(request: dict[str, Any], wheel: int, answer: int) -> None:
    """Read, check, answer. In the child."""
    _limit(request["memory_mb"], request["seconds"])
    with os.fdopen(wheel, "rb") as file:
        data = file.read()
    try:
        found = facts_of(read_wheel(data, ArchiveLimits.for_wheels_of(request["wheel_bytes"])))
        if found["digest"] != request["digest"]:
            raise SystemExit(3)
    except WheelError as error:
        found = {"problems": [part.model_dump(mode="json") for part in error.problems]}
    with os.fdopen(answer, "w", encoding="utf-8") as file:
        file.write(json.dumps(found))


def main() -> None:
    """Fork a child for each request until the socket ends."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for a child: the kernel forgets it
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the hub, whose end ends this process
    gc.freeze()  # what is imported stays shared with the children
    with socket.socket(fileno=0) as requests:
        while True:
            text, files, _, _ = socket.recv_fds(requests, MOST_BYTES, 3)
            if not text:
                return
            if os.fork() == 0:
                _work(json.loads(text), *files)
            for file in files:
                os.close(file)


def _work(request: dict[str, Any], wheel: int, answer: int, done: int) -> None:
    """The child's life. It never returns."""
    code = 1
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        os.close(0)
        inspect(request, wheel, answer)
        os.write(done, DONE)
        code = 0
    finally:
        os._exit(code)


if __name__ == "__main__":
    main()
