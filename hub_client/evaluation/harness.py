"""Drives a model through an environment: a harness yields actions, and this module executes them.

A harness is a generator; that of a package runs in a box. It yields actions (``harness_actions.py`` has them all), gets
what each brought, and returns ``{"messages": the conversation}``. ``attempt.py`` executes the actions.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import wait as wait_for
from contextlib import AbstractContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Protocol

from hub_client.environments import Environment
from hub_client.errors import (
    CheckFailedError,
    HubClientError,
    HubUnreachableError,
    NotLoggedInError,
    SessionLostError,
)
from hub_client.evaluation.attempt import (
    AsyncPolicy,
    HarnessAttempt,
    HarnessFailedError,
    HarnessLostError,
    Result,
    Together,
    Waiting,
)
from hub_client.evaluation.harness_actions import MAIN, checked_action, checked_outcome
from hub_client.execution.runner import Runner
from hub_client.releases.resolve import LoadedPackage
from hub_client.transport.chat_endpoint import ContextOverflowError, Policy
from schemas.task import Task

MAX_ACTIONS = 200  # chosen, not measured
_THREADS = 32
"""How many questions of one attempt are asked at once, where each blocks a thread."""


@dataclass(frozen=True)
class Transcript:
    """One attempt: the conversation, the session's final state, and its cost."""

    messages: list[dict[str, Any]]
    state: dict[str, Any] | None = None
    completions: int = 0
    tool_calls: int = 0
    truncated: int = 0
    """Number of answers that were cut off at the token limit."""
    overflow: str = ""
    """The model server's message when the conversation no longer fitted. The attempt ended there."""
    step_rewards: list[tuple[int, dict[str, float | None]]] = field(default_factory=list)
    """For sessions that judge single steps: the number of the completion that a step took, and its rewards. Of the
    session that is judged, without steps that were taken back."""


class HarnessEpisode(Protocol):
    """A running harness: gives its first action, then the next after each answer, until it is done."""

    def reset(self) -> dict[str, Any]:
        """``{"done": False, "action": …}``, or ``{"done": True, "outcome": …}``."""
        ...

    def step(self, message: dict[str, Any]) -> dict[str, Any]:
        """The same, after ``{"answer": what the last action brought}``."""
        ...


class Loop(Protocol):
    """The code that decides what to do next: a harness package, or the built-in loop."""

    @property
    def name(self) -> str: ...

    @property
    def blocks(self) -> bool:
        """Whether a step of the loop blocks for long: true for a box, false for a generator in this process."""
        ...

    @property
    def version(self) -> str: ...

    @property
    def key(self) -> str:
        """Identifies this loop: the digest of its bytes."""
        ...

    @property
    def package(self) -> LoadedPackage | None:
        """The package that it comes from; None for the built-in loop."""
        ...

    def begin(self, given: dict[str, Any], seed: int) -> AbstractContextManager[HarnessEpisode]:
        """The loop for one attempt. ``given``: task, messages, tools, session_tools, interactive."""
        ...


@dataclass(frozen=True)
class PackagedLoop:
    """The loop of a harness package, in a box for each attempt."""

    package: LoadedPackage
    runner: Runner
    blocks = True

    @property
    def name(self) -> str:
        """``owner/name``."""
        return self.package.package

    @property
    def version(self) -> str:
        """Its release."""
        return self.package.version

    @property
    def key(self) -> str:
        """Its digest."""
        return self.package.digest

    def begin(self, given: dict[str, Any], seed: int) -> AbstractContextManager[HarnessEpisode]:
        """See :class:`Loop`."""
        return self.runner.session(self.package, given, seed=seed)


