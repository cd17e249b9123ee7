"""Executes the actions of one attempt: it asks the model, calls tools, and steps, branches and undoes sessions."""

import json
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from hub_client.errors import CheckFailedError, HubClientError, HubUnreachableError
from hub_client.evaluation.harness_actions import MAIN
from hub_client.execution.runner import Runner, RunnerSession
from hub_client.releases.resolve import LoadedPackage
from schemas.tool import words_of_fault

MOST_BRANCHES = 8
"""How many branches of its session an attempt may have at once."""

Result = TypeVar("Result")


class HarnessFailedError(CheckFailedError):
    """The harness, a tool or the session failed. The attempt has no result, and it is not the model's fault."""


class HarnessLostError(HarnessFailedError):
    """The process or box of the harness or the session has ended. Another attempt may succeed."""


class AsyncPolicy(Protocol):
    """A model that is awaited; see :class:`~hub_client.transport.chat_endpoint.Policy`."""

    async def complete(
        self,
        messages: Sequence[dict[str, Any]],
        tools: Sequence[dict[str, Any]],
        *,
        seed: int,
        stop: Sequence[str] = (),
    ) -> dict[str, Any]:
        """The assistant's next message."""
        ...


class Waiting(Protocol):
    """Runs blocking work (starting a box, a session's step, a tool) and waits for it."""

    def __call__(self, blocking: Callable[[], Result], /) -> Awaitable[Result]: ...


class Together(Protocol):
    """Runs coroutines at once; their results or exceptions, in order, when all have ended."""

    def __call__(self, running: Sequence[Coroutine[Any, Any, Any]], /) -> Awaitable[list[Any]]: ...


@dataclass
class Branch:
    """A session and what its steps earned: of each step the number of the completion that it took, and its rewards."""

    session: RunnerSession
    steps: list[tuple[int, dict[str, float | None] | None]] = field(default_factory=list)

    @property
    def step_rewards(self) -> list[tuple[int, dict[str, float | None]]]:
        """Those of steps that were judged. What was taken back is not among them."""
        return [(said, rewards) for said, rewards in self.steps if rewards is not None]


