"""Tools for models: a package's own, those of the packages that it names, and those of its session."""

from dataclasses import replace

from hub_server.catalog import actions as catalog
from hub_server.catalog.models import ReleaseRow
from hub_server.execution.actions.targets import executable_release
from hub_server.execution.actions.tasks import TaskRange, read_tasks, task_stream
from hub_server.execution.errors import NothingToExecuteError
from hub_server.kernel.caller import require_caller
from hub_server.kernel.services import Services
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.ports.tool_server import ServedTools
from schemas.account import Scope
from schemas.manifest import Manifest
from schemas.names import LATEST


def has_tools(manifest: Manifest) -> bool:
    """Whether a client could connect to this package."""
    return bool(manifest.tools) or manifest.session is not None


def served_tools(
    work: UnitOfWork, package_id: str, version: str = LATEST, *, task_id: str | None = None, seed: int = 0
) -> tuple[ServedTools, TaskRange | None]:
    """What is served to this caller. Needs an account, because a connection holds a box.

    With it comes the stream whose first task a session plays, where nobody chose one: see :func:`with_first_task`.

    Raises ``NothingToExecuteError`` for a package without tools, ``TaskNotFoundError``, ``QuarantinedError``.
    """
    caller = require_caller(work.caller, Scope.READ)
    row = catalog.usable_release(work, package_id, version)
    release = catalog.release_of(row)
    if not has_tools(release.manifest):
        raise NothingToExecuteError(f"{package_id} {row.version} has no tools that a client could call.")
    rows = [row] if release.manifest.own_tools or release.manifest.session is not None else []
    rows += [catalog.usable_release(work, one.package, one.selector) for one in release.manifest.foreign_tools]
    task, stream = _task(work, row, release.manifest, task_id, seed)
    tools = ServedTools(
        package=row.package_id,
        version=row.version,
        summary=row.summary,
        releases=tuple(executable_release(work, each) for each in rows),
        caller=caller.account_id,
        task=task,
        seed=seed,
    )
    return tools, stream


def with_first_task(services: Services, tools: ServedTools, stream: TaskRange) -> ServedTools:
    """``tools`` with the first task of ``stream``; outside any transaction, because a split may be generated."""
    for task in read_tasks(services, stream):
        return replace(tools, task=task.model_dump(mode="json"))
    raise NothingToExecuteError(f"{tools.package} {tools.version} has no task in its split {stream.split!r}.")


def _task(
    work: UnitOfWork, row: ReleaseRow, manifest: Manifest, task_id: str | None, seed: int
) -> tuple[dict[str, object] | None, TaskRange | None]:
    """The task that a session plays: the one that was asked for, else the first of the first split."""
    if manifest.session is None:
        return None, None
    if task_id is not None:
        return catalog.find_task(work, row.package_id, row.version, task_id).model_dump(mode="json"), None
    split = next(iter(row.task_counts), None)
    if split is None:
        raise NothingToExecuteError(f"{row.package_id} {row.version} has no tasks that its session could play.")
    return None, task_stream(work, row.package_id, row.version, split=split, limit=1, seed=seed, answers=True)
