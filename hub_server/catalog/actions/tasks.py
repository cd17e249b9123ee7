"""Tasks that are stored in a release's files. Tasks of a generated split need code to run: see ``execution``."""

from hub_server.catalog.actions.releases import usable_release
from hub_server.catalog.errors import TaskNotFoundError
from hub_server.kernel.unit_of_work import UnitOfWork
from schemas.task import Task


def find_task(work: UnitOfWork, package_id: str, version: str, task_id: str, split: str | None = None) -> Task:
    """A task by its id, with answer. Looks through file splits only. Raises ``TaskNotFoundError``."""
    row = usable_release(work, package_id, version)
    splits = [split] if split else [name for name, count in row.task_counts.items() if count is not None]
    for name in splits:
        if row.task_counts.get(name) is not None:
            found = work.services.wheels.tasks_by_id(row.digest, name).get(task_id)
            if found is not None:
                return found
    raise TaskNotFoundError(
        f"{row.package_id} {row.version} has no task {task_id!r} in {', '.join(splits) or 'a file'}."
    )
