"""An environment of the hub as a taskset of `verifiers` (v1), and so of prime-rl, installable by name.

``verihub export TARGET FOLDER`` writes a package of a few lines that names a release and uses this module::

    $ verihub export lecture/change-making@2.1.3 lecture_change_making_v1
    $ pip install ./lecture_change_making_v1
    $ vf-eval lecture-change-making-v1 -m MODEL --env.agent.harness.id null --env.agent.runtime.type subprocess \\
          -c 2 --select.limit 5 -r 1

prime-rl names the same id in ``[orchestrator.train.source.env.taskset]``. Verdicts come from this machine's sandbox, or
from the hub; nothing of the package runs in the trainer's process.

Every declared score and gate is a reward of the trace with its weight, and every metric a metric. A configuration may
change weights as usual (``--env.taskset.task.rewards.correct.weight``). Behind a closed gate the values stay and all
weights are 0.

An unjudged reward is null in the trace. verifiers would add it as 0, so the trace gets one more reward,
``verihub_unjudged``, which scales the sum of the judged scores up to the weight of all
(:mod:`schemas.measures.weighted_sum`). If there is no sum, scoring fails with an error of the task, because a trace
without rewards would count as 0.

A session is played by a separate environment, with the agent's replies as its steps. Its state is kept in
``trace.info``, so that ``vf-replay`` can judge it again.
"""

import types
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import verifiers.v1 as vf

from hub_client.adapters.default_hub import DEFAULT_HUB, hub_at
from hub_client.adapters.episodes import Episode, judge_record
from hub_client.environments import Environment
from schemas.manifest import RewardDeclaration, RewardRole
from schemas.measures.gates import is_gate_closed
from schemas.task import Task
from schemas.verdict import Verdict

UNJUDGED_KEY = "verihub_unjudged"
"""An extra reward, present only if a score was not judged."""
INFO_KEY = "verihub"
"""Key in ``trace.info``: the verdict's info, why something was not judged, and a session's state."""


@dataclass(frozen=True)
class Spec:
    """What a taskset needs to know before anything is downloaded: the release, its reward vector and its first
    split.
    """

    target: str
    rewards: Mapping[str, RewardDeclaration]
    split: str
    has_session: bool = False
    open: Callable[[str], Environment] = DEFAULT_HUB.environment

    @classmethod
    def parse(cls, data: Mapping[str, Any]) -> "Spec":
        """From the JSON that ``verihub export`` wrote."""
        rewards = {name: RewardDeclaration.model_validate(value) for name, value in data["rewards"].items()}
        opened = hub_at(data.get("hub", "")).environment
        return cls(data["target"], rewards, data["split"], data["has_session"], opened)


class HubTaskData(vf.TaskData):  # type: ignore[misc]  # verifiers' own types are not looked at
    """The row including the answer. verifiers keeps it in traces, and shows only ``prompt`` to the agent."""

    verihub_task: dict[str, Any]


class HubTasksetConfig(vf.TasksetConfig):  # type: ignore[misc]
    """Which tasks (``--env.taskset.split``, ``.seed``, ``.count``)."""

    split: str = ""
    seed: int = 0
    count: int | None = None


def make_taskset(spec: Spec) -> type[Any]:
    """A ``vf.Taskset`` class for the release, to be exported in a module's ``__all__``."""
    task_class: Any = _make_task(spec)

    class HubTaskset(vf.Taskset[task_class, HubTasksetConfig]):  # type: ignore[misc]
        def __init__(self, config: HubTasksetConfig) -> None:
            super().__init__(config)
            self.env = spec.open(spec.target)
            self.split = config.split or spec.split
            self.INFINITE = config.count is None and self.env.is_generated(self.split)

        def load(self) -> Iterator[Any]:
            rows = self.env.tasks(self.split, seed=self.config.seed, limit=self.config.count)
            return (task_class(_data_of(row, spec), self.config.task) for row in rows)

    return HubTaskset


def _data_of(row: dict[str, Any], spec: Spec) -> HubTaskData:
    """A session opens the conversation itself, so its task has no prompt."""
    messages = Task.model_validate(row).messages()
    system = messages.pop(0)["content"] if messages[0]["role"] == "system" else None
    prompt: Any = messages[0]["content"] if len(messages) == 1 and messages[0]["role"] == "user" else messages
    return HubTaskData(
        id=row["id"],
        prompt=None if spec.has_session else prompt,
        system_prompt=None if spec.has_session else system,
        verihub_task=row,
    )


