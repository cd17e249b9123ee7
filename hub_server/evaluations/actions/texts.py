"""The texts of a benchmark's tasks, and of what they are compared with."""

from collections.abc import Iterator

from hub_server.catalog import actions as catalog
from hub_server.catalog.errors import PackageNotFoundError, QuarantinedError, ReleaseNotFoundError, WithheldError
from hub_server.catalog.models import ReleaseRow
from hub_server.catalog.rules.search_request import SearchRequest
from hub_server.evaluations.rules.texts import Split, TextReport, read_texts
from hub_server.kernel.unit_of_work import UnitOfWork
from schemas.manifest import Manifest
from schemas.names import Reference
from schemas.package import PackageSort
from schemas.texts import prompt_text

MOST_PACKAGES = 60  # chosen: each one's tasks are read
MOST_TASKS = 40_000
"""Of other packages, newest first: beyond these the comparison ends, and the report says so."""


def compare_texts(work: UnitOfWork, manifest: Manifest) -> TextReport:
    """The pinned environments' tested splits against all of their other splits and the hub's other environments."""
    tested: list[Split] = []
    others: list[Split] = []
    not_compared: list[str] = []
    pinned = [Reference.parse(text) for text in manifest.environments]
    for reference in pinned:
        row = _find(work, reference.package, reference.selector)
        if row is None:
            not_compared.append(f"{reference}: not on this hub")
            continue
        for split, count in row.task_counts.items():
            is_tested = split in manifest.evaluated_splits
            if count is None:
                if is_tested:
                    not_compared.append(f"{reference.package} {split}: made by a generator, so it has no fixed text")
            else:
                (tested if is_tested else others).append(_split(work, row, split))
    names = {reference.package for reference in pinned}
    left = MOST_TASKS
    for row in _other_environments(work, names):
        for split, count in row.task_counts.items():
            if count is not None and count <= left:
                left -= count
                others.append(_split(work, row, split))
            elif count is not None:
                not_compared.append(f"{row.package_id} {split}: beyond the {MOST_TASKS} tasks that are compared")
    return read_texts(tested, [*others, *tested], not_compared)


def _find(work: UnitOfWork, package: str, selector: str) -> ReleaseRow | None:
    try:
        return catalog.usable_release(work, package, selector)
    except (PackageNotFoundError, ReleaseNotFoundError, QuarantinedError, WithheldError):
        return None


def _other_environments(work: UnitOfWork, pinned: set[str]) -> Iterator[ReleaseRow]:
    """The newest releases of the hub's other environments."""
    cursor, seen = None, 0
    while seen < MOST_PACKAGES:
        page = catalog.search_packages(
            work, SearchRequest(kinds=("environment",), sort=PackageSort.UPDATED, cursor=cursor)
        )
        for card in page.items:
            row = _find(work, card.id, card.latest) if card.latest and card.id not in pinned else None
            if row is not None and seen < MOST_PACKAGES:
                seen += 1
                yield row
        cursor = page.next
        if cursor is None:
            return


def _split(work: UnitOfWork, row: ReleaseRow, name: str) -> Split:
    tasks = list(work.services.wheels.contents(row.digest).tasks(name))
    return Split(
        package=row.package_id,
        version=row.version,
        name=name,
        texts={task.id: prompt_text(task, without={"system"}) for task in tasks},
        domains={task.id: task.tags[0] for task in tasks if task.tags},
    )