class Harness:
    """A loop with its tools, ready to run attempts. Thread-safe.

    ``tools`` are the packages that the harness itself names (a search loop brings its search). ``extra_tools`` are
    those that a user adds. The same loop with and without a tool counts as two harnesses with two names.
    """

    def __init__(
        self,
        loop: Loop,
        runner: Runner,
        extra_tools: Sequence[LoadedPackage] = (),
        tools: Sequence[LoadedPackage] = (),
    ) -> None:
        self.loop = loop
        self.name = " + ".join([loop.name, *(tool.package for tool in extra_tools)])
        self.tool_packages = (*tools, *extra_tools)
        self._runner = runner
        self._schemas: dict[str, list[dict[str, Any]]] = {}

    @property
    def key(self) -> str:
        """Digest over the exact bytes of the loop and its tools."""
        return " ".join([self.loop.key, *sorted(tool.digest for tool in self.tool_packages)])

    @property
    def packages(self) -> list[LoadedPackage]:
        """Every package that it brings."""
        return [*([self.loop.package] if self.loop.package is not None else []), *self.tool_packages]

    def play(self, environment: Environment, task: dict[str, Any], policy: Policy, *, seed: int) -> Transcript:
        """Run one attempt.

        Raises:
            HarnessFailedError: the harness or the session broke (the message is its traceback), or never ended.
            HubUnreachableError: the model did not answer.
            NotLoggedInError: its server wants a key.

        """
        return _run_without_waiting(self._played(environment, task, _Blocking(policy), seed, _at_once, _on_threads))

    async def play_async(
        self, environment: Environment, task: dict[str, Any], policy: AsyncPolicy, *, seed: int, wait: Waiting
    ) -> Transcript:
        """Like :meth:`play`, for many attempts at once. ``wait`` runs blocking work on other threads."""
        return await self._played(environment, task, policy, seed, wait, _in_loop)

    async def _played(
        self,
        environment: Environment,
        task: dict[str, Any],
        policy: AsyncPolicy,
        seed: int,
        wait: Waiting,
        together: Together,
    ) -> Transcript:
        try:
            return await self._play(environment, task, policy, seed, wait, together)
        except HarnessFailedError:
            raise
        except (CheckFailedError, SessionLostError) as error:
            kind = HarnessLostError if isinstance(error, SessionLostError) else HarnessFailedError
            raise kind(f"{environment.package.reference} under {self.name}: {error}") from error

    async def _play(
        self,
        environment: Environment,
        task: dict[str, Any],
        policy: AsyncPolicy,
        seed: int,
        wait: Waiting,
        together: Together,
    ) -> Transcript:
        public = Task.model_validate(task).public()
        schemas, owners = await self._tools(environment, wait)
        async with AsyncExitStack() as stack:
            session, messages = None, public.messages()
            session_tools: list[dict[str, Any]] = []
            if environment.manifest.session is not None:
                session = await stack.enter_async_context(
                    _entered(lambda: self._runner.session(environment.package, task, seed=seed), wait)
                )
                opened = await wait(session.reset)
                messages, session_tools = opened["messages"], opened.get("tools") or []
            attempt = HarnessAttempt(self.name, policy, seed, wait, together, self._runner, owners, session)
            stack.push_async_callback(attempt.close_branches)
            given = {
                "task": public.model_dump(mode="json"),
                "messages": messages,
                "tools": [*schemas, *session_tools],
                "session_tools": session_tools,
                "interactive": session is not None,
            }
            ask_loop = wait if self.loop.blocks else _at_once
            episode = await stack.enter_async_context(_entered(lambda: self.loop.begin(given, seed), ask_loop))
            overflow_text = ""
            try:
                outcome = await self._execute_all(episode, attempt, ask_loop)
                messages, judged = outcome["messages"], outcome["in"]
            except ContextOverflowError as overflow:
                # A truncated answer counts as an empty one. Leaving such attempts out would favour models with small
                # contexts.
                messages, overflow_text = [*attempt.asked, {"role": "assistant", "content": ""}], str(overflow)
                judged = attempt.latest
            branch = attempt.branch(judged) if session is not None or judged != MAIN else None
            state = await wait(branch.session.state) if branch is not None else None
        return Transcript(
            messages,
            state,
            attempt.completions,
            attempt.tool_calls,
            attempt.truncated,
            overflow_text,
            branch.step_rewards if branch is not None else [],
        )

    async def _tools(
        self, environment: Environment, wait: Waiting
    ) -> tuple[list[dict[str, Any]], dict[str, LoadedPackage]]:
        """Function schemas for the model, and which package each tool name belongs to."""
        packages = [*environment.tool_packages, *self.tool_packages]
        if environment.manifest.own_tools:
            packages.insert(0, environment.package)
        schemas: list[dict[str, Any]] = []
        owners: dict[str, LoadedPackage] = {}
        for package in packages:
            if package.digest not in self._schemas:
                self._schemas[package.digest] = await wait(lambda package=package: self._runner.tools(package))  # type: ignore[misc]
            for schema in self._schemas[package.digest]:
                schemas.append(schema)
                owners[schema["function"]["name"]] = package
        return schemas, owners

    async def _execute_all(self, episode: HarnessEpisode, attempt: HarnessAttempt, ask_loop: Waiting) -> dict[str, Any]:
        try:
            said = await ask_loop(episode.reset)
            count = 0
            while not said["done"]:
                action = checked_action(said["action"])
                count += len(action.get("all", [action]))
                if count > MAX_ACTIONS:
                    raise HarnessFailedError(f"{self.name} did not end within {MAX_ACTIONS} actions")
                answer = {"answer": await attempt.execute(action)}
                said = await ask_loop(lambda answer=answer: episode.step(answer))  # type: ignore[misc]
            outcome = checked_outcome(said["outcome"])
            if outcome["in"] != MAIN:
                attempt.branch(outcome["in"])  # there is one of that name
        except (HubUnreachableError, NotLoggedInError, ContextOverflowError, HarnessFailedError):
            raise
        except SessionLostError as error:
            raise HarnessLostError(f"{self.name}: {error}") from error
        except HubClientError as error:
            raise HarnessFailedError(f"{self.name}: {error}") from error
        return outcome


