"""Tasks from the hub's environments, mixed by weight, in an order that a checkpoint can resume."""

import random
from collections.abc import AsyncIterable, AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from schemas.manifest import Manifest, RewardDeclaration
from schemas.run import MetricPoint, RolloutRow, Run, RunCreate, RunUpdate
from schemas.task import Task
from schemas.verdict import Verdict
from trainer_bridge.errors import EnvironmentUnfitError
from trainer_bridge.settings import TrainSettings

_EVAL_SPLITS = ("test", "validation", "eval", "dev")


class Verifier(Protocol):
    """What is used of ``hub.verifier(ref)``."""

    @property
    def manifest(self) -> Manifest: ...
    @property
    def version(self) -> str: ...
    @property
    def digest(self) -> str: ...
    @property
    def rewards(self) -> Mapping[str, RewardDeclaration]: ...
    def score_stream(self, pairs: AsyncIterable[tuple[dict[str, Any], str]]) -> AsyncIterator[tuple[int, Verdict]]: ...
    def close(self) -> None: ...


class Environment(Verifier, Protocol):
    """What is used of ``hub.environment(ref)``."""

    def tasks(
        self, split: str, *, seed: int = 0, start: int = 0, limit: int | None = None
    ) -> Iterator[dict[str, Any]]: ...


class Runs(Protocol):
    """What is used of ``hub.runs``."""

    def create(self, run: RunCreate) -> Run: ...
    def log(self, run_id: str, points: Sequence[MetricPoint]) -> object: ...
    def rollouts(self, run_id: str, rows: Sequence[RolloutRow]) -> object: ...
    def update(self, run_id: str, change: RunUpdate) -> object: ...


class Hub(Protocol):
    """What is used of ``hub_client.Hub``."""

    @property
    def runs(self) -> Runs: ...
    def environment(self, target: str) -> Environment: ...
    def verifier(self, target: str) -> Verifier: ...
    def load(self, target: str) -> Any: ...


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
    held_out: tuple[Task, ...]

    @property
    def name(self) -> str:
        """The package's id."""
        return self.environment.manifest.id


def open_pool(environment: Environment, settings: TrainSettings) -> TaskPool:
    """Read an environment's tasks, and hold some out.

    Raises:
        EnvironmentUnfitError: it is multi-turn, declares no rewards, or lacks the split.

    """
    manifest = environment.manifest
    if manifest.session and not manifest.verifier:
        raise EnvironmentUnfitError(f"{manifest.id} is a multi-turn environment; verihub train samples single turns")
    if settings.train_split not in manifest.tasks:
        splits = ", ".join(manifest.tasks) or "none"
        raise EnvironmentUnfitError(
            f"{manifest.id} has no split {settings.train_split!r} (it has {splits}): --train-split"
        )
    train = _read(environment, settings.train_split, settings)
    eval_split = settings.eval_split or next((name for name in _EVAL_SPLITS if name in manifest.tasks), "")
    if eval_split and eval_split not in manifest.tasks:
        raise EnvironmentUnfitError(f"{manifest.id} has no split {eval_split!r} to evaluate on")
    if eval_split:
        held_out = _first_by_key(_read(environment, eval_split, settings), settings.eval_tasks)
        train = [task for task in train if task.id not in {other.id for other in held_out}] or train
    else:
        held_out = _first_by_key(train, min(settings.eval_tasks, len(train) // 2))
        train = [task for task in train if task not in held_out]
    if not train:
        raise EnvironmentUnfitError(f"{manifest.id} has no tasks in split {settings.train_split!r}")
    return TaskPool(environment, tuple(train), tuple(held_out))


def _read(environment: Environment, split: str, settings: TrainSettings) -> list[Task]:
    """Read a file split whole (to its cap), of an endless generator as much as the run can use."""
    limit = settings.max_tasks
    if ":" in environment.manifest.tasks[split]:
        limit = min(limit, max(settings.steps * settings.prompts_per_step * 2, settings.eval_tasks))
    return [Task.read(row) for row in environment.tasks(split, seed=settings.seed, limit=limit)]


def _first_by_key(tasks: Sequence[Task], count: int) -> list[Task]:
    """A sample that depends on the tasks alone: the smallest durable keys."""
    return sorted(tasks, key=lambda task: task.key)[:count]


class TaskStream:
    """Draws tasks forever. Its whole state is a count a pool and the pass rates, so it resumes exactly."""

    def __init__(self, pools: Sequence[TaskPool], weights: Sequence[float], sampler: Any, seed: int) -> None:
        self._pools, self._sampler, self._seed = pools, sampler, seed
        self._weights = list(weights) or [1.0] * len(pools)
        self._keys = [[task.key for task in pool.train] for pool in pools]
        self._drawn = [0] * len(pools)
        self._orders: list[list[int]] = [[] for _ in pools]
        self.pass_rates: dict[str, float] = {}

    def draw(self, count: int) -> list[Draw]:
        """The next ``count`` tasks."""
        return [self._draw_one() for _ in range(count)]

    def record(self, pass_rates: Mapping[str, float]) -> None:
        """Remember how often each task (by key) was solved when it was last tried, for a curriculum."""
        self.pass_rates.update(pass_rates)

    def state(self) -> dict[str, Any]:
        """Everything that the next draw depends on."""
        return {
            "drawn": list(self._drawn),
            "orders": [list(order) for order in self._orders],
            "pass_rates": dict(self.pass_rates),
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Continue where :meth:`state` was taken."""
        self._drawn = list(state["drawn"])
        self._orders = [list(order) for order in state["orders"]]
        self.pass_rates = dict(state["pass_rates"])

    def _draw_one(self) -> Draw:
        pick = random.Random(f"{self._seed}/{sum(self._drawn)}")  # noqa: S311 -- no secret
        number = pick.choices(range(len(self._pools)), self._weights)[0]
        pool, size = self._pools[number], len(self._pools[number].train)
        epoch, place = divmod(self._drawn[number], size)
        if place == 0:
            self._orders[number] = self._sampler.order(
                self._keys[number], self.pass_rates, f"{self._seed}/{number}/{epoch}"
            )
        self._drawn[number] += 1
        return Draw(number, pool.name, pool.train[self._orders[number][place]])
