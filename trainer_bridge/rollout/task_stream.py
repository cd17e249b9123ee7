"""Tasks from the hub's environments, mixed by weight, in an order that a checkpoint can resume."""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from schemas.manifest import Manifest
from schemas.task import Task
from trainer_bridge.errors import EnvironmentUnfitError
from trainer_bridge.ports import Environment
from trainer_bridge.settings import TrainSettings

_BLOCK = 512
"""Tasks that are read of a generator at once. An epoch on it is one block, and the next epoch has the next block."""
_EVAL_SPLITS = ("test", "validation", "eval", "dev")


@dataclass(frozen=True)
class Draw:
    """One task to sample on, and the number of the environment that it is from."""

    environment: int
    package: str
    task: Task

    @property
    def row(self) -> dict[str, Any]:
        """The task as the verifier gets it."""
        return self.task.model_dump(mode="json")


@dataclass(frozen=True)
class TaskPool:
    """One environment's tasks: to train on, and held out."""

    environment: Environment
    train: tuple[Task, ...]
    """All tasks of a file; of a split that has no end the first block."""
    held_out: tuple[Task, ...]
    later: Callable[[int], tuple[Task, ...]] | None = None
    """Block 1, 2 … of a split that has no end; empty after the last."""

    @property
    def name(self) -> str:
        """The package's id."""
        return self.environment.manifest.id

    def block(self, number: int) -> tuple[Task, ...]:
        """The tasks of one epoch: a file's are always the same, a split without end has others each time."""
        return (self.later(number) if self.later and number else self.train) or self.train

    def only(self, keep: Callable[[Task], bool]) -> "TaskPool":
        """The same with the training tasks that ``keep`` accepts."""
        later = self.later
        kept = None if later is None else lambda number: tuple(filter(keep, later(number)))
        return replace(self, train=tuple(filter(keep, self.train)), later=kept)


def check_fit(manifest: Manifest, settings: TrainSettings) -> None:
    """Raise :class:`EnvironmentUnfitError` for what the manifest alone shows: no such split."""
    if settings.train_split not in manifest.tasks:
        splits = ", ".join(manifest.tasks) or "none"
        raise EnvironmentUnfitError(
            f"{manifest.id} has no split {settings.train_split!r} (it has {splits}): --train-split"
        )


def open_pool(environment: Environment, settings: TrainSettings) -> TaskPool:
    """Read an environment's tasks, and hold some out.

    Raises:
        EnvironmentUnfitError: it lacks the split, or has no tasks there.

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
    """The split to evaluate on; empty where tasks are taken out of the training split instead."""
    known = environment.manifest.tasks
    if settings.eval_split and settings.eval_split not in known:
        raise EnvironmentUnfitError(f"{environment.manifest.id} has no split {settings.eval_split!r} to evaluate on")
    found = settings.eval_split or next((name for name in _EVAL_SPLITS if name in known), "")
    return "" if found == settings.train_split else found


def _without(tasks: Sequence[Task], held_out: Sequence[Task]) -> list[Task]:
    """The tasks that ask for nothing that is held out. Ids do not tell: they are unique within a split only."""
    hidden = {task.content_key for task in held_out}
    return [task for task in tasks if task.content_key not in hidden]


def _read(environment: Environment, split: str, settings: TrainSettings, block: int = 0) -> list[Task]:
    """Read a file split whole, of a generator one block: never a number that depends on how long the run is."""
    size, start = settings.max_tasks, 0
    if split in environment.manifest.generated_splits:
        start = block * _BLOCK
        size = min(_BLOCK, settings.max_tasks - start)
    if size <= 0:
        return []
    return [Task.read(row) for row in environment.tasks(split, seed=settings.seed, start=start, limit=size)]


def _first_by_key(tasks: Sequence[Task], count: int) -> list[Task]:
    """A sample that depends on the tasks alone: the smallest durable keys."""
    return sorted(tasks, key=lambda task: task.key)[:count]


class TaskStream:
    """Draws tasks forever. Its state is counts, orders and pass rates, so it resumes exactly whatever the steps."""

    def __init__(self, pools: Sequence[TaskPool], weights: Sequence[float], sampler: Any, seed: int) -> None:
        self._pools, self._sampler, self._seed = pools, sampler, seed
        self._weights = list(weights) or [1.0] * len(pools)
        self._drawn = 0
        self._epochs, self._places = [-1] * len(pools), [0] * len(pools)
        self._orders: list[list[int]] = [[] for _ in pools]
        self._tasks: list[tuple[Task, ...]] = [pool.train for pool in pools]
        self.pass_rates: dict[str, float] = {}

    def draw(self, count: int) -> list[Draw]:
        """The next ``count`` tasks. A sampler that plans anew orders all tasks by what is known of them now."""
        if self._sampler.plans_anew:
            self._orders, self._places = [[] for _ in self._pools], [0] * len(self._pools)
        return [self._draw_one() for _ in range(count)]

    def record(self, pass_rates: Mapping[str, float]) -> None:
        """Remember how often each task (by key) was solved when it was last tried, for a curriculum."""
        self.pass_rates.update(pass_rates)

    def state(self) -> dict[str, Any]:
        """Everything that the next draw depends on."""
        return {
            "drawn": self._drawn,
            "epochs": list(self._epochs),
            "places": list(self._places),
            "orders": [list(order) for order in self._orders],
            "pass_rates": dict(self.pass_rates),
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Continue where :meth:`state` was taken."""
        self._drawn, self.pass_rates = state["drawn"], dict(state["pass_rates"])
        self._epochs, self._places = list(state["epochs"]), list(state["places"])
        self._orders = [list(order) for order in state["orders"]]
        self._tasks = [pool.block(self._block(epoch)) for pool, epoch in zip(self._pools, self._epochs, strict=True)]

    def _block(self, epoch: int) -> int:
        """A sampler that plans anew comes back to the tasks that it knows: those of the first block."""
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