@dataclass(frozen=True)
class _Blocking:
    """Makes a blocking policy awaitable."""

    policy: Policy

    async def complete(
        self,
        messages: Sequence[dict[str, Any]],
        tools: Sequence[dict[str, Any]],
        *,
        seed: int,
        stop: Sequence[str] = (),
    ) -> dict[str, Any]:
        if not stop:  # a policy of somebody else's may not know of it
            return self.policy.complete(messages, tools, seed=seed)
        return self.policy.complete(messages, tools, seed=seed, stop=stop)


async def _at_once(blocking: Callable[[], Result]) -> Result:
    return blocking()


async def _in_loop(answers: Sequence[Coroutine[Any, Any, Result]]) -> list[Result | BaseException]:
    return await asyncio.gather(*answers, return_exceptions=True)


async def _on_threads(answers: Sequence[Coroutine[Any, Any, Result]]) -> list[Result | BaseException]:
    with ThreadPoolExecutor(min(len(answers), _THREADS), "verihub-harness") as threads:
        running = [threads.submit(_run_without_waiting, answer) for answer in answers]
        wait_for(running)
    return [one.exception() or one.result() for one in running]


def _run_without_waiting(coroutine: Coroutine[Any, Any, Result]) -> Result:
    """Run a coroutine that never waits in this thread. A single attempt needs no event loop."""
    try:
        coroutine.send(None)
    except StopIteration as end:
        result: Result = end.value
        return result
    raise RuntimeError("an attempt that runs at once had to wait")


@asynccontextmanager
async def _entered(open_one: Callable[[], AbstractContextManager[Result]], wait: Waiting) -> AsyncIterator[Result]:
    """Wraps a context manager whose start and end may block."""
    manager = await wait(open_one)
    value = await wait(manager.__enter__)
    try:
        yield value
    except BaseException as error:
        await wait(partial(manager.__exit__, type(error), error, error.__traceback__))
        raise
    else:
        await wait(lambda: manager.__exit__(None, None, None))
