"""An environment of the hub as an OpenEnv server: ``verihub openenv TARGET``, or ``make_app(env)`` in a program.

OpenEnv's own classes serve it (``pip install -e '.[openenv]'``), so its clients find what they know: ``/ws`` with
reset, step and state, ``/health``, ``/metadata``, ``/schema``. An action is the model's message; an observation holds
the messages for the model, and at the end the whole vector in ``reward_components``, because OpenEnv carries one
reward a step and strips metadata. ``reward`` is the weighted sum, and null, never 0, for what could not be judged.

::

    async with GenericEnvClient(base_url="http://127.0.0.1:8000") as client:
        start = await client.reset(split="test", index=3)
        end = await client.step({"content": "50 cents"})
        print(end.reward, end.observation["reward_components"], end.observation["error"])
"""

import asyncio
import itertools
import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from openenv.core.env_server import Action, Observation, State, create_app
from openenv.core.env_server import Environment as OpenEnvironment
from openenv.core.env_server.types import EnvironmentMetadata
from pydantic import Field

from hub_client.adapters.episodes import Episode, Turn
from hub_client.environments import Environment
from hub_client.errors import NotFoundError, UsageError
from schemas.verdict import Verdict

DEFAULT_SESSIONS = 64


class ModelMessage(Action):  # type: ignore[misc]  # OpenEnv has no types for mypy
    """What the model says: text, calls of the session's tools, or both."""

    content: str = ""
    tool_calls: list[dict[str, Any]] = Field(default_factory=list)

    def as_message(self) -> dict[str, Any]:
        """As a chat message."""
        calls = {"tool_calls": self.tool_calls} if self.tool_calls else {}
        return {"role": "assistant", "content": self.content, **calls}


class TurnObservation(Observation):  # type: ignore[misc]
    """What the environment says, and at the end the verdict."""

    messages: list[dict[str, Any]] = Field(default_factory=list)
    tools: list[dict[str, Any]] = Field(default_factory=list)
    task_id: str = ""
    reward_components: dict[str, float | None] = Field(default_factory=dict)
    """Every declared reward by name, at the end; null = could not be judged."""
    info: dict[str, Any] = Field(default_factory=dict)
    error: dict[str, str] | None = None
    """Why a reward could not be judged: ``kind`` and ``message``."""


class EpisodeState(State):  # type: ignore[misc]
    """The state of the episode, without the answer."""

    package: str = ""
    digest: str = ""
    task_id: str = ""
    split: str = ""
    is_done: bool = False


class HubEnvironment(OpenEnvironment):  # type: ignore[misc]
    """One client's episodes. ``next_index`` returns the number of the next task if the client does not choose one."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self, env: Environment, next_index: Callable[[], int], split: str) -> None:
        super().__init__()
        self._env, self._next_index, self._split = env, next_index, split
        self._episode: Episode | None = None
        self._state = EpisodeState(package=env.package.package, digest=env.digest)

    async def reset_async(
        self,
        seed: int | None = None,
        episode_id: str | None = None,
        split: str | None = None,
        index: int | None = None,
        **_: Any,
    ) -> TurnObservation:
        """Begin. ``split`` and ``index`` choose the task; ``seed`` is that of a generated split and of the session."""
        await self._end()
        wanted = split or self._split
        task = await asyncio.to_thread(self._task, wanted, seed or 0, index)
        self._episode = Episode(self._env, task, seed=seed or 0)
        self._state = EpisodeState(
            episode_id=episode_id or uuid.uuid4().hex,
            package=self._env.package.package,
            digest=self._env.digest,
            task_id=task["id"],
            split=wanted,
        )
        return self._seen(await self._episode.start())

    async def step_async(self, action: ModelMessage, timeout_s: float | None = None, **_: Any) -> TurnObservation:
        """Take the model's message. Limits are those of the package's manifest, so ``timeout_s`` changes nothing."""
        del timeout_s
        if self._episode is None:
            raise UsageError("reset first: no episode has begun")
        turn = await self._episode.say(action.as_message())
        self._state.step_count += 1
        if not turn.done:
            return self._seen(turn)
        verdict = await self._episode.verdict()
        self._state.is_done = True
        await self._episode.close()
        return self._judged(turn, verdict)

    def reset(self, seed: int | None = None, episode_id: str | None = None, **choice: Any) -> TurnObservation:
        """For OpenEnv's stateless HTTP route."""
        return asyncio.run(self.reset_async(seed, episode_id, **choice))

    def step(self, action: ModelMessage, timeout_s: float | None = None, **_: Any) -> TurnObservation:
        """Refused, since there is no episode on OpenEnv's stateless HTTP route. The error says what to use instead."""
        return asyncio.run(self.step_async(action, timeout_s))

    @property
    def state(self) -> EpisodeState:
        """The current state of the episode."""
        return self._state

    def get_metadata(self) -> EnvironmentMetadata:
        """The package's own name, description and version."""
        contents = self._env.package.contents
        return EnvironmentMetadata(
            name=self._env.package.package,
            description=contents.metadata.summary,
            readme_content=contents.metadata.readme,
            version=self._env.version,
            author=self._env.package.package.partition("/")[0],
        )

    def close(self) -> None:
        """End a session that was left. OpenEnv calls this both inside and outside its event loop."""
        if self._episode is not None:
            with ThreadPoolExecutor(1) as thread:
                thread.submit(asyncio.run, self._end()).result()

    async def _end(self) -> None:
        if self._episode is not None:
            await self._episode.close()
            self._episode = None

    def _task(self, split: str, seed: int, index: int | None) -> dict[str, Any]:
        """The task with that index. Without an index: the next task, starting again after the last. Blocks."""
        start = self._next_index() if index is None else index
        found = next(iter(self._env.tasks(split, seed=seed, start=start, limit=1)), None)
        if found is None and index is None:
            rows = list(self._env.tasks(split, seed=seed, limit=start))
            found = rows[start % len(rows)] if rows else None
        if found is None:
            raise NotFoundError(f"{self._env.package.reference} has no task {start} in its split {split!r}")
        return found

    def _seen(self, turn: Turn) -> TurnObservation:
        return TurnObservation(messages=turn.messages, tools=turn.tools, task_id=self._state.task_id, done=turn.done)

    def _judged(self, turn: Turn, verdict: Verdict) -> TurnObservation:
        error = verdict.error
        return TurnObservation(
            messages=turn.messages,
            task_id=self._state.task_id,
            done=True,
            reward=verdict.weighted_sum(self._env.rewards),
            reward_components=dict(verdict.rewards),
            info=verdict.info,
            error=None if error is None else {"kind": error.kind.value, "message": error.message},
        )


def make_app(env: Environment, *, split: str | None = None, sessions: int = DEFAULT_SESSIONS) -> Any:
    """The ASGI application. Clients that choose no task get one after another of ``split`` (default: the first)."""
    first = split or next(iter(env.manifest.tasks))
    if first not in env.manifest.tasks:
        raise NotFoundError(f"{env.package.reference} has no split {first!r}; it has {', '.join(env.manifest.tasks)}")
    numbers = itertools.count()
    return create_app(
        lambda: HubEnvironment(env, numbers.__next__, first),
        ModelMessage,
        TurnObservation,
        env_name=env.package.package,
        max_concurrent_envs=sessions,
    )
