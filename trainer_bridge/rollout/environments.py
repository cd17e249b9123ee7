"""Draws tasks from the environments, mixed by weight, and has rollouts judged by their verifiers.

The order of tasks can be resumed from a checkpoint. Rollouts are judged on a thread with its own event loop, while
others are still being played.
"""

import asyncio
import random
import sys
import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Any, Self

from sandbox.streams import Channel, StreamCutError, StreamLeftError, end_tasks
from schemas.task import Task
from schemas.verdict import ErrorKind, ScoreRequest, Verdict
from schemas.wording import counted
from trainer_bridge.batch import Draw, Rollout
from trainer_bridge.errors import EnvironmentUnfitError, ScoringError
from trainer_bridge.ports import Environment, Verifier
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
        raise EnvironmentUnfitError(f"{environment.manifest.id} has no split {settings.eval_split!r} to evaluate on")
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


# Verdicts

Pair = tuple[dict[str, Any], str | ScoreRequest]
"""A task's row, and what the verifier sees: a response, or a conversation or a session's state."""

_STOP_SECONDS = 20.0


class Scorer:
    """Sends pairs to the ``score_stream`` of verifiers, given by number. A context manager with one round at a time."""

    def __init__(self, verifiers: Sequence[Verifier], warn: Callable[[str], None]) -> None:
        self._verifiers, self._warn = verifiers, warn
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="verihub-scoring", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Cancel the work and stop the thread. A thread that does not stop is left until the process ends."""
        with suppress(TimeoutError):
            asyncio.run_coroutine_threadsafe(self._cancel_all(), self._loop).result(timeout=_STOP_SECONDS)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(timeout=_STOP_SECONDS)
        if not self._thread.is_alive():
            self._loop.close()

    def round(self) -> "ScoringRound":
        """Start a round: submit pairs as they finish; ``verdicts`` then waits for all of them."""
        return ScoringRound(self._verifiers, self._loop, self._warn)

    async def _cancel_all(self) -> None:
        await end_tasks()
        await self._loop.shutdown_default_executor()


class ScoringRound:
    """The samples of one step. If a stream breaks, its remaining samples are unjudged (kind host), never 0.

    Streams run on the scoring thread and share only channels with the trainer's thread. Verdicts are assigned on the
    trainer's thread, so that an error of our own is raised there.
    """

    def __init__(
        self, verifiers: Sequence[Verifier], loop: asyncio.AbstractEventLoop, warn: Callable[[str], None]
    ) -> None:
        self._verifiers, self._loop, self._warn = verifiers, loop, warn
        self._streams: dict[int, _Stream] = {}

    def submit(self, key: int, number: int, draw: Draw, response: str | ScoreRequest) -> None:
        """Send one completion to verifier ``number``. ``key`` identifies it."""
        if number not in self._streams:
            self._streams[number] = _Stream(self._verifiers[number], self._loop)
        self._streams[number].submit(key, draw, response)

    def verdicts(self) -> dict[int, Verdict]:
        """Wait for all verdicts; return them by key."""
        for stream in self._streams.values():
            stream.end()
        found: dict[int, Verdict] = {}
        for stream in self._streams.values():
            verdicts, reason = stream.verdicts()
            if reason:
                self._warn(f"scoring with {stream.verifier.manifest.id} broke off: {reason}")
            for key in stream.keys:
                found[key] = verdicts.get(key) or Verdict.unjudged(
                    list(stream.verifier.rewards),
                    ErrorKind.HOST,
                    reason or "the scoring stream ended without this verdict",
                )
        return found


class _Stream:
    """One verifier's samples of a round. Pairs and verdicts go through channels."""

    def __init__(self, verifier: Verifier, loop: asyncio.AbstractEventLoop) -> None:
        self.verifier = verifier
        self.keys: list[int] = []
        # Without a limit: a round is as large as the step, which is in memory anyway.
        self._pairs: Channel[Pair] = Channel()
        self._answers: Channel[tuple[int, Verdict]] = Channel(size=sys.maxsize)
        working = asyncio.run_coroutine_threadsafe(self._score(), loop)
        working.add_done_callback(self._ended)

    def submit(self, key: int, draw: Draw, response: str | ScoreRequest) -> None:
        self.keys.append(key)
        with suppress(StreamLeftError):  # the stream broke: its samples are unjudged, and ``verdicts`` says so
            self._pairs.put((draw.row, response))

    def end(self) -> None:
        self._pairs.close()

    def verdicts(self) -> tuple[dict[int, Verdict], str]:
        """The verdicts by key, and why the stream broke (empty if it did not).

        Raises:
            ScoringError: an answer belongs to no sample of this round.

        """
        found: dict[int, Verdict] = {}
        answers = iter(self._answers)
        while True:
            try:
                index, verdict = next(answers)
            except StopIteration:
                return found, ""
            except Exception as error:  # noqa: BLE001 -- whatever failed, its samples are unjudged
                return found, f"{type(error).__name__}: {error}"
            if not 0 <= index < len(self.keys) or self.keys[index] in found:
                raise ScoringError(f"{self.verifier.manifest.id} answered sample {index} twice, or never got it")
            found[self.keys[index]] = verdict

    async def _score(self) -> None:
        try:
            await self._answers.fill(self.verifier.score_stream(aiter(self._pairs)))
        finally:
            self._pairs.leave()

    def _ended(self, working: Future[None]) -> None:
        """Close the answers however scoring ended, also if it never started."""
        error = None if working.cancelled() else working.exception()
        self._answers.close(error or StreamCutError("the scoring thread has ended"))


def why_unjudged(rollouts: Sequence[Rollout]) -> str:
    """The message for a step without a judged sample: number of each kind of error, the first reason, and what to
    do.
    """
    kinds = Counter(_unjudged_kind(rollout.verdict) for rollout in rollouts)
    counts = ", ".join(f"{count} x {kind}" for kind, count in kinds.most_common())
    said = next((rollout.verdict.error.message for rollout in rollouts if rollout.verdict.error), "")
    lines = [f"not one of {counted(len(rollouts), 'sample')} could be judged ({counts}), so there is nothing to learn"]
    if said:
        lines.append("  The first says: " + " ".join(said.split())[:400])
    lines.append("  " + _REMEDIES.get(kinds.most_common(1)[0][0], _REMEDIES[_NULL]))
    return "\n".join(lines)


_NULL = "null"
_REMEDIES = {
    _NULL: "The verifier runs and returns null: try it on one response with `verihub score`, and ask its author.",
    "verifier_failed": "The verifier raised: try it on one response with `verihub score`; fix it, or ask its author.",
    "timeout": "The verifier took too long: its verihub.toml sets the limit, timeout_seconds under [sandbox].",
    "memory": "The verifier ran out of memory: its verihub.toml sets the limit, memory_mb under [sandbox].",
    "output": "The verifier's answer is not what it declares: `verihub check` on its project says what is wrong.",
    "model": "The verifier needs a judge model, and none answered: set VERIHUB_JUDGE_MODEL, or see what failed.",
    "host": "The package could not be run, which is no fault of its code: `verihub doctor` says what is missing here.",
}


def _unjudged_kind(verdict: Verdict) -> str:
    return verdict.error.kind.value if verdict.error else _NULL
