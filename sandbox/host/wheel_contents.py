"""Reads the contents of a release's wheel on the host, without running any of it. Cached for the latest few
releases.
"""

from threading import Lock
from typing import Any

from cachetools import LRUCache

from sandbox.errors import VerifierFailedError
from sandbox.interface import Source
from schemas.evidence.cases import AuditCase
from schemas.sources import DataFile
from schemas.wheels.package_data import case_rows
from schemas.wheels.wheel import WheelContents, WheelError, read_wheel

_KEPT = 16  # chosen: each may take the memory of its wheel
_lock = Lock()
_cache: LRUCache[str, WheelContents] = LRUCache(_KEPT)


def contents_of(source: Source) -> WheelContents:
    """The checked contents of ``source.wheel``. Raises VerifierFailedError for a wheel that a hub would refuse."""
    with _lock:
        if source.digest in _cache:
            return _cache[source.digest]
    try:
        contents = read_wheel(source.wheel.read_bytes())
    except WheelError as error:
        raise VerifierFailedError(f"the wheel of {source.manifest.id} cannot be used: {error}") from error
    if contents.digest != source.digest:
        raise VerifierFailedError(
            f"the wheel of {source.manifest.id} is {contents.digest}, not {source.digest}: fetch it again"
        )
    with _lock:
        _cache[source.digest] = contents
    return contents


def warm_examples(source: Source, count: int) -> list[dict[str, Any]]:
    """Cases of ``examples`` (or else of the audit files) as calls, at most ``count``. A new box runs them before it
    serves.

    They are spread evenly over the files. Authors list cases by kind, and the first ones of one kind would leave the
    caches of all others cold in every fork.
    """
    manifest = source.manifest
    if count == 0 or not manifest.verifier or manifest.foreign_verifier:
        return []
    contents = contents_of(source)
    calls = []
    tasks: dict[str, dict[str, Any]] | None = None
    for case in _spread(_example_cases(source, contents), count):
        task = case.task
        if task is None:
            tasks = tasks if tasks is not None else _tasks_by_id(contents)
            task = tasks.get(case.task_id or "")
        if task is not None:
            fields = {"response": case.response, "messages": case.messages, "state": case.state, "files": case.files}
            calls.append({"task": task, **{name: value for name, value in fields.items() if value is not None}})
    return calls


def _spread(cases: list[AuditCase], count: int) -> list[AuditCase]:
    """``count`` cases from the middles of as many equal stretches; all cases where there are no more."""
    if len(cases) <= count:
        return cases
    return [cases[(2 * index + 1) * len(cases) // (2 * count)] for index in range(count)]


def _example_cases(source: Source, contents: WheelContents) -> list[AuditCase]:
    examples = source.manifest.examples
    if isinstance(examples, DataFile):
        return list(case_rows(contents.read_data(examples), examples))
    return contents.cases()


def _tasks_by_id(contents: WheelContents) -> dict[str, dict[str, Any]]:
    splits = contents.manifest.stored_splits
    return {task.id: task.model_dump(mode="json") for split in splits for task in contents.tasks(split)}
