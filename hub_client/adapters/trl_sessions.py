"""Environments with several turns for TRL's GRPO: one session for each rollout, one function for each reward.

::

    from datasets import Dataset
    from hub_client import Hub
    from hub_client.adapters.trl import reward_weights
    from hub_client.adapters.trl_sessions import environment_factory, reward_functions, session_rows
    from trl import GRPOConfig, GRPOTrainer

    hub = Hub()
    env = hub.environment("lecture/wordle")
    trainer = GRPOTrainer(
        model="…",
        environment_factory=environment_factory(env),
        reward_funcs=reward_functions(env),
        train_dataset=Dataset.from_list(session_rows(env, "train", limit=1000)),
        args=GRPOConfig(reward_weights=reward_weights(env)),
    )

In TRL a model acts by tools. A session's own tools become methods of the environment, and the method ``say`` sends text
to a session that takes text. A message without a call ends TRL's rollout: it is sent to the session, and then the
episode is judged. If a session fails, there is no verdict: its rewards are None, which TRL leaves out of the group.
"""

import inspect
import json
from collections.abc import Callable, Sequence
from typing import Any

from hub_client.adapters.blocking_episode import BlockingEpisode, words_of
from hub_client.adapters.trl import TASK_COLUMN, Completion, RewardFunction, values_for_trl
from hub_client.environments import Environment
from hub_client.errors import HubClientError, UsageError
from schemas.verdict import ErrorKind, Verdict

_TYPES: dict[str, Any] = {
    "string": str, "integer": int, "number": float, "boolean": bool, "array": list, "object": dict,
}  # fmt: skip
"""JSON Schema's types -> Python's, from which TRL makes a schema again."""
OVER = "The episode is over."


def session_rows(
    env: Environment, split: str = "train", *, seed: int = 0, start: int = 0, limit: int | None = None
) -> list[dict[str, Any]]:
    """Rows for ``Dataset.from_list``. The prompt is an empty user message, to which TRL adds the session's first text.

    Raises UsageError for a generated split without ``limit``: its tasks have no end.
    """
    rows = env.task_list(split, seed=seed, start=start, limit=limit)
    return [{"prompt": [{"role": "user", "content": ""}], TASK_COLUMN: json.dumps(row, sort_keys=True)} for row in rows]


def environment_factory(env: Environment, *, seed: int = 0) -> Callable[[], "SessionRollout"]:
    """For ``GRPOTrainer(environment_factory=…)``. Opens one session at once, to find out which tools there are.

    Raises UsageError if the environment has no session, or a tool has a name that is not possible for a method.
    """
    if env.manifest.session is None:
        raise UsageError(f"{env.package.reference} has no session: hub_client.adapters.trl has its reward functions")
    first = BlockingEpisode(env, env.task_list(next(iter(env.manifest.tasks)), limit=1)[0], seed=seed)
    try:
        tools = [tool["function"] for tool in first.start().tools]
    finally:
        first.close()
    for tool in tools:
        if not tool["name"].isidentifier() or tool["name"].startswith("_") or tool["name"] in _TAKEN:
            raise UsageError(f"TRL takes tools as methods, and none can be called {tool['name']!r}")
    kind = type("HubRollout", (SessionRollout,), {tool["name"]: _method(tool) for tool in tools})
    return lambda: kind(env, seed)


def reward_functions(env: Environment) -> list[RewardFunction]:
    """One function for each declared reward, in the order of the declaration; each episode is judged once."""
    return [_Component(env, name) for name in env.rewards]