class _HubTask(vf.Task[HubTaskData]):  # type: ignore[misc]
    """Scores a trace. :func:`_make_task` adds a reward function for each reward."""

    spec: Spec

    async def score(self, trace: Any, runtime: Any = None) -> None:
        """Judge once, then let the framework record every signal, including those that a configuration adds."""
        if self.scoring_deferred:
            return
        env = self.spec.open(self.spec.target)
        record = (trace.info.get(INFO_KEY) or {}).get("record") or {"response": trace.last_reply}
        verdict = await judge_record(env, self.data.verihub_task, record)
        kept = {"error": None if verdict.error is None else verdict.error.model_dump(mode="json"), "info": verdict.info}
        trace.info[INFO_KEY] = {**trace.info.get(INFO_KEY, {}), **kept, "rewards": verdict.rewards}
        await super().score(trace, runtime)
        self._finish(trace, verdict)

    def _finish(self, trace: Any, verdict: Verdict) -> None:
        """Keep nulls from counting as 0, set all weights to 0 behind a closed gate, and raise if there is no sum."""
        declared = self.spec.rewards
        for name, reward in declared.items():
            if verdict.rewards.get(name) is None:
                (trace.metrics if reward.role is RewardRole.METRIC else trace.rewards)[name] = None
        weights = {name: kept.weight for name, kept in trace.rewards.items() if kept is not None}  # a user may set them
        scores = {
            name: reward.model_copy(update={"weight": weights.get(name, reward.weight)})
            for name, reward in declared.items()
        }
        total = verdict.weighted_sum(scores)
        if total is None:
            reason = f"{verdict.error.kind}: {verdict.error.message}" if verdict.error else "the verifier said null"
            raise vf.TaskError(f"{self.spec.target} could not judge this trace ({reason})")
        if is_gate_closed(verdict.rewards, declared):
            for name in declared:
                if trace.rewards.get(name) is not None:
                    trace.record_reward(name, trace.rewards[name].score, 0.0)
        elif None in trace.rewards.values():
            trace.record_reward(UNJUDGED_KEY, total - trace.reward)


def _make_task(spec: Spec) -> type[Any]:
    """A task class with one signal for each declared reward. A gate has weight 0, since it is not added."""

    def signal(name: str, reward: RewardDeclaration) -> Any:
        async def read(_task: Any, trace: Any) -> dict[str, float]:
            value = trace.info[INFO_KEY]["rewards"].get(name)
            return {} if value is None else {name: value}

        read.__name__ = name
        read.__doc__ = reward.description
        if reward.role is RewardRole.METRIC:
            return vf.metric(read)
        return vf.reward(read, weight=reward.weight if reward.role is RewardRole.SCORE else 0.0)

    # verifiers uses the function's name; the attribute's name must not clash with the task's own.
    signals = {f"signal_of_{name}": signal(name, reward) for name, reward in spec.rewards.items()}
    return types.new_class("HubTask", (_HubTask,), {}, lambda space: space.update(spec=spec, **signals))


class HubSessionEnvConfig(vf.EnvConfig):  # type: ignore[misc]
    """The single agent that plays the session."""

    agent: vf.AgentConfig = vf.AgentConfig()


class HubSessionEnv(vf.Env[HubSessionEnvConfig]):  # type: ignore[misc]
    """Plays a session: its messages are user messages for the agent, and the agent's reply is its next step."""

    async def run(self, task: Any, agents: Any) -> None:
        """One episode; leaving the interaction scores its trace."""
        env = task.spec.open(task.spec.target)
        episode = Episode(env, task.data.verihub_task, seed=self.config.taskset.seed)
        try:
            start = await episode.start()
            system = [message["content"] for message in start.messages if message["role"] == "system"]
            asked = task.with_system_prompt("\n\n".join(system)) if system else task
            async with agents.agent.interaction(asked) as interaction:
                text: str | None = words_of(start.messages)
                while text is not None:
                    text = await _next_words(interaction, episode, text)
                interaction.trace.info[INFO_KEY] = {"record": await episode.record()}
        finally:
            await episode.close()


async def _next_words(interaction: Any, episode: Episode, text: str) -> str | None:
    """One turn each; None at the end."""
    segment = await interaction.turn(text)
    if segment.terminated:
        return None
    turn = await episode.say({"role": "assistant", "content": segment.last_reply})
    return None if turn.done else words_of(turn.messages)


def words_of(messages: list[dict[str, Any]]) -> str:
    """The environment's messages to the agent as one text."""
    said = [message["content"] for message in messages if message["role"] != "system"]
    return "\n\n".join(text for text in said if isinstance(text, str) and text) or "…"
