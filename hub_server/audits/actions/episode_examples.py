"""A right and a wrong episode from the labelled cases of a release's author, with what the audit said of them."""

import logging
from dataclasses import dataclass
from threading import Lock

from cachetools import LRUCache, cached

from hub_server.audits.actions.shown_cases import shown_cases
from hub_server.audits.rules.episode_examples import choose_episodes
from hub_server.catalog import actions as catalog
from hub_server.errors import HubServerError
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.ports.wheel_cache import WheelCache
from schemas.evidence.audit import AuditReport, Failure
from schemas.evidence.cases import AuditCase
from schemas.task import Task

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
    shown, tasks = shown_cases(wheels, digest)
    known = {task_id: task for found in tasks.values() for task_id, task in found.items()}
    return tuple((case, _prompt_of(case, known)) for case in choose_episodes(shown))


def _prompt_of(case: AuditCase, known: dict[str, Task]) -> object:
    if case.task is not None:
        return case.task.get("prompt")
    task = known.get(case.task_id or "")
    return task.messages() if task is not None else None
