"""Draws tasks from the environments, mixed by weight. The order of tasks can be resumed from a checkpoint."""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from schemas.task import Task
from trainer_bridge.errors import EnvironmentUnfitError
from trainer_bridge.ports import Environment
from trainer_bridge.rollout.rollouts import Draw
from trainer_bridge.settings import TrainSettings, check_fit

_BLOCK = 512
"""How many tasks are read from a generator at once (a block). An epoch is one block, and the next epoch uses the next
block.
"""
_EVAL_SPLITS = ("test", "validation", "eval", "dev")


@dataclass(frozen=True)
class TaskPool:
    """One environment's tasks: to train on, and held out."""

    environment: Environment
    train: tuple[Task, ...]
    """All tasks of a file split; the first block of a generator."""
    held_out: tuple[Task, ...]
    later: Callable[[int], tuple[Task, ...]] | None = None
    """Returns block 1, 2, … of a generator; empty after the last one."""

    @property
    def name(self) -> str:
        """The package's id."""
        return self.environment.manifest.id

    def block(self, number: int) -> tuple[Task, ...]:
        """The tasks of one epoch: always the same for a file, a new block for a generator."""
        return (self.later(number) if self.later and number else self.train) or self.train

    def only(self, keep: Callable[[Task], bool]) -> "TaskPool":
        """The pool with only those training tasks that ``keep`` accepts."""
        later = self.later
        kept = None if later is None else lambda number: tuple(filter(keep, later(number)))
        return replace(self, train=tuple(filter(keep, self.train)), later=kept)


def open_pool(environment: Environment, settings: TrainSettings) -> TaskPool:
    """Read an environment's tasks, and choose the held-out ones.

    Raises:
        EnvironmentUnfitError: it has no such split, or no tasks in it.

    """
    check_fit(environment.manifest, settings)
    manifest = environment.manifest
    train = _read(environment, settings.train_split, settings)
    if not train:
        raise EnvironmentUnfitError(f"{manifest.id} has no tasks in split {settings.train_split!r}")
    eval_split = _eval_split(environment, settings)
    if eval_split:
        held_out = _first_by_key(_read(environment, eval_split, settings), settings.eval_tasks)
    else:
        held_out = _first_by_key(train, min(settings.eval_tasks, len(train) // 2))
    kept = _without(train, held_out)
    if not kept:
        raise EnvironmentUnfitError(
            f"every task of split {settings.train_split!r} of {manifest.id} is held out as well (the same prompt and "
            "answer), so none is left to train on: evaluate on another split (--set eval_split=NAME) or on fewer tasks "
            "(--eval-tasks)"
        )
    if settings.train_split not in manifest.generated_splits:
        return TaskPool(environment, tuple(kept), tuple(held_out))
    return TaskPool(
        environment,
        tuple(kept),
        tuple(held_out),
        lambda block: tuple(_without(_read(environment, settings.train_split, settings, block), held_out)),
    )


def _eval_split(environment: Environment, settings: TrainSettings) -> str:
    """The split to evaluate on. Empty if tasks are taken out of the training split instead."""
    known = environment.manifest.tasks
    if settings.eval_split and settings.eval_split not in known:
        raise EnvironmentUnfitError(
            f"{environment.manifest.id} has no split {settings.eval_split!r} to evaluate on; it has {', '.join(known)}."
            " Without eval_split, tasks are taken out of the training split where there is no `test`"
        )
    found = settings.eval_split or next((name for name in _EVAL_SPLITS if name in known), "")
    return "" if found == settings.train_split else found


def _without(tasks: Sequence[Task], held_out: Sequence[Task]) -> list[Task]:
    """The tasks without those that are held out, compared by content: ids are unique only within a split."""
    hidden = {task.content_key for task in held_out}
    return [task for task in tasks if task.content_key not in hidden]


def _read(environment: Environment, split: str, settings: TrainSettings, block: int = 0) -> list[Task]:
    """Read a whole file split, or one block of a generator. The number must not depend on the length of the run."""
    size, start = settings.max_tasks, 0
    if split in environment.manifest.generated_splits:
        start = block * _BLOCK
        size = min(_BLOCK, settings.max_tasks - start)
    if size <= 0:
        return []
    return [Task.read(row) for row in environment.tasks(split, seed=settings.seed, start=start, limit=size)]


def _first_by_key(tasks: Sequence[Task], count: int) -> list[Task]:
    """A sample that depends only on the tasks: those with the smallest durable keys."""
    return sorted(tasks, key=lambda task: task.key)[:count]


class TaskStream:
    """Draws tasks without end. Its state is counts, orders and pass rates, so it resumes exactly at any step."""

    def __init__(self, pools: Sequence[TaskPool], weights: Sequence[float], sampler: Any, seed: int) -> None:
        self._pools, self._sampler, self._seed = pools, sampler, seed
        self._weights = list(weights) or [1.0] * len(pools)
        self._drawn = 0
        self._epochs, self._places = [-1] * len(pools), [0] * len(pools)
        self._orders: list[list[int]] = [[] for _ in pools]
        self._tasks: list[tuple[Task, ...]] = [pool.train for pool in pools]
        self.pass_rates: dict[str, float] = {}

    def draw(self, count: int) -> list[Draw]:
        """The next ``count`` tasks. A sampler that plans for each draw orders all tasks by their present pass rates."""
        if self._sampler.plans_anew:
            self._orders, self._places = [[] for _ in self._pools], [0] * len(self._pools)
        return [self._draw_one() for _ in range(count)]

    def record(self, pass_rates: Mapping[str, float]) -> None:
        """Record the latest pass rate of each task, by its key, for a curriculum."""
        self.pass_rates.update(pass_rates)

    def state(self) -> dict[str, Any]:
        """Everything that later draws depend on."""
        return {
            "drawn": self._drawn,
            "epochs": list(self._epochs),
            "places": list(self._places),
            "orders": [list(order) for order in self._orders],
            "pass_rates": dict(self.pass_rates),
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Continue from :meth:`state`."""
        self._drawn, self.pass_rates = state["drawn"], dict(state["pass_rates"])
        self._epochs, self._places = list(state["epochs"]), list(state["places"])
        self._orders = [list(order) for order in state["orders"]]
        self._tasks = [pool.block(self._block(epoch)) for pool, epoch in zip(self._pools, self._epochs, strict=True)]

    def _block(self, epoch: int) -> int:
        """The block of an epoch. A sampler that plans for each draw always uses the first block, whose pass rates it
        knows.
        """
        return 0 if self._sampler.plans_anew else max(epoch, 0)

    def _draw_one(self) -> Draw:
        pick = random.Random(f"{self._seed}/{self._drawn}")  # noqa: S311 -- no secret
        number = pick.choices(range(len(self._pools)), self._weights)[0]
        if self._places[number] == len(self._orders[number]):
            self._begin_epoch(number)
        place = self._orders[number][self._places[number]]
        self._places[number] += 1
        self._drawn += 1
        return Draw(number, self._pools[number].name, self._tasks[number][place])

    def _begin_epoch(self, number: int) -> None:
        self._epochs[number] += 1
        self._places[number] = 0
        tasks = self._tasks[number] = self._pools[number].block(self._block(self._epochs[number]))
        seed = f"{self._seed}/{number}/{self._epochs[number]}"
        self._orders[number] = self._sampler.order([task.key for task in tasks], self.pass_rates, seed)
