"""Runs each part of a package once before it is published: generators, tools, sessions, harnesses."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from hub_client.errors import CheckFailedError
from hub_client.execution.example_arguments import NoExampleError, example_arguments
from hub_client.execution.runner import Runner
from hub_client.execution.session_check import SessionCheck
from hub_client.releases.resolve import LoadedPackage
from schemas.sources import DataFile
from schemas.task import Task

_TASKS = 4
_ACTIONS = 200  # as in an evaluation (hub_client.evaluation.harness)
_PROMPT = "What is 6 times 7?"
_ANSWER = {"role": "assistant", "content": "42"}
_LOOK = {
    "type": "function",
    "function": {"name": "look", "description": "Look around.", "parameters": {"type": "object", "properties": {}}},
}
"""The tool of the session in which a harness is tried."""
_MISTAKES = "NameError|UnboundLocalError|AttributeError|ImportError|ModuleNotFoundError|SyntaxError"
"""Exceptions of mistakes in the code itself. Any other may be what a tool tells a model on purpose."""


@dataclass
class SmokeFindings:
    """One sentence for each thing that was found."""

    faults: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)


def smoke_test(package: LoadedPackage, runner: Runner) -> SmokeFindings:
    """Raises :class:`~hub_client.errors.SandboxMissingError` when nothing can run here."""
    found = SmokeFindings()
    manifest = package.contents.manifest
    for split in manifest.generated_splits:
        found.faults += _found_by(f"tasks.{split}", lambda split=split: _generator_faults(package, split, runner))
    if manifest.own_tools:
        found.faults += _found_by("tools", lambda: _tool_faults(package, runner, found.remarks))
    if manifest.session is not None:
        found.faults += _found_by("session", lambda: _session_faults(package, runner, found.remarks))
    if manifest.harness is not None:
        found.faults += _harness_faults(package, runner, found.remarks)
    return SmokeFindings(list(dict.fromkeys(found.faults)), list(dict.fromkeys(found.remarks)))


def has_parts_to_run(package: LoadedPackage) -> bool:
    """Whether the package holds any code. A benchmark and a recipe are data."""
    manifest = package.contents.manifest
    return bool(manifest.foreign_verifier or manifest.entry_points)


def _found_by(part: str, look: Any) -> list[str]:
    """The findings of ``look``. An exception of the author's code becomes one more finding."""
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
    if len({str(row.get("id")) for row in first}) < len(first):
        yield "two tasks have the same id: make it from split, seed and index"
    if runner.tasks(package, split, start=1, count=_TASKS - 1, seed=0) != first[1:]:
        yield (
            "the same split, seed and index gave another task: draw from random.Random(f'{split}/{seed}/{index}'), "
            "and sort a set of objects before you draw from it (its order differs in each process)"
        )


def _tool_faults(package: LoadedPackage, runner: Runner, remarks: list[str]) -> Iterator[str]:
    """Call each tool once, with arguments that its schema allows."""
    for schema in runner.tools(package):
        function = schema.get("function", schema)
        name = function.get("name", "?")
        if not str(function.get("description", "")).strip():
            yield f"{name} has no docstring: the model chooses by it"
        try:
            arguments = example_arguments(function.get("parameters"))
        except NoExampleError as error:
            remarks.append(f"tools: {name} was not called: {error}")
            continue
        try:
            runner.call_tool(package, name, arguments)
        except CheckFailedError as error:
            what = f"{name} broke on {json.dumps(arguments)}, which its schema allows: {error}"
            if re.match(rf"({_MISTAKES})\b", str(error)):
                yield what
            else:
                remarks.append(f"tools: {what} (the model reads this, and goes on)")


def _session_faults(package: LoadedPackage, runner: Runner, remarks: list[str]) -> Iterator[str]:
    task = _first_task(package, runner)
    if task is None:
        return
    check = SessionCheck(package, task, runner)
    check.play()
    remarks += check.remarks
    yield from check.faults


def _harness_faults(package: LoadedPackage, runner: Runner, remarks: list[str]) -> list[str]:
    """Faults of a harness in an environment with and one without a session. One that occurs in only one of them says in
    which.
    """
    where = {"an environment without a session": False, "an environment with a session": True}
    found = {
        place: _found_by("harness", lambda turns=turns: list(_attempt_faults(package, runner, turns, remarks)))
        for place, turns in where.items()
    }
    alone, with_session = found.values()
    both = [fault for fault in alone if fault in with_session]
    return both + [
        fault.replace("harness: ", f"harness, in {place}: ", 1)
        for place, faults in found.items()
        for fault in faults
        if fault not in both
    ]


def _attempt_faults(package: LoadedPackage, runner: Runner, interactive: bool, remarks: list[str]) -> Iterator[str]:
    """Play one attempt with a model that always gives the same answer, in an environment that ends after one step."""
    messages = [{"role": "user", "content": _PROMPT}]
    task = {"id": "smoke-test", "prompt": _PROMPT}
    tools = [_LOOK] if interactive else []
    given = {"task": task, "messages": messages, "tools": tools, "session_tools": tools, "interactive": interactive}
    has_asked = has_offered = False
    with runner.session(package, given, seed=0) as episode:
        said = episode.reset()
        for _ in range(_ACTIONS):
            if said["done"]:
                break
            if not interactive and _plays(said["action"]):
                yield "it acts, and nothing can act there: look at its argument `interactive`"
                return
            asked = _requests(said["action"])
            has_asked = has_asked or bool(asked)
            has_offered = has_offered or any(request.get("tools") for request in asked)
            said = episode.step({"answer": _executed(said["action"])})
    if not said["done"]:
        yield f"had not ended after {_ACTIONS} actions, with a model that answers at once"
    elif tools and has_asked and not has_offered:
        remarks.append(
            "harness: it does not offer a session's tools to the model (its argument session_tools), so in an "
            "environment that is played by tools the model can only write text"
        )


def _requests(action: dict[str, Any]) -> list[dict[str, Any]]:
    """What an action asks the model."""
    together = action.get("all", [action])
    return [one for one in together if isinstance(one, dict) and "complete" in one]


def _plays(action: dict[str, Any]) -> bool:
    """Whether an action needs a session."""
    together = action.get("all", [action])
    return any(kind in one for one in together for kind in ("act", "branch", "undo") if isinstance(one, dict))


def _executed(action: dict[str, Any]) -> Any:
    if "all" in action:
        return [_executed(one) for one in action["all"]]
    if "complete" in action:
        return dict(_ANSWER)
    if "act" in action:
        return {"messages": [], "done": True}
    return "error: there are no tools in this test" if "call" in action else None


def _first_task(package: LoadedPackage, runner: Runner) -> dict[str, Any] | None:
    for split, source in package.contents.manifest.tasks.items():
        if isinstance(source, DataFile):
            return next((task.model_dump(mode="json") for task in package.contents.tasks(split)), None)
        made = runner.tasks(package, split, start=0, count=1, seed=0)
        return made[0] if made else None
    return None
