"""Drives a model through an environment: a harness package says how, the host grants its wishes.

A harness is a generator in a box. It yields ``{"complete": messages, "tools": […]}``, ``{"call": name,
"arguments": {…}}`` or ``{"act": message}`` (a step of the environment's session). What comes back is the model's
message, the tool's result, or ``{"messages", "done"}``. It returns the whole conversation.
"""

import json
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

from hub_client.environments import Environment
from hub_client.errors import CheckFailedError, HubClientError, HubUnreachableError, NotLoggedInError
from hub_client.policies import ContextOverflowError, Policy
from hub_client.resolving import LoadedPackage
from hub_client.runner import Runner, RunnerSession
from schemas.task import Task
from schemas.tool import words_of_fault

MAX_WISHES = 200


@dataclass(frozen=True)
class Played:
    """One attempt: the conversation, the session's state at its end, and what it took."""

    messages: list[dict[str, Any]]
    state: dict[str, Any] | None = None
    completions: int = 0
    tool_calls: int = 0
    truncated: int = 0
    """Answers that were cut off at the limit of tokens."""
    overflow: str = ""
    """What the model's server said when the conversation no longer fitted; the attempt ended there."""


class HarnessFailedError(CheckFailedError):
    """The harness, a tool or the session broke: no result, and not the model's fault."""


@dataclass
class _Table:
    """What one attempt has at hand."""

    policy: Policy
    seed: int
    tools: Mapping[str, LoadedPackage]
    session: RunnerSession | None
    completions: int = 0
    tool_calls: int = 0
    truncated: int = 0
    asked: list[dict[str, Any]] = field(default_factory=list)
    """The conversation that the model was last asked to continue."""


class Harness:
    """A harness package, ready to run attempts. Thread-safe.

    ``tools`` are the packages that the harness itself names (a search loop brings its search), ``extra_tools`` those
    that somebody adds: the same loop with and without a tool are two harnesses, with two names.
    """

    def __init__(
        self,
        package: LoadedPackage,
        runner: Runner,
        extra_tools: Sequence[LoadedPackage] = (),
        tools: Sequence[LoadedPackage] = (),
    ) -> None:
        self.package = package
        self.name = " + ".join([package.package, *(tool.package for tool in extra_tools)])
        self.tool_packages = (*tools, *extra_tools)
        self._runner = runner
        self._schemas: dict[str, list[dict[str, Any]]] = {}

    @property
    def key(self) -> str:
        """Exact bytes of the loop and of its tools."""
        return " ".join([self.package.digest, *sorted(tool.digest for tool in self.tool_packages)])

    def play(self, environment: Environment, task: dict[str, Any], policy: Policy, *, seed: int) -> Played:
        """Run one attempt.

        Raises:
            HarnessFailedError: the harness or the session broke (the message is its traceback), or never ended.
            HubUnreachableError: the model did not answer.
            NotLoggedInError: its server wants a key.

        """
        try:
            return self._play(environment, task, policy, seed)
        except HarnessFailedError:
            raise
        except CheckFailedError as error:
            raise HarnessFailedError(f"{environment.package.reference} under {self.name}: {error}") from error

    def _play(self, environment: Environment, task: dict[str, Any], policy: Policy, seed: int) -> Played:
        public = Task.model_validate(task).public()
        schemas, owners = self._tools(environment)
        with ExitStack() as stack:
            session, messages = None, public.messages()
            if environment.manifest.session is not None:
                session = stack.enter_context(self._runner.session(environment.package, task, seed=seed))
                opened = session.reset()
                messages, schemas = opened["messages"], [*schemas, *opened.get("tools", [])]
            table = _Table(policy, seed, owners, session)
            given = {
                "task": public.model_dump(mode="json"),
                "messages": messages,
                "tools": schemas,
                "interactive": session is not None,
            }
            episode = stack.enter_context(self._runner.session(self.package, given, seed=seed))
            said = ""
            try:
                messages = self._grant_all(episode, table)["messages"]
            except ContextOverflowError as overflow:
                # What it could not say is an empty answer: leaving such attempts out would flatter small contexts.
                messages, said = [*table.asked, {"role": "assistant", "content": ""}], str(overflow)
            state = session.state() if session is not None else None
        return Played(messages, state, table.completions, table.tool_calls, table.truncated, said)

    def _tools(self, environment: Environment) -> tuple[list[dict[str, Any]], dict[str, LoadedPackage]]:
        """Schemas for the model, and whose tool each name is."""
        packages = [*environment.tool_packages, *self.tool_packages]
        if any("/" not in point for point in environment.manifest.tools):
            packages.insert(0, environment.package)
        schemas: list[dict[str, Any]] = []
        owners: dict[str, LoadedPackage] = {}
        for package in packages:
            if package.digest not in self._schemas:
                self._schemas[package.digest] = self._runner.tools(package)
            for schema in self._schemas[package.digest]:
                schemas.append(schema)
                owners[schema["function"]["name"]] = package
        return schemas, owners

    def _grant_all(self, episode: RunnerSession, table: _Table) -> dict[str, Any]:
        try:
            said = episode.reset()
            for _ in range(MAX_WISHES):
                if said["done"]:
                    outcome: dict[str, Any] = said["outcome"]
                    return outcome
                said = episode.step({"answer": self._grant(said["wish"], table)})
        except (HubUnreachableError, NotLoggedInError, ContextOverflowError):
            raise
        except HubClientError as error:
            raise HarnessFailedError(f"{self.name}: {error}") from error
        raise HarnessFailedError(f"{self.name} did not end within {MAX_WISHES} wishes")

    def _grant(self, wish: dict[str, Any], table: _Table) -> Any:
        if "complete" in wish:
            table.completions += 1
            table.asked = list(wish["complete"])
            seed = table.seed + table.completions
            message = dict(table.policy.complete(wish["complete"], wish.get("tools") or [], seed=seed))
            table.truncated += message.pop("finish_reason", "") == "length"
            return message
        if "call" in wish:
            table.tool_calls += 1
            return self._call(str(wish["call"]), wish.get("arguments"), table)
        if table.session is None:
            raise HarnessFailedError(f"{self.name} acts, but this environment has no session")
        return table.session.step(wish["act"])

    def _call(self, name: str, arguments: Any, table: _Table) -> str:
        """A tool's result as text. What the model did wrong is told to the model."""
        try:
            parsed = json.loads(arguments) if isinstance(arguments, str) else (arguments or {})
        except ValueError:
            return "error: the arguments are not JSON"
        if not isinstance(parsed, dict):
            return "error: the arguments must be an object"
        owner = table.tools.get(name)
        try:
            if owner is not None:
                value = self._runner.call_tool(owner, name, parsed)
            elif table.session is not None:
                value = table.session.call_tool(name, parsed)
            else:
                return f"error: there is no tool {name!r}; there is: {', '.join(table.tools) or 'none'}"
        except HubUnreachableError:
            raise
        except HubClientError as error:
            return f"error: {words_of_fault(str(error))}"
        return value if isinstance(value, str) else json.dumps(value)
