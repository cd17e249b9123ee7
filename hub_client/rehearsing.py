"""Running each part of a package once before it is published: generators, tools, sessions."""

from collections.abc import Iterator
from typing import Any

from pydantic import ValidationError

from hub_client.errors import CheckFailedError
from hub_client.resolving import LoadedPackage
from hub_client.runner import Runner
from schemas.task import Task

_TASKS = 4


def rehearse(package: LoadedPackage, runner: Runner) -> list[str]:
    """One sentence a fault. Raises :class:`~hub_client.errors.SandboxMissingError` when nothing can run here."""
    faults: list[str] = []
    manifest = package.contents.manifest
    for split, source in manifest.tasks.items():
        if ":" in source:
            faults += _rehearsed(f"tasks.{split}", lambda split=split: _generator_faults(package, split, runner))
    if any(":" in tool and "/" not in tool for tool in manifest.tools):
        faults += _rehearsed("tools", lambda: _tool_faults(package, runner))
    if manifest.session is not None:
        faults += _rehearsed("session", lambda: _session_faults(package, runner))
    return faults


def _rehearsed(part: str, look: Any) -> list[str]:
    """What ``look`` finds; an author's exception is one finding more."""
    try:
        return [f"{part}: {fault}" for fault in look()]
    except CheckFailedError as error:
        return [f"{part}: {error}"]


def _generator_faults(package: LoadedPackage, split: str, runner: Runner) -> Iterator[str]:
    first = runner.tasks(package, split, start=0, count=_TASKS, seed=0)
    if not first:
        yield "generates no task"
    for index, row in enumerate(first):
        try:
            Task.model_validate(row)
        except ValidationError as error:
            fault = error.errors()[0]
            yield f"task {index} is not sound: {'.'.join(map(str, fault['loc']))}: {fault['msg']}"
    if len({row["id"] for row in first}) < len(first):
        yield "two tasks have the same id: make it from split, seed and index"
    if runner.tasks(package, split, start=1, count=_TASKS - 1, seed=0) != first[1:]:
        yield "the same split, seed and index gave another task: draw from random.Random(f'{split}/{seed}/{index}')"


def _tool_faults(package: LoadedPackage, runner: Runner) -> Iterator[str]:
    for schema in runner.tools(package):
        function = schema.get("function", schema)
        if not str(function.get("description", "")).strip():
            yield f"{function.get('name', '?')} has no docstring: the model chooses by it"


def _session_faults(package: LoadedPackage, runner: Runner) -> Iterator[str]:
    task = _first_task(package, runner)
    if task is None:
        return
    with runner.session(package, task, seed=0) as session:
        start = session.reset()
    if not isinstance(start.get("messages"), list):
        yield 'reset() must return {"messages": [...]}: what the model reads first'


def _first_task(package: LoadedPackage, runner: Runner) -> dict[str, Any] | None:
    for split, source in package.contents.manifest.tasks.items():
        if ":" not in source:
            return next((task.model_dump(mode="json") for task in package.contents.tasks(split)), None)
        made = runner.tasks(package, split, start=0, count=1, seed=0)
        return made[0] if made else None
    return None
