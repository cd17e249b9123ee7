"""A right and a wrong response from the labelled cases of a release's author, with which a form can be filled."""

import logging
from dataclasses import dataclass
from threading import Lock

from cachetools import LRUCache, cached

from hub_server.audits.actions.shown_cases import shown_cases
from hub_server.audits.rules.response_examples import choose_responses
from hub_server.catalog import actions as catalog
from hub_server.errors import HubServerError
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.ports.wheel_cache import WheelCache
from schemas.evidence.cases import AuditCase

_KEPT_RELEASES = 256
_log = logging.getLogger("hub_server.audits")


@dataclass(frozen=True)
class ResponseExample:
    """A labelled response to one task."""

    case: AuditCase
    split: str
    """The split whose file holds its task; empty where the case brings its own."""


def list_response_examples(work: UnitOfWork, package_id: str, version: str) -> list[ResponseExample]:
    """At most one right and one wrong response, none to a task on which models are compared.

    What cannot be read is logged, and there are no examples.
    """
    release = catalog.resolve_release(work, package_id, version)
    try:
        return list(_chosen(work.services.wheels, release.digest))
    except (HubServerError, OSError, ValueError, KeyError) as error:
        _log.warning("no examples of responses of %s %s: %s", package_id, release.version, error)
        return []


@cached(LRUCache(_KEPT_RELEASES), key=lambda _, digest: digest, lock=Lock())
def _chosen(wheels: WheelCache, digest: str) -> tuple[ResponseExample, ...]:
    """Reading a wheel costs milliseconds, and its bytes never change."""
    cases, tasks = shown_cases(wheels, digest)
    splits = {task_id: split for split, found in tasks.items() for task_id in found}
    shown = (case for case in cases if case.task is not None or case.task_id in splits)
    chosen = choose_responses(shown)
    return tuple(ResponseExample(case, "" if case.task else splits[case.task_id or ""]) for case in chosen)
