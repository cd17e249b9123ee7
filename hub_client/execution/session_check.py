"""Plays episodes of a session before it is published: an answer, each of its tools, and what a model may get wrong."""

import json
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

from hub_client.errors import CheckFailedError, SessionLostError
from hub_client.execution.example_arguments import NoExampleError, example_arguments
from hub_client.execution.runner import Runner, RunnerSession
from hub_client.releases.resolve import LoadedPackage
from schemas.evidence.cases import AuditCase, Label

Message = dict[str, Any]
_MOST_TOOLS = 32  # called one after the other: chosen, so that a check stays short
_STEPS = 50  # of a labelled episode; longer ones are not played again to their end
_TOOL = '{"type": "function", "function": {"name": …, "description": …, "parameters": …}}'
_ANSWER: Message = {"role": "assistant", "content": "42"}


class SessionCheck:
    """Plays one task. ``faults`` and ``remarks`` hold what was found, one sentence each."""

    def __init__(self, package: LoadedPackage, task: dict[str, Any], runner: Runner) -> None:
        self.faults: list[str] = []
        self.remarks: list[str] = []
        self._package, self._task, self._runner = package, task, runner
        self._open: RunnerSession | None = None
        self._stack = ExitStack()

    def play(self) -> None:
        """Everything; an exception of the author's code becomes a fault that names the message that led to it."""
        with self._stack:
            start = self._begin(self._task)
            if start is None:
                return
            if not isinstance(start.get("messages"), list):
                self.faults.append('reset() must return {"messages": [...]}: what the model reads first')
                return
            tools = self._named_tools(start.get("tools"))
            if self._step(_ANSWER, "an answer without a tool call"):
                for what, message in self._tries(tools):
                    self._step(message, what)
        self._play_labelled()

    def _named_tools(self, tools: Any) -> dict[str, Any]:
        """Parameters by the tool's name."""
        if tools is not None and not isinstance(tools, list):
            self.faults.append(f"reset() returned {tools!r:.80} as tools, which must be a list")
            return {}
        found: dict[str, Any] = {}
        for tool in tools or []:
            function = tool.get("function") if isinstance(tool, dict) else None
            if isinstance(function, dict) and isinstance(function.get("name"), str):
                found[function["name"]] = function.get("parameters")
            else:
                self.faults.append(f"reset() lists {tool!r:.80} as a tool: it must be {_TOOL}")
        return found

    def _tries(self, tools: dict[str, Any]) -> Iterator[tuple[str, Message]]:
        """Each tool as its schema allows, then what models get wrong."""
        possible: list[tuple[str, str]] = []
        for name, parameters in tools.items():
            try:
                possible.append((name, json.dumps(example_arguments(parameters))))
            except NoExampleError as error:
                self.remarks.append(f"session: the tool {name} was not called: {error}")
        for name, arguments in possible[:_MOST_TOOLS]:
            yield f"a call of {name} with {arguments}, which its schema allows", _calling((name, arguments))
        if len(possible) > 1:
            yield "two calls in one message", _calling(*possible[:2])
        for name in list(tools)[:1]:
            yield f"a call of {name} with arguments that are no JSON", _calling((name, '{"'))
            yield f"a call of {name} with arguments that are no object", _calling((name, "[1]"))
            yield f"a call of {name} without arguments", _calling((name, "{}"))
            yield "a call of a tool that does not exist", _calling(("no_such_tool", "{}"))
        yield "an answer without text", {"role": "assistant", "content": ""}

    # -- one message ---------------------------------------------------------------------------------------------------

    def _begin(self, task: dict[str, Any]) -> dict[str, Any] | None:
        """Open a session in place of the one that is open."""
        self._stack.close()
        self._open = self._stack.enter_context(self._runner.session(self._package, task, seed=0))
        try:
            return self._open.reset()
        except (CheckFailedError, SessionLostError) as error:
            self.faults.append(f"reset() broke: {error}")
            self._open = None
            return None

    def _step(self, message: Message, what: str) -> bool:
        """Take a step, in a new session where the last one has ended. Whether it was answered as it must be."""
        if self._open is None and self._begin(self._task) is None:
            return False
        assert self._open is not None
        try:
            said = self._open.step(message)
        except (CheckFailedError, SessionLostError) as error:
            self.faults.append(f"step() broke on {what}: {error}")
            self._open = None
            return False
        if not isinstance(said.get("messages"), list) or not isinstance(said.get("done"), bool):
            self.faults.append('step() must return {"messages": [...], "done": True or False}')
            self._open = None
            return False
        if said["done"]:
            self._open = None
            return True
        if missing := _unanswered(message, said["messages"]):
            self.faults.append(
                f'step() did not answer {what}: there is no {{"role": "tool", "tool_call_id": "{missing}"}} in its '
                "messages, and servers of models refuse a conversation in which a call has no result"
            )
        return True

    # -- an episode that the author labelled ---------------------------------------------------------------------------

    def _play_labelled(self) -> None:
        """Send what the model says in the first right case that has messages: the session must not break on it."""
        case = _labelled_episode(self._package.contents.cases())
        task = (case.task or self._task_of(case.task_id)) if case else None
        if case is None or task is None or self.faults:
            return
        with self._stack:
            if self._begin(task) is None:
                return
            said = [one for one in case.messages or () if one.get("role") == "assistant"]
            for number, message in enumerate(said[:_STEPS], 1):
                is_answered = self._step(message, f"message {number} of the model in case {case.id}")
                if not is_answered or self._open is None:
                    return

    def _task_of(self, ident: str | None) -> dict[str, Any] | None:
        splits = self._package.contents.manifest.stored_splits
        rows = (task for split in splits for task in self._package.contents.tasks(split))
        return next((task.model_dump(mode="json") for task in rows if task.id == ident), None)


def _calling(*calls: tuple[str, str]) -> Message:
    """An assistant's message with calls of tools: name, and arguments as text."""
    made = [
        {"id": f"call-{number}", "type": "function", "function": {"name": name, "arguments": arguments}}
        for number, (name, arguments) in enumerate(calls, 1)
    ]
    return {"role": "assistant", "content": "", "tool_calls": made}


def _labelled_episode(cases: list[AuditCase]) -> AuditCase | None:
    """The first right case that has messages, one with tool calls before others."""
    found = [case for case in cases if case.messages and case.label is Label.CORRECT]
    calling = [case for case in found if any(message.get("tool_calls") for message in case.messages or ())]
    return next(iter(calling or found), None)


def _unanswered(message: Message, said: list[Any]) -> str | None:
    """The id of the first call without a result. A call without an id, as a labelled case may have, can get none."""
    answered = [one.get("tool_call_id") for one in said if isinstance(one, dict) and one.get("role") == "tool"]
    calls = message.get("tool_calls")
    asked = [call.get("id") for call in calls if isinstance(call, dict)] if isinstance(calls, list) else []
    return next((one for one in asked if isinstance(one, str) and one not in answered), None)
