"""Verifiers as Inspect scorers, and environments as Inspect tasks (``pip install -e '.[inspect]'``).

::

    inspect eval hub_client/environment -T target=lecture/change-making@2.1.3 -T limit=50 --model openai/gpt-…
    inspect score LOG --scorer hub_client/verdict -S target=lecture/change-making@2.1.3    # judge stored answers

or in a task of one's own: ``Task(dataset=…, solver=generate(), scorer=verdict("alice/math-check@>=1,<2"))``.

A score's value is the whole vector, one metric for each reward. An unjudged reward is NaN, which Inspect leaves out of
its metrics and counts as unscored. If nothing was judged, the sample is unscored with the reason. Samples of other data
sets are judged with their input as prompt and their target as answer.
"""

import json
import math
from typing import Any

from inspect_ai import Task as InspectTask
from inspect_ai import task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessage, ChatMessageAssistant, ChatMessageSystem, ChatMessageUser
from inspect_ai.scorer import Score, mean, scorer, stderr
from inspect_ai.solver import generate, solver

from hub_client.adapters.default_hub import DEFAULT_HUB
from hub_client.adapters.episodes import Episode, judge_record
from hub_client.environments import Environment, Verifier
from schemas.task import Task
from schemas.verdict import Verdict

TASK_KEY = "verihub_task"
"""Key in a sample's metadata: the whole task."""
RECORD_KEY = "verihub_record"
"""Key in the store: the record of a session for the verifier."""
_ROLES = {"system": ChatMessageSystem, "user": ChatMessageUser, "assistant": ChatMessageAssistant}


@task(name="environment")  # type: ignore[untyped-decorator]
def environment(target: str, split: str | None = None, seed: int = 0, limit: int | None = None) -> Any:
    """An environment of the hub; a session is played turn by turn."""
    return make_task(DEFAULT_HUB.environment(target), target, split=split, seed=seed, limit=limit)


@scorer(metrics={"*": [mean(), stderr()]}, name="verdict")  # type: ignore[untyped-decorator]
def verdict(target: str) -> Any:
    """The verdicts of ``target``: a reference or a folder."""
    return make_scorer(lambda: DEFAULT_HUB.verifier(target))


@solver(name="session")  # type: ignore[untyped-decorator]
def session(target: str, seed: int = 0) -> Any:
    """The model plays the environment's session until it is done."""
    return make_solver(lambda: DEFAULT_HUB.environment(target), seed)


def make_task(
    env: Environment, target: str, *, split: str | None = None, seed: int = 0, limit: int | None = None
) -> Any:
    """The task of an environment that is open already; ``target`` names it in logs."""
    wanted = split or ("test" if "test" in env.manifest.tasks else next(iter(env.manifest.tasks)))
    return InspectTask(
        dataset=dataset(env, wanted, seed=seed, limit=limit),
        solver=session(target, seed) if env.manifest.session is not None else generate(),
        scorer=verdict(target),
        name=env.manifest.id.replace("/", "-"),
        version=env.version,
        metadata={"verihub_digest": env.digest},
    )


def dataset(env: Environment, split: str, *, seed: int = 0, limit: int | None = None) -> Any:
    """The tasks of a split as samples; the answer is the target, which Inspect shows to scorers only."""
    samples = [
        Sample(
            input=_messages(Task.model_validate(row).messages()),
            target=row["answer"] if isinstance(row.get("answer"), str) else json.dumps(row.get("answer")),
            id=row["id"],
            metadata={TASK_KEY: row},
        )
        for row in env.task_list(split, seed=seed, limit=limit)
    ]
    return MemoryDataset(samples, name=f"{env.package.reference}:{split}")


def make_scorer(open_verifier: Any) -> Any:
    """A scorer over the verifier that ``open_verifier()`` returns, opened at the first sample."""

    async def score(state: Any, target: Any) -> Any:
        found: Verifier = open_verifier()
        asked = (state.metadata or {}).get(TASK_KEY)
        if asked is None:
            asked = {"id": str(state.sample_id), "prompt": state.input_text, "answer": target.text}
        record = state.store.get(RECORD_KEY) or {"response": state.output.completion}
        return as_score(found, await judge_record(found, asked, record), state.output.completion)

    return score


def as_score(found: Verifier, judged: Verdict, answer: str) -> Any:
    """The vector as an Inspect score."""
    error = judged.error
    kept = {
        "verihub_release": f"{found.manifest.id}@{found.digest}",
        "weighted_sum": judged.weighted_sum(found.rewards),
        "accepted": judged.accepts(found.rewards),
        "info": judged.info,
    }
    reason = None if error is None else f"{error.kind}: {error.message}"
    if all(value is None for value in judged.rewards.values()):
        return Score.unscored(reason="scoring_failed", answer=answer, explanation=reason, metadata=kept)
    values = {name: math.nan if value is None else value for name, value in judged.rewards.items()}
    return Score(value=values, answer=answer, explanation=reason, metadata=kept)


def make_solver(open_environment: Any, seed: int = 0) -> Any:
    """A solver that plays the session; Inspect's own limits (messages, tokens, time) end it as they end any other."""

    async def solve(state: Any, generate: Any) -> Any:
        episode = Episode(open_environment(), state.metadata[TASK_KEY], seed=seed)
        try:
            turn = await episode.start()
            state.messages = _messages(turn.messages)
            while not turn.done:
                state = await generate(state)
                turn = await episode.say({"role": "assistant", "content": state.output.completion})
                state.messages.extend(_messages(turn.messages))
                state.store.set(RECORD_KEY, await episode.record())
        finally:
            await episode.close()
        return state

    return solve


def _messages(messages: list[dict[str, Any]]) -> list[ChatMessage]:
    """Text messages of the roles that an environment may speak in."""
    return [_ROLES.get(message["role"], ChatMessageUser)(content=message.get("content") or "") for message in messages]