@dataclass
class HarnessAttempt:
    """The model, tools and sessions of one attempt, and what was done with them."""

    name: str
    """The harness's, for messages."""
    policy: AsyncPolicy
    seed: int
    wait: Waiting
    together: Together
    runner: Runner
    tools: Mapping[str, LoadedPackage]
    session: RunnerSession | None
    """The session of the environment, if it has one."""
    tool_calls: int = 0
    truncated: int = 0
    asked: list[dict[str, Any]] = field(default_factory=list)
    """The conversation that the model was last asked to continue."""
    latest: str = MAIN
    """The session in which the last step was taken."""
    _branches: dict[str, Branch] = field(default_factory=dict)
    _said: list[dict[str, Any]] = field(default_factory=list)
    """The model's messages, in the order in which they were asked for; one that is still being written is empty."""

    def __post_init__(self) -> None:
        if self.session is not None:
            self._branches[MAIN] = Branch(self.session)

    @property
    def completions(self) -> int:
        """How often the model was asked."""
        return len(self._said)

    def branch(self, name: str) -> Branch:
        """The session of this name. Raises :class:`HarnessFailedError` if there is none."""
        if self.session is None:
            raise HarnessFailedError(
                f"{self.name} acts, but this environment has no session: act only where `interactive` is true"
            )
        found = self._branches.get(name)
        if found is None:
            there = ", ".join(self._branches)
            raise HarnessFailedError(f"{self.name}: no session is called {name!r}; there is: {there}")
        return found

    async def execute(self, action: dict[str, Any]) -> Any:
        """What a checked action brings; of ``all`` a list, in the order of its actions, when each has ended."""
        if "all" not in action:
            return await self._begin(action)
        # What each brought is kept before an error is raised: calls that were made are learnt from.
        answers = await self.together([self._begin(one) for one in action["all"]])
        for answer in answers:
            if isinstance(answer, BaseException):
                raise answer
        return answers

    async def close_branches(self) -> None:
        """End every session but the first, which whoever opened it ends."""
        for branch in self._branches.values():
            if branch.session is not self.session:
                await self._close(branch.session)

    def _begin(self, action: dict[str, Any]) -> Coroutine[Any, Any, Any]:
        """Start an action. Numbers are given here and not when it runs, so that they do not depend on the clock."""
        if "complete" in action:
            self._said.append({})
            self.asked = list(action["complete"])
            return self._complete(action, len(self._said))
        if "call" in action:
            self.tool_calls += 1
            return self._call(action)
        if "act" in action:
            self.latest = action["in"]
            self.tool_calls += len(action["act"].get("tool_calls") or [])  # the session's own tools
            return self._act(action)
        return self._fork(action["branch"], action["of"]) if "branch" in action else self._undo(action["undo"])

    async def _complete(self, action: dict[str, Any], number: int) -> dict[str, Any]:
        more = {"stop": action["stop"]} if action["stop"] else {}
        message = dict(await self.policy.complete(action["complete"], action["tools"], seed=self.seed + number, **more))
        self.truncated += message.pop("finish_reason", "") == "length"
        message.pop("usage", None)
        self._said[number - 1] = message
        return message

    async def _act(self, action: dict[str, Any]) -> dict[str, Any]:
        branch, message = self.branch(action["in"]), action["act"]
        stepped = await self.wait(lambda: branch.session.step(message))
        branch.steps.append((self._writer(message), stepped.get("rewards")))
        return stepped

    def _writer(self, message: Mapping[str, Any]) -> int:
        """The number of the completion that wrote ``message``: of several drafts not always the last.

        Where none wrote just this (a harness may change it), the last one.
        """
        said = [bool(one) and _words(one) == _words(message) for one in self._said]
        return next((number for number in range(len(said), 0, -1) if said[number - 1]), len(said))

    async def _fork(self, name: str, of: str) -> None:
        parent, before = self.branch(of), self._branches.get(name)
        if before is None and len(self._branches) > MOST_BRANCHES:
            raise HarnessFailedError(f"{self.name} has {MOST_BRANCHES} branches: name a new one like an old one")
        session = await self.wait(parent.session.branch)
        self._branches[name] = Branch(session, list(parent.steps))
        if before is not None and before.session is not self.session:
            await self._close(before.session)

    async def _undo(self, name: str) -> None:
        branch = self.branch(name)
        if not branch.steps:
            raise HarnessFailedError(f"{self.name} takes back a step of {name!r}, which has none")
        await self.wait(branch.session.undo)
        branch.steps.pop()

    async def _close(self, session: RunnerSession) -> None:
        with suppress(HubClientError):  # it may have died
            await self.wait(session.close)

    async def _call(self, action: dict[str, Any]) -> str:
        return await self.wait(lambda: self._call_now(str(action["call"]), action.get("arguments")))

    def _call_now(self, name: str, arguments: Any) -> str:
        """A tool's result as text. A mistake of the model's is reported to the model."""
        try:
            parsed = json.loads(arguments) if isinstance(arguments, str) else (arguments or {})
        except (ValueError, RecursionError):
            return "error: the arguments are not JSON"
        if not isinstance(parsed, dict):
            return "error: the arguments must be an object"
        owner = self.tools.get(name)
        try:
            if owner is not None:
                value = self.runner.call_tool(owner, name, parsed)
            elif self.session is not None:
                value = self._branches[MAIN].session.call_tool(name, parsed)
            else:
                return f"error: there is no tool {name!r}; there is: {', '.join(self.tools) or 'none'}"
        except HubUnreachableError:
            raise
        except HubClientError as error:
            return f"error: {words_of_fault(str(error))}"
        return value if isinstance(value, str) else json.dumps(value)


def _words(message: Mapping[str, Any]) -> tuple[Any, list[Any]]:
    """What a message says: its content, and the functions that it calls."""
    return message.get("content"), [one.get("function") for one in message.get("tool_calls") or []]
