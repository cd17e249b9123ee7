"""The child of ``child_wheel_inspector``.

Wheel on stdin, JSON on stdout, killed by its own limits when the wheel is a bomb.
"""

import json
import resource
import sys
from typing import Any

from schemas.wheels.archive import ArchiveLimits
from schemas.wheels.wheel import WheelContents, WheelError, read_wheel


def _limit(memory_mb: int, seconds: int) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (memory_mb * 2**20, memory_mb * 2**20))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
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
        "files": [file.model_dump(mode="json") for file in contents.release_files],
        "task_counts": contents.task_counts(),
        "case_count": len(contents.cases()),
    }


def main() -> None:
    """Read, check, answer."""
    digest = sys.argv[1]
    memory_mb, seconds, wheel_bytes = map(int, sys.argv[2:5])
    _limit(memory_mb, seconds)
    data = sys.stdin.buffer.read()
    try:
        answer = facts_of(read_wheel(data, ArchiveLimits.for_wheels_of(wheel_bytes)))
        if answer["digest"] != digest:
            raise SystemExit(3)
    except WheelError as error:
        answer = {"problems": [part.model_dump(mode="json") for part in error.problems]}
    sys.stdout.write(json.dumps(answer))


if __name__ == "__main__":
    main()
