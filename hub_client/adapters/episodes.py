"""One attempt at one task, turn by turn, for any framework that drives the model."""

import asyncio
import json
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Any

from hub_client.adapters.batcher import judge_together
from hub_client.environments import Environment, EnvironmentSession, Verifier
from hub_client.errors import CheckFailedError, HubClientError, UsageError
from schemas.task import Task
from schemas.tool import words_of_fault
from schemas.verdict import ErrorKind, ScoreRequest, Verdict


@dataclass(frozen=True)
class Turn:
    """The environment's turn: messages for the model, function schemas of tools, and whether the episode is over."""

    messages: list[dict[str, Any]]
    tools: list[dict[str, Any]]
    done: bool


class Episode:
    """``start``, then ``say`` until a turn is done, then ``verdict``; ``close`` in any case.

    A single-turn environment is done after one message. Calls of tools that the session offers are passed to the
    session in the message, as by a harness. Calls of the package's other tools are answered here. Tools that are
    packages of their own need a harness.
    """

    def __init__(self, env: Environment, task: dict[str, Any], *, seed: int = 0) -> None:
        self.env, self.task = env, task
        self.conversation: list[dict[str, Any]] = []
        """All messages so far, including the prompt."""
        self.steps = 0
        self._seed = seed
        self._stack = AsyncExitStack()
        self._session: EnvironmentSession | None = None
        self._offered: set[str] = set()
        """Names of the tools that the session itself answers."""
        self._rewards: dict[str, float | None] | None = None
        self._is_done = False

    async def start(self) -> Turn:
        """The first messages. Raises what opening a session raises."""
        messages = Task.model_validate(self.task).messages()
        tools: list[dict[str, Any]] = []
        if self.env.manifest.session is not None:
            self._session = await self._stack.enter_async_context(self.env.session(self.task, self._seed))
            opened = await self._session.reset()
            messages, tools = opened["messages"], opened.get("tools") or []
            self._offered = _names(tools)
        self.conversation = list(messages)
        return Turn(messages, tools, done=False)

    async def say(self, message: dict[str, Any]) -> Turn:
        """Take the model's message. Raises UsageError after the end, and what a broken session raises."""
        if self._is_done:
            raise UsageError("this episode is over: start another one")
        self.conversation.append(message)
        self.steps += 1
        if self._session is None:
            self._is_done = True
            return Turn([], [], done=True)
        calls = message.get("tool_calls") or []
        own = [call for call in calls if _name(call) in self._offered]
        answers = [await self._call(self._session, call) for call in calls if call not in own]
        self.conversation += answers
        if answers and not own:
            return Turn(answers, [], done=False)
        stepped = await self._session.step({**message, "tool_calls": own} if calls else message)
        self.conversation += stepped["messages"]
        tools = stepped.get("tools") or []
        self._offered |= _names(tools)
        self._rewards = stepped.get("rewards") or self._rewards
        self._is_done = bool(stepped["done"])
        return Turn([*answers, *stepped["messages"]], tools, done=self._is_done)

    async def verdict(self) -> Verdict:
        """The verifier's verdict. Without a verifier, the rewards of the session's last step are used."""
        names = list(self.env.rewards)
        if self.env.judge.contents.manifest.verifier is None:
            if self._rewards is None:
                return Verdict.unjudged(names, ErrorKind.VERIFIER_FAILED, "the session ended without rewards")
            return Verdict(rewards={name: self._rewards.get(name) for name in names})
        return await judge_record(self.env, self.task, await self.record())

    async def record(self) -> dict[str, Any]:
        """JSON that :func:`judge_record` can judge, now or later from a log."""
        if self._session is None:
            return {"response": self._last_words()}
        if self.env.judge.contents.manifest.verifier is None:
            return {"verdict": (await self.verdict()).model_dump(mode="json")}
        return {"messages": self.conversation, "state": await self._session.state()}

    async def close(self) -> None:
        """End the session's process. Harmless to call twice."""
        self._is_done = True
        await self._stack.aclose()

    def _last_words(self) -> str:
        spoken = [message.get("content") for message in self.conversation if message.get("role") == "assistant"]
        return spoken[-1] if spoken and isinstance(spoken[-1], str) else ""

    async def _call(self, session: EnvironmentSession, call: dict[str, Any]) -> dict[str, Any]:
        """The tool's answer as a message. If the model made a mistake, the message is an error for the model."""
        try:
            arguments = (call.get("function") or {}).get("arguments") or {}
            parsed = json.loads(arguments) if isinstance(arguments, str) else arguments
            value = await session.call_tool(_name(call), parsed)
            text = value if isinstance(value, str) else json.dumps(value)
        except (ValueError, RecursionError):
            text = "error: the arguments are not JSON"
        except HubClientError as error:
            text = f"error: {words_of_fault(str(error)) or type(error).__name__}"
        return {"role": "tool", "tool_call_id": str(call.get("id") or ""), "content": text}


def _name(call: dict[str, Any]) -> str:
    return str((call.get("function") or {}).get("name"))


def _names(tools: list[dict[str, Any]]) -> set[str]:
    return {str((tool.get("function") or {}).get("name")) for tool in tools}


async def judge_record(env: Verifier, task: dict[str, Any], record: dict[str, Any]) -> Verdict:
    """The verdict on a result of :meth:`Episode.record`, or on ``{"response": text}``.

    A session is judged by its state. Where a framework has only a text of it, because the session broke or a limit
    ended it before its first turn, nothing was judged: most verifiers would call that text wrong.
    """
    if "verdict" in record:
        return Verdict.model_validate(record["verdict"])
    if set(record) == {"response"} and env.manifest.session is not None:
        why = "a session is judged by its state, and there is only a text: no turn of it was played"
        return Verdict.unjudged(list(env.rewards), ErrorKind.VERIFIER_FAILED, why)
    if set(record) == {"response"}:
        return await judge_together(env, (task, record["response"]))
    return await asyncio.to_thread(env.score_call, ScoreRequest(id="0", task=task, **record))


def sum_or_raise(verdict: Verdict, env: Environment) -> float:
    """The declared weighted sum, for frameworks that take one number and cannot express "not judged".

    Raises CheckFailedError if there is no sum. Such a rollout must be dropped; it does not count as 0.
    """
    total = verdict.weighted_sum(env.rewards)
    if total is None:
        why = verdict.error.message if verdict.error else "no reward was judged"
        raise CheckFailedError(f"{env.package.reference} gave no verdict: {why}")
    return total
