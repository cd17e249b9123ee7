"""Play a multi-turn episode in a box."""

from contextlib import AbstractContextManager
from typing import Any

from hub_server.catalog import actions as catalog
from hub_server.execution.actions.targets import executable_release
from hub_server.execution.errors import NothingToExecuteError
from hub_server.ports.executor import ExecutorSession
from hub_server.work import Work


def open_session(
    work: Work, package_id: str, version: str, task: dict[str, Any], seed: int
) -> AbstractContextManager[ExecutorSession]:
    """An episode on ``task``, to be entered after the transaction is over. Raises ``NothingToExecuteError``."""
    row = catalog.usable_release(work, package_id, version)
    release = executable_release(work, row)
    if release.manifest.session is None:
        raise NothingToExecuteError(f"{package_id} {row.version} has no session: it is judged turn by turn nowhere.")
    return work.parts.executor.session(release, task, seed=seed)
