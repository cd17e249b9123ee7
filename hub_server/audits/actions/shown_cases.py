"""The labelled cases of a release's author that a page may show: none of a split on which models are compared.

A hub's own cases are not among them: these are read from the wheel, which anybody may download.
"""

from collections.abc import Iterator, Mapping
from itertools import islice

from hub_server.audits.rules.episode_examples import is_held_out, task_name
from hub_server.ports.wheel_cache import WheelCache
from schemas.evidence.cases import AuditCase
from schemas.task import Task
from schemas.wheels.package_data import case_rows
from schemas.wheels.wheel import WheelContents

MOST_ROWS = 1000
"""Labelled cases among which examples are looked for."""


def shown_cases(wheels: WheelCache, digest: str) -> tuple[Iterator[AuditCase], dict[str, Mapping[str, Task]]]:
    """Cases in the author's order, and split -> id -> task of the release's files."""
    contents = wheels.contents(digest)
    tasks = {split: wheels.tasks_by_id(digest, split) for split in contents.manifest.stored_splits}
    held_out = {task_id for split, found in tasks.items() if is_held_out(split) for task_id in found}
    known = {task_id: task for found in tasks.values() for task_id, task in found.items()}
    has_held_out = any(is_held_out(split) for split in contents.manifest.tasks)
    shown = (
        case
        for case in islice(_cases(contents), MOST_ROWS)
        if task_name(case) not in held_out and _may_show(case, known, has_held_out=has_held_out)
    )
    return shown, tasks


def _cases(contents: WheelContents) -> Iterator[AuditCase]:
    for path in contents.manifest.case_files:
        yield from (case.as_authors for case in case_rows(contents.read_data(path), path))


def _may_show(case: AuditCase, known: dict[str, Task], *, has_held_out: bool) -> bool:
    """Whether it gives away no answer of a held-out split. A task that says no split may be of any."""
    split = (case.task or {}).get("split")
    if isinstance(split, str):
        return not is_held_out(split)
    return task_name(case) in known or not has_held_out
