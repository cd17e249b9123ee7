"""Tools for models: a package's own, those of the packages that it names, and those of its session."""

from hub_server.caller import require_caller
from hub_server.catalog import actions as catalog
from hub_server.catalog.models import ReleaseRow
from hub_server.execution.actions.targets import executable_release
from hub_server.execution.actions.tasks import list_tasks
from hub_server.execution.errors import NothingToExecuteError
from hub_server.ports.tool_server import ServedTools
from hub_server.work import Work
from schemas.account import Scope
from schemas.manifest import Manifest


def has_tools(manifest: Manifest) -> bool:
    """Whether a client could connect to this package."""
    return bool(manifest.tools) or manifest.session is not None


def served_tools(
    work: Work, package_id: str, version: str = "latest", *, task_id: str | None = None, seed: int = 0
) -> ServedTools:
    """What is served to this caller. Needs an account, because a connection holds a box.

    Raises ``NothingToExecuteError`` for a package without tools, ``TaskNotFoundError``, ``QuarantinedError``.
    """
    caller = require_caller(work.caller, Scope.READ)
    row = catalog.usable_release(work, package_id, version)
    release = catalog.release_of(row)
    if not has_tools(release.manifest):
        raise NothingToExecuteError(f"{package_id} {row.version} has no tools that a client could call.")
    rows = [row] if release.manifest.own_tools or release.manifest.session is not None else []
    for reference in release.manifest.foreign_tools:
        selector = reference.version or reference.specifier or reference.digest or "latest"
        rows.append(catalog.usable_release(work, reference.package, selector))
    return ServedTools(
        package=row.package_id,
        version=row.version,
        summary=row.summary,
        releases=tuple(executable_release(work, each) for each in rows),
        caller=caller.account_id,
        task=_task(work, row, release.manifest, task_id, seed),
        seed=seed,
    )


def _task(work: Work, row: ReleaseRow, manifest: Manifest, task_id: str | None, seed: int) -> dict[str, object] | None:
    """The task that a session plays: the one that was asked for, else the first of the first split."""
    if manifest.session is None:
        return None
    if task_id is not None:
        return catalog.find_task(work, row.package_id, row.version, task_id).model_dump(mode="json")
    split = next(iter(row.task_counts))
    found = list_tasks(work, row.package_id, row.version, split=split, limit=1, seed=seed, answers=True)
    if not found:
        raise NothingToExecuteError(f"{row.package_id} {row.version} has no task in its split {split!r}.")
    return found[0].model_dump(mode="json")
