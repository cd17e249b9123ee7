"""An environment of the hub for SkyRL-Gym, of one turn or several.

Register it under a name, and give each row of the data set that name and the task::

    from skyrl_gym.envs.registration import register
    from hub_client.adapters.skyrl_gym import dataset_rows

    register(id="verihub", entry_point="hub_client.adapters.skyrl_gym:HubTextEnv")
    rows = dataset_rows(hub.environment("lecture/wordle@1.2.1"), "train", limit=1000, env_class="verihub")

SkyRL adds rewards up by itself, so the last step's reward is the declared weighted sum, 0 behind a closed gate, and the
vector is in the metadata and in the metrics. SkyRL has no missing rewards. So an unjudged episode raises: its
trajectory is dropped or tried again, and is not a 0.
"""

import json
from collections.abc import Mapping
from typing import Any

from skyrl_gym.envs.base_text_env import BaseTextEnv, BaseTextEnvStepOutput

from hub_client.adapters.blocking_episode import BlockingEpisode
from hub_client.adapters.default_hub import DEFAULT_HUB
from hub_client.adapters.episodes import sum_or_raise
from hub_client.adapters.tool_text import called_in, told_of
from hub_client.environments import Environment
from schemas.verdict import Verdict

TASK_KEY = "verihub_task"
REFERENCE_KEY = "verihub_reference"
_MOST_TURNS = 200  # as many as an evaluation allows a harness


def dataset_rows(
    env: Environment, split: str = "train", *, env_class: str = "verihub", seed: int = 0, start: int = 0,
    limit: int | None = None,
) -> list[dict[str, Any]]:  # fmt: skip
    """Rows as SkyRL's data sets have them: the task and the pinned release are columns, and arrive as ``extras``."""
    reference = f"{env.package.package}@{env.digest}"
    return [
        {
            "prompt": [{"role": "user", "content": str(row["id"])}],
            "env_class": env_class,
            TASK_KEY: json.dumps(row, sort_keys=True),
            REFERENCE_KEY: reference,
        }
        for row in env.task_list(split, seed=seed, start=start, limit=limit)
    ]


class HubTextEnv(BaseTextEnv):  # type: ignore[misc]  # SkyRL-Gym has no types for mypy
    """One episode. ``extras`` holds a row's columns."""

    def __init__(self, env_config: Any = None, extras: Mapping[str, Any] | None = None, seed: int = 0) -> None:
        super().__init__()
        del env_config
        columns = extras or {}
        self._env = DEFAULT_HUB.environment(columns[REFERENCE_KEY])
        self._episode = BlockingEpisode(self._env, json.loads(columns[TASK_KEY]), seed=seed)
        self._verdict: Verdict | None = None
        self.max_turns = int(columns.get("max_turns") or _MOST_TURNS)

    def init(self, prompt: list[dict[str, Any]]) -> tuple[list[dict[str, Any]], dict[str, Any]]:
        """The task's first messages, in place of the row's, with the tools described as text."""
        del prompt
        turn = self._episode.start()
        return told_of(turn.tools) + turn.messages, {}

    def step(self, action: str) -> BaseTextEnvStepOutput:
        """Take the model's text, in which ``<tool_call>`` blocks are calls."""
        self.turns += 1
        turn = self._episode.say(called_in(action))
        is_over = turn.done or self.turns >= self.max_turns
        metadata: dict[str, Any] = {}
        reward = 0.0
        if is_over:
            self._verdict = self._episode.verdict()
            self.close()
            reward = sum_or_raise(self._verdict, self._env)
            metadata = {"rewards": dict(self._verdict.rewards), "info": self._verdict.info}
        observations = [{"role": "user", "content": str(message.get("content") or "")} for message in turn.messages]
        return BaseTextEnvStepOutput(observations=observations, reward=reward, done=is_over, metadata=metadata)

    def close(self) -> None:
        """End the session's process."""
        self._episode.close()

    def get_metrics(self) -> dict[str, Any]:
        """Every reward that was judged, by name."""
        judged = self._verdict.rewards if self._verdict else {}
        return {name: value for name, value in judged.items() if value is not None}
