"""A verifier as TRL reward functions, one for each declared reward, and an environment's tasks as dataset rows.

::

    from datasets import Dataset
    from hub_client import Hub
    from hub_client.adapters.trl import dataset_rows, reward_functions, reward_weights
    from trl import GRPOConfig, GRPOTrainer

    hub = Hub()
    env = hub.environment("lecture/change-making@2.1.3")
    trainer = GRPOTrainer(
        model="…",
        reward_funcs=reward_functions(env),
        train_dataset=Dataset.from_list(dataset_rows(env, "train", limit=1000)),
        args=GRPOConfig(reward_weights=reward_weights(env)),
    )

TRL calls each function with the same batch. The first call judges the batch, and the others read the result, so every
completion is judged once. A completion of which a score was not judged is None in every function: TRL leaves it out of
the group. See :func:`values_for_trl`.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from threading import Lock
from typing import Any, Protocol

from hub_client.environments import Environment, Pair, Verifier
from hub_client.errors import UsageError
from hub_client.run_report import RunReport
from hub_client.tables import RewardTable
from schemas.manifest import RewardRole
from schemas.task import Task

TASK_COLUMN = "verihub_task"
"""The dataset column with the whole task, including the answer, as JSON. TRL passes it back with each completion."""

Completion = str | list[dict[str, Any]]
"""Text for a plain prompt, messages for a conversation."""


class RewardFunction(Protocol):
    """A reward function of TRL. It is called by keyword, with one list for each column of the dataset."""

    __name__: str

    def __call__(self, *, completions: Sequence[Completion], **columns: Any) -> list[float | None]: ...


def dataset_rows(
    env: Environment, split: str = "train", *, seed: int = 0, start: int = 0, limit: int | None = None
) -> list[dict[str, Any]]:
    """Rows for ``Dataset.from_list``: ``prompt`` as chat messages, and the task for the verifier.

    Raises UsageError for a generated split without ``limit``: its tasks have no end; and for a session, which
    :mod:`hub_client.adapters.trl_sessions` plays. Its verifier would judge a text that nothing was played for.
    """
    if env.manifest.session is not None:
        raise UsageError(f"{env.package.reference} is a session: hub_client.adapters.trl_sessions has its rows")
    rows = env.task_list(split, seed=seed, start=start, limit=limit)
    return [{"prompt": Task.read(row).messages(), TASK_COLUMN: json.dumps(row, sort_keys=True)} for row in rows]


def reward_functions(verifier: Verifier, *, report: RunReport | None = None) -> list[RewardFunction]:
    """One function for each declared reward, in the order of the declaration; ``__name__`` is the reward's name.

    ``report`` gets every batch with its verdicts (see :mod:`hub_client.adapters.trl_callback`).
    """
    scores = _SharedScores(verifier.score, report)
    return [_Component(verifier, name, scores) for name in verifier.rewards]


def reward_weights(verifier: Verifier) -> list[float]:
    """For ``GRPOConfig(reward_weights=…)``: the declared weights of scores; gates and metrics add nothing.

    In Verihub's own trainer a failed gate makes the sum 0. TRL's weighted sum cannot express that, so here gates are
    only logged.
    """
    return [reward.weight if reward.role is RewardRole.SCORE else 0.0 for reward in verifier.rewards.values()]


def values_for_trl(verifier: Verifier, values: Mapping[str, float | None]) -> dict[str, float | None]:
    """The rewards of one completion by name; all None if a score among them that has a weight was not judged.

    TRL leaves a completion out of its group only if *every* function gives None. It adds up with ``nansum``, so a
    missing score beside a metric that was judged would count as 0 (TRL 1.16, ``GRPOTrainer``).
    """
    if any(
        weight and values[name] is None for name, weight in zip(verifier.rewards, reward_weights(verifier), strict=True)
    ):
        return dict.fromkeys(values)
    return dict(values)


class _SharedScores:
    """The table of the newest batch."""

    def __init__(self, score: Callable[[list[Pair]], RewardTable], report: RunReport | None = None) -> None:
        self._score, self._report = score, report
        self._key: tuple[Any, ...] | None = None
        self._table: RewardTable | None = None
        self._lock = Lock()

    def table(self, tasks: Sequence[str], completions: Sequence[Completion]) -> RewardTable:
        """Judge the batch, unless it is the same as the last one."""
        key = (tuple(tasks), json.dumps(list(completions), sort_keys=True, default=str))
        with self._lock:
            if self._table is None or key != self._key:
                pairs: list[Pair] = [
                    (json.loads(task), text_of(completion)) for task, completion in zip(tasks, completions, strict=True)
                ]
                self._table, self._key = self._score(pairs), key
                if self._report is not None:
                    step, phase = self._report.where()
                    self._report.judged(step, pairs, self._table, phase=phase)
            return self._table


class _Component:
    """One reward of the vector, as TRL's reward function."""

    def __init__(self, verifier: Verifier, name: str, scores: _SharedScores) -> None:
        self.__name__ = name
        self._verifier = verifier
        self._scores = scores

    def __call__(self, *, completions: Sequence[Completion], **columns: Any) -> list[float | None]:
        """One value for each completion; None if it could not be judged, or if a score of it could not."""
        tasks = columns.get(TASK_COLUMN)
        if tasks is None:
            raise UsageError(f"the dataset has no column {TASK_COLUMN!r}: make its rows with dataset_rows(env)")
        names = list(self._verifier.rewards)
        rows = [dict(zip(names, row, strict=True)) for row in self._scores.table(tasks, completions).rows]
        return [values_for_trl(self._verifier, row)[self.__name__] for row in rows]


def text_of(completion: Completion) -> str | list[dict[str, Any]]:
    """A single assistant message as its text; a longer conversation unchanged."""
    if isinstance(completion, str):
        return completion
    if len(completion) == 1 and isinstance(completion[0].get("content"), str):
        return str(completion[0]["content"])
    return completion
