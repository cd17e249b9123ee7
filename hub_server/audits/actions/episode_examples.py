"""A right and a wrong episode from the labelled cases of a release's author, with what the audit said of them."""

import logging
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from threading import Lock

from cachetools import LRUCache, cached

from hub_server.audits.rules.episode_examples import choose_episodes, is_held_out, task_name
from hub_server.catalog import actions as catalog
from hub_server.errors import HubServerError
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.ports.wheel_cache import WheelCache
from schemas.evidence.audit import AuditReport, Failure
from schemas.evidence.cases import AuditCase
from schemas.task import Task
from schemas.wheels.package_data import case_rows
from schemas.wheels.wheel import WheelContents

MOST_ROWS = 1000
"""Labelled cases among which examples are looked for."""
_KEPT_RELEASES = 256
_log = logging.getLogger("hub_server.audits")


@dataclass(frozen=True)
class EpisodeExample:
    """A labelled episode."""

    case: AuditCase
    prompt: object
    """What the task asks, text or messages; None where only its id is known."""
    failure: Failure | None
    """What the verifier said, where that contradicts the label."""
    is_measured: bool


def list_episode_examples(
    work: UnitOfWork, package_id: str, version: str, report: AuditReport | None
) -> list[EpisodeExample]:
    """At most one right and one wrong episode, but no episode of a task on which models are compared.

    ``report``: the newest audit of that very release. What cannot be read is logged, and there are no examples.
    """
    release = catalog.resolve_release(work, package_id, version)
    try:
        chosen = _chosen(work.services.wheels, release.digest)
    except (HubServerError, OSError, ValueError, KeyError) as error:
        _log.warning("no examples of episodes of %s %s: %s", package_id, release.version, error)
        return []
    failures = {failure.case: failure for failure in report.failures} if report is not None else {}
    return [EpisodeExample(case, prompt, failures.get(case.id), report is not None) for case, prompt in chosen]


@cached(LRUCache(_KEPT_RELEASES), key=lambda _, digest: digest, lock=Lock())
def _chosen(wheels: WheelCache, digest: str) -> tuple[tuple[AuditCase, object], ...]:
    """Cases with what their tasks ask. Reading a wheel costs milliseconds, and its bytes never change."""
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
    return tuple((case, _prompt_of(case, known)) for case in choose_episodes(shown))


def _cases(contents: WheelContents) -> Iterator[AuditCase]:
    for path in contents.manifest.case_files:
        yield from (case.as_authors for case in case_rows(contents.read_data(path), path))


def _may_show(case: AuditCase, known: dict[str, Task], *, has_held_out: bool) -> bool:
    """Whether it gives away no answer of a held-out split. A task that says no split may be of any."""
    split = (case.task or {}).get("split")
    if isinstance(split, str):
        return not is_held_out(split)
    return task_name(case) in known or not has_held_out


def _prompt_of(case: AuditCase, known: dict[str, Task]) -> object:
    if case.task is not None:
        return case.task.get("prompt")
    task = known.get(case.task_id or "")
    return task.messages() if task is not None else None
