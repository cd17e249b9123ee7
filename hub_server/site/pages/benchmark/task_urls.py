"""Where a task of a benchmark can be looked at."""

from collections.abc import Sequence
from urllib.parse import urlencode

from schemas.benchmark import (
    JudgedEnvironment,
)


class TaskUrls:
    """Where a task ``owner/name#id`` can be looked at: the page on which its verifier can be tried."""

    def __init__(self, environments: Sequence[JudgedEnvironment], split: str) -> None:
        self._versions = {one.environment: one.version for one in environments}
        self._split = split

    def __call__(self, task: str) -> str:
        package, _, name = task.partition("#")
        version = self._versions.get(package)
        if version is None:
            return ""
        return f"/packages/{package}/releases/{version}/try?{urlencode({'split': self._split, 'task_id': name})}"
