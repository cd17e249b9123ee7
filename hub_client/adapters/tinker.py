"""An environment of the hub for tinker-cookbook, message by message, of one turn or several.

::

    from tinker_cookbook.rl.message_env import EnvFromMessageEnv
    from hub_client.adapters.tinker import HubMessageEnv

    task = next(iter(hub.environment("lecture/wordle@1.2.1").tasks("train")))
    env = EnvFromMessageEnv(renderer, HubMessageEnv(hub.environment("lecture/wordle@1.2.1"), task))

The reward of the last step is the declared weighted sum, 0 behind a closed gate; every reward that was judged is a
metric under its name. tinker-cookbook has no missing rewards. So an unjudged episode raises, and the rollout strategies
drop or repeat it. It is not a 0.
"""

from typing import Any

from tinker_cookbook.rl.message_env import MessageEnv, MessageStepResult

from hub_client.adapters.episodes import Episode, sum_or_raise
from hub_client.adapters.tool_text import called_in, told_of
from hub_client.environments import Environment


class HubMessageEnv(MessageEnv):  # type: ignore[misc]  # tinker-cookbook's own types are not looked at
    """One episode at one task."""

    def __init__(self, env: Environment, task: dict[str, Any], *, seed: int = 0, max_turns: int = 200) -> None:
        self._env, self._max_turns = env, max_turns
        self._episode = Episode(env, task, seed=seed)
        self.example_id = f"{env.package.package}/{task['id']}"
        """tinker-cookbook stores trajectories under it."""
        self._seen: list[Any] = []

    async def initial_observation(self) -> list[Any]:
        """The task's first messages. If there are tools, a message that describes them comes first."""
        turn = await self._episode.start()
        self._seen = [*told_of(turn.tools), *turn.messages]
        return list(self._seen)

    async def step(self, message: Any) -> MessageStepResult:
        """Take the model's message; the whole conversation so far is what it sees next."""
        turn = await self._episode.say(_plain(message))
        self._seen += [message, *turn.messages]
        if not turn.done and self._episode.steps < self._max_turns:
            return MessageStepResult(reward=0.0, episode_done=False, next_messages=list(self._seen))
        verdict = await self._episode.verdict()
        await self._episode.close()
        reward = sum_or_raise(verdict, self._env)
        metrics = {name: value for name, value in verdict.rewards.items() if value is not None}
        return MessageStepResult(reward=reward, episode_done=True, next_messages=list(self._seen), metrics=metrics)


def _plain(message: Any) -> dict[str, Any]:
    """A message of tinker-cookbook in OpenAI's form: text parts joined, tool calls as dictionaries."""
    content = message.get("content") or ""
    if not isinstance(content, str):
        content = "".join(part.get("text", "") for part in content if part.get("type") == "text")
    calls = message.get("tool_calls") or []
    if not calls:
        return called_in(content)
    read = [call if isinstance(call, dict) else call.model_dump(mode="json") for call in calls]
    return {"role": "assistant", "content": content, "tool_calls": read}