class SessionRollout:
    """The session of one rollout. The model can call every public method except ``reset``."""

    def __init__(self, env: Environment, seed: int) -> None:
        self._env, self._seed = env, seed
        self._episode: BlockingEpisode | None = None
        self._verdict: Verdict | None = None
        self._is_over = True

    def reset(self, **columns: Any) -> str:
        """Open a session on the row's task, after closing the previous one. Returns its first text."""
        if self._episode is not None:
            self._episode.close()
        if TASK_COLUMN not in columns:
            raise UsageError(f"the dataset has no column {TASK_COLUMN!r}: make its rows with session_rows(env)")
        self._episode = BlockingEpisode(self._env, json.loads(columns[TASK_COLUMN]), seed=self._seed)
        self._verdict, self._is_over = None, False
        try:
            return words_of(self._episode.start().messages)
        except HubClientError as error:
            return self._break(error)

    def say(self, message: str) -> str:
        """Say something to the environment, and read its answer.

        Args:
            message: What to say.

        """
        return self._send({"role": "assistant", "content": message})

    def _send(self, message: dict[str, Any]) -> str:
        """Send the model's message to the session; returns its answer. After the end of the episode this does
        nothing.
        """
        if self._episode is None or self._is_over:
            return OVER
        try:
            turn = self._episode.say(message)
        except HubClientError as error:
            return self._break(error)
        self._is_over = turn.done
        return words_of(turn.messages) or (OVER if turn.done else "")

    def _judged(self, completion: Completion) -> Verdict:
        """Send the model's last text, end the session, and return the verdict."""
        if self._verdict is None and self._episode is not None:
            last = _last_text(completion)
            if last:
                self._send({"role": "assistant", "content": last})
        if self._verdict is None:
            self._verdict = self._ask()
        return self._verdict

    def _ask(self) -> Verdict:
        if self._episode is None:
            return Verdict.unjudged(list(self._env.rewards), ErrorKind.VERIFIER_FAILED, "no episode has begun")
        try:
            return self._episode.verdict()
        except HubClientError as error:
            return Verdict.unjudged(list(self._env.rewards), ErrorKind.VERIFIER_FAILED, str(error))
        finally:
            self._is_over = True
            self._episode.close()

    def _break(self, error: HubClientError) -> str:
        """Record that the session failed: it has no verdict, whatever was played before."""
        self._verdict = Verdict.unjudged(list(self._env.rewards), ErrorKind.VERIFIER_FAILED, str(error))
        self._is_over = True
        return OVER


_TAKEN = {"reset", "get_reward"}


def _method(tool: dict[str, Any]) -> Callable[..., str]:
    """A session's tool as a method, with the signature and the docstring from which TRL makes a schema again."""
    name, schema = tool["name"], tool.get("parameters") or {}
    properties, required = schema.get("properties") or {}, schema.get("required") or []

    def call(self: SessionRollout, **arguments: Any) -> str:
        given = {key: value for key, value in arguments.items() if value is not None or key in required}
        function = {"name": name, "arguments": json.dumps(given)}
        message = {
            "role": "assistant",
            "content": "",
            "tool_calls": [{"id": "0", "type": "function", "function": function}],
        }
        return self._send(message)

    parameters = [inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)]
    for key in sorted(properties, key=lambda key: key not in required):
        kind = _TYPES.get(str(properties[key].get("type")), str)
        default = inspect.Parameter.empty if key in required else None
        keyword = inspect.Parameter.POSITIONAL_OR_KEYWORD
        parameters.append(inspect.Parameter(key, keyword, default=default, annotation=kind))
        call.__annotations__[key] = kind
    del call.__annotations__["arguments"], call.__annotations__["self"]
    lines = [f"    {key}: {_described(properties[key], key)}" for key in properties]
    arguments = "\n\nArgs:\n" + "\n".join(lines) if lines else ""
    call.__name__, call.__doc__ = name, f"{tool.get('description') or name}{arguments}"
    call.__signature__ = inspect.Signature(parameters, return_annotation=str)  # type: ignore[attr-defined]
    return call


def _described(schema: dict[str, Any], name: str) -> str:
    """One line; TRL's schema has no place for the values that are allowed, so they are named."""
    allowed = f" One of: {', '.join(map(str, schema['enum']))}." if schema.get("enum") else ""
    return " ".join(f"{schema.get('description') or name}{allowed}".split())


def _last_text(completion: Completion) -> str:
    """The model's last text, unless its last message was a tool call."""
    if isinstance(completion, str):
        return completion
    last = completion[-1] if completion else {}
    content = last.get("content")
    is_text = last.get("role") == "assistant" and not last.get("tool_calls") and isinstance(content, str)
    return str(content) if is_text else ""


class _Component:
    """One reward of the vector, as TRL's reward function."""

    def __init__(self, env: Environment, name: str) -> None:
        self.__name__ = name
        self._env = env

    def __call__(self, *, completions: Sequence[Completion], **columns: Any) -> list[float | None]:
        """One value for each rollout; None if it could not be judged, or if a score of it could not."""
        rollouts = columns.get("environments")
        if rollouts is None:
            raise UsageError(
                "these rewards judge sessions: give GRPOTrainer environment_factory=environment_factory(env)"
            )
        pairs = zip(rollouts, completions, strict=True)
        verdicts = [rollout._judged(completion) for rollout, completion in pairs]  # noqa: SLF001 -- the model sees public ones
        return [values_for_trl(self._env, verdict.rewards)[self.__name__] for verdict in verdicts]
