"""An evaluation: every task of every environment under every harness, resumable, judged by the pinned verifiers."""

import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from hub_client.environments import Environment
from hub_client.errors import ConflictError
from hub_client.harnesses import Harness, HarnessFailedError
from hub_client.policies import Policy
from schemas.benchmark import TaskOutcome
from schemas.run import RolloutRow
from schemas.verdict import ScoreRequest, Verdict

Say = Callable[[int, int], None]
_ATTEMPTS = "attempts.jsonl"


@dataclass(frozen=True)
class Cell:
    """One environment under one harness: ``tasks`` by id, each tried ``samples`` times."""

    environment: Environment
    harness: Harness
    tasks: dict[str, dict[str, Any]]
    samples: int
    seed: int

    @property
    def key(self) -> str:
        """What an attempt belongs to: exact bytes of both packages."""
        return f"{self.environment.digest} {self.harness.package.digest}"

    def wanted(self) -> Iterator[tuple[str, int]]:
        """``(task id, sample)`` of every attempt."""
        return ((task_id, sample) for task_id in self.tasks for sample in range(self.samples))


@dataclass(frozen=True)
class CellResult:
    """What came of a cell. ``failed`` attempts broke in the harness, ``unjudged`` in the verifier: neither counts."""

    cell: Cell
    outcomes: list[TaskOutcome]
    rollouts: list[RolloutRow]
    failed: int
    unjudged: int

    @property
    def pass_rate(self) -> float | None:
        """Mean over tasks of the share of judged attempts that were accepted."""
        rates = [outcome.successes / outcome.attempts for outcome in self.outcomes]
        return sum(rates) / len(rates) if rates else None


def pick_tasks(environment: Environment, split: str, count: int | None, seed: int) -> dict[str, dict[str, Any]]:
    """The first ``count`` tasks of a split by id; a generated split needs a count."""
    return {task["id"]: task for task in islice(environment.tasks(split, seed=seed, limit=count), count)}


class AttemptLog:
    """Attempts on disk, one line each, written as they end: an evaluation goes on where it was stopped."""

    def __init__(self, folder: Path, model: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._path = folder / _ATTEMPTS
        self._model = model
        self._found: dict[tuple[str, str, int], dict[str, Any]] = {}
        for row in self._read():
            if row["model"] != model:
                raise ConflictError(f"{folder} holds attempts of {row['model']}: name another folder with --output")
            self._found[row["cell"], row["task_id"], row["sample"]] = row

    def _read(self) -> Iterator[dict[str, Any]]:
        if not self._path.exists():
            return
        with self._path.open(encoding="utf-8") as lines:
            for line in lines:
                if line.endswith("\n"):  # a line cut off by a crash is tried again
                    yield json.loads(line)

    def find(self, cell: Cell, task_id: str, sample: int) -> dict[str, Any] | None:
        """An attempt that ended before."""
        return self._found.get((cell.key, task_id, sample))

    def add(self, cell: Cell, task_id: str, sample: int, attempt: dict[str, Any]) -> None:
        """Keep one; it is on disk when this returns."""
        row = {"model": self._model, "cell": cell.key, "task_id": task_id, "sample": sample, **attempt}
        self._found[cell.key, task_id, sample] = row
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")
            file.flush()
            os.fsync(file.fileno())


def play_cell(cell: Cell, policy: Policy, log: AttemptLog, *, workers: int, say: Say) -> list[dict[str, Any]]:
    """Run what is missing of a cell, ``workers`` attempts at once; returns all its attempts in order."""
    wanted = list(cell.wanted())
    missing = [(task_id, sample) for task_id, sample in wanted if log.find(cell, task_id, sample) is None]
    done = len(wanted) - len(missing)
    say(done, len(wanted))
    with ThreadPoolExecutor(workers) as pool:
        running = pool.map(lambda one: (one, _attempt(cell, policy, *one)), missing)
        try:
            for (task_id, sample), attempt in running:
                log.add(cell, task_id, sample, attempt)
                done += 1
                say(done, len(wanted))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return [found for task_id, sample in wanted if (found := log.find(cell, task_id, sample)) is not None]


def _attempt(cell: Cell, policy: Policy, task_id: str, sample: int) -> dict[str, Any]:
    seed = cell.seed + 1000 * sample
    try:
        played = cell.harness.play(cell.environment, cell.tasks[task_id], policy, seed=seed)
    except HarnessFailedError as error:
        return {"messages": [], "state": None, "error": str(error)}
    return {"messages": played.messages, "state": played.state, "error": ""}


def judge_cell(cell: Cell, attempts: Sequence[dict[str, Any]]) -> CellResult:
    """Verdicts, and from them how often each task was solved."""
    judged = [attempt for attempt in attempts if not attempt["error"]]
    requests = [
        ScoreRequest(
            id=str(index), task=cell.tasks[attempt["task_id"]], messages=attempt["messages"], state=attempt["state"]
        )
        for index, attempt in enumerate(judged)
    ]
    verdicts = cell.environment.score_requests(requests)
    tallies: dict[str, list[int]] = {}
    unjudged = 0
    for attempt, verdict in zip(judged, verdicts, strict=True):
        accepted = verdict.accepts(cell.environment.rewards)
        if accepted is None:
            unjudged += 1
        else:
            tally = tallies.setdefault(attempt["task_id"], [0, 0])
            tally[0] += 1
            tally[1] += accepted
    outcomes = [
        TaskOutcome(task_id=task_id, attempts=tried, successes=solved) for task_id, (tried, solved) in tallies.items()
    ]
    return CellResult(cell, outcomes, _rollouts(cell, judged, verdicts), len(attempts) - len(judged), unjudged)


def _rollouts(cell: Cell, attempts: Iterable[dict[str, Any]], verdicts: Iterable[Verdict]) -> list[RolloutRow]:
    return [
        RolloutRow(
            step=0,
            phase=cell.harness.name,
            package=cell.environment.package.package,
            task_id=attempt["task_id"],
            prompt=_prompt_text(cell.tasks[attempt["task_id"]]),
            response=_last_words(attempt["messages"]),
            rewards=verdict.rewards,
            error=verdict.error.message[:500] if verdict.error else "",
        )
        for attempt, verdict in zip(attempts, verdicts, strict=True)
    ]


def _prompt_text(task: dict[str, Any]) -> str:
    prompt = task["prompt"]
    return prompt if isinstance(prompt, str) else str(prompt[-1].get("content") or "")


def _last_words(messages: Sequence[dict[str, Any]]) -> str:
    spoken = [m for m in messages if m.get("role") == "assistant" and isinstance(m.get("content"), str)]
    return spoken[-1]["content"] if spoken else ""
