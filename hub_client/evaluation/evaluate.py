"""An evaluation: every task of every environment under every harness.

It can be resumed, and the pinned verifiers judge.
"""

import contextlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from itertools import islice
from threading import Event
from typing import Any

from hub_client.environments import Environment
from hub_client.errors import HubClientError, UsageError
from hub_client.evaluation.attempt import HarnessFailedError
from hub_client.evaluation.attempt_log import AttemptLog
from hub_client.evaluation.harness import Harness, Transcript
from hub_client.evaluation.lost_attempts import Outage, Tries
from hub_client.transport.chat_endpoint import Policy
from schemas.benchmark import TaskOutcome
from schemas.measures.corrected import CorrectedRate, Observed, TrustLevel, correct
from schemas.package import AuditSummary
from schemas.run import RolloutRow, RunOutcome
from schemas.texts import prompt_text
from schemas.tool import words_of_fault
from schemas.verdict import ScoreRequest, Verdict

Say = Callable[[int, int], None]


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
        """What identifies a cell's attempts: the exact bytes of environment, harness and tools, and the seed."""
        return f"{self.environment.digest} {self.harness.key} {self.seed}"

    def wanted(self) -> Iterator[tuple[str, int]]:
        """``(task id, sample)`` of every attempt."""
        return ((task_id, sample) for task_id in self.tasks for sample in range(self.samples))


@dataclass(frozen=True)
class CellResult:
    """The outcome of a cell.

    ``failed`` attempts broke in the harness and ``unjudged`` ones in the verifier. Neither are in the pass rate.
    """

    cell: Cell
    counts: dict[str, tuple[int, int]]
    """Task -> (successes, judged attempts)."""
    rollouts: list[RolloutRow]
    failed: int
    unjudged: int
    overflowed: int
    truncated: int
    reasons: dict[str, int]
    """Reason -> number of attempts that are not in the pass rate because of it, most frequent first."""
    played_again: int = 0
    """Attempts that lost a process, box, engine or hub on the way. Many show an environment that some answers end."""

    @property
    def observed(self) -> Observed | None:
        """Mean over tasks of the share of judged attempts that were accepted; None where nothing was judged."""
        return Observed.of(self.counts) if self.counts else None

    @property
    def audit(self) -> AuditSummary | None:
        """The hub's audit of the verifier: of this release, or else of the package that judges it."""
        return self._audited[1]

    @property
    def audited(self) -> str:
        """``owner/name@version`` that the audit is of, or empty."""
        return self._audited[0]

    @property
    def _audited(self) -> tuple[str, AuditSummary | None]:
        environment = self.cell.environment
        releases = [package.release for package in (environment.package, environment.judge) if package.release]
        found = ((f"{one.package}@{one.audit.version}", one.audit) for one in releases if one.audit is not None)
        return next(found, ("", None))

    @property
    def trust_level(self) -> TrustLevel:
        """The verifier's trust level."""
        return TrustLevel.of(self.audit.grade if self.audit else None)

    @property
    def corrected(self) -> CorrectedRate:
        """The pass rate, corrected by the error rates that the verifier's grade is based on."""
        if self.observed is None:
            return CorrectedRate(reason="no attempt was judged")
        found = correct(self.observed, self.audit.graded if self.audit else None)
        return CorrectedRate(reason=found) if isinstance(found, str) else CorrectedRate(estimate=found.interval)

    def outcomes(self) -> list[TaskOutcome]:
        """One row a task."""
        return [
            TaskOutcome(task_id=task_id, attempts=tried, successes=solved)
            for task_id, (solved, tried) in self.counts.items()
        ]

    def summary(self) -> RunOutcome:
        """The whole cell as a line of the run."""
        observed = self.observed
        package = self.cell.environment.package
        return RunOutcome(
            environment=package.package,
            version=package.version,
            digest=package.digest,
            harness=self.cell.harness.name,
            task_count=len(self.counts),
            attempts=sum(tried for _, tried in self.counts.values()),
            successes=sum(solved for solved, _ in self.counts.values()),
            pass_rate=observed.rate if observed else None,
            tries=observed.tries if observed else 0.0,
            failed=self.failed,
            unjudged=self.unjudged,
            overflowed=self.overflowed,
            truncated=self.truncated,
            played_again=self.played_again or None,
        )


def pick_tasks(
    environment: Environment, splits: Sequence[str], count: int | None, seed: int
) -> dict[str, dict[str, Any]]:
    """The first ``count`` tasks of each split by id; a generated split needs a count."""
    found: dict[str, dict[str, Any]] = {}
    for split in splits:
        if count is None and environment.is_generated(split):
            raise UsageError(
                f"{environment.package.reference} generates {split!r} without end: say how many with --tasks"
            )
        for task in islice(environment.tasks(split, seed=seed, limit=count), count):
            if task["id"] in found:
                raise UsageError(
                    f"{environment.package.reference} has a task {task['id']!r} in two of {', '.join(splits)}: "
                    "evaluate one of them with --split"
                )
            found[task["id"]] = task
    return found


def play_cell(cell: Cell, policy: Policy, log: AttemptLog, *, workers: int, say: Say) -> list[dict[str, Any]]:
    """Run the missing attempts of a cell, ``workers`` at once; returns all its attempts in order.

    Each attempt is stored as soon as it ends, even if another attempt then stops the evaluation.
    """
    wanted = list(cell.wanted())
    missing = [(task_id, sample) for task_id, sample in wanted if log.find(cell.key, task_id, sample) is None]
    done = len(wanted) - len(missing)
    say(done, len(wanted))
    player = _Player(cell, policy)
    with ThreadPoolExecutor(workers) as pool:
        running = [pool.submit(player.play_and_keep, log, task_id, sample) for task_id, sample in missing]
        try:
            for one in as_completed(running):
                with contextlib.suppress(_StoppedError):  # by another attempt, whose error comes
                    one.result()
                done += 1
                say(done, len(wanted))
        except BaseException:  # Ctrl-C too; what was played is in the log and is not played again
            player.stopped.set()
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return [found for task_id, sample in wanted if (found := log.find(cell.key, task_id, sample)) is not None]


class _StoppedError(HubClientError):
    """An attempt failed when the evaluation had ended early. It has no result, and the next command plays it."""


class _Player:
    """Plays a cell's attempts, and those that were lost again."""

    def __init__(self, cell: Cell, policy: Policy) -> None:
        self._cell, self._policy = cell, policy
        self._outage = Outage()
        self.stopped = Event()
        """Set when the evaluation ends early: nothing waits for another try then, and no failure is kept, since what
        ends an evaluation may end the processes of its attempts too.
        """

    def play_and_keep(self, log: AttemptLog, task_id: str, sample: int) -> None:
        if self.stopped.is_set():
            raise _StoppedError("the evaluation ended early")
        tries = Tries(self._outage)
        try:
            attempt = {**asdict(self._played(tries, task_id, sample)), "error": ""}
        except HarnessFailedError as error:
            attempt = {"messages": [], "state": None, "error": str(error)}
        except BaseException:
            self.stopped.set()  # here, not where it is waited for: the next attempt would be begun and paid for
            raise
        log.add(self._cell.key, task_id, sample, {**attempt, "lost": tries.lost})

    def _played(self, tries: Tries, task_id: str, sample: int) -> Transcript:
        """The attempt. Raises the error of the last try, and at once what the model's server refuses.

        That one has been asked several times already, and each further try would ask and pay for every answer again.
        """
        cell = self._cell
        while True:
            model = _Model(self._policy)
            try:
                played = cell.harness.play(cell.environment, cell.tasks[task_id], model, seed=cell.seed + 1000 * sample)
            except HubClientError as error:
                if self.stopped.is_set():
                    raise _StoppedError(str(error)) from error
                pause = None if error in model.refusals else tries.pause_after(error)
                if pause is None:
                    raise
                if self.stopped.wait(pause):
                    raise _StoppedError(str(error)) from error
            else:
                self._outage.end()
                return played


class _Model:
    """A policy that remembers what it raised, to tell a model's server that is away from a hub or engine that is."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self.name = policy.name
        self.refusals: list[Exception] = []

    def complete(
        self, messages: Sequence[dict[str, Any]], tools: Sequence[dict[str, Any]], *, seed: int, **more: Any
    ) -> dict[str, Any]:
        try:
            return self._policy.complete(messages, tools, seed=seed, **more)
        except Exception as error:
            self.refusals.append(error)
            raise

    def close(self) -> None:
        """Whoever opened the policy closes it."""


def judge_cell(cell: Cell, attempts: Sequence[dict[str, Any]]) -> CellResult:
    """Judge the attempts and count how often each task was solved."""
    whole = [index for index, attempt in enumerate(attempts) if not attempt["error"]]
    requests = [
        ScoreRequest(
            id=str(index),
            task=cell.tasks[attempts[index]["task_id"]],
            messages=attempts[index]["messages"],
            state=attempts[index]["state"],
        )
        for index in whole
    ]
    verdicts = dict(zip(whole, cell.environment.score_requests(requests), strict=True))
    counts: dict[str, tuple[int, int]] = {}
    for index, verdict in verdicts.items():
        accepted = verdict.accepts(cell.environment.rewards)
        if accepted is not None:
            solved, tried = counts.get(attempts[index]["task_id"], (0, 0))
            counts[attempts[index]["task_id"]] = (solved + accepted, tried + 1)
    return CellResult(
        cell=cell,
        counts=counts,
        rollouts=[_rollout(cell, attempt, verdicts.get(index)) for index, attempt in enumerate(attempts)],
        failed=len(attempts) - len(whole),
        unjudged=len(whole) - sum(tried for _, tried in counts.values()),
        overflowed=sum(bool(attempt.get("overflow")) for attempt in attempts),
        reasons=_reasons(attempts, verdicts, cell.environment),
        truncated=sum(bool(attempt.get("truncated")) for attempt in attempts),
        played_again=sum(bool(attempt.get("lost")) for attempt in attempts),
    )


def _reasons(
    attempts: Sequence[dict[str, Any]], verdicts: Mapping[int, Verdict], environment: Environment
) -> dict[str, int]:
    texts = ["harness: " + _in_one_line(attempt["error"]) for attempt in attempts if attempt["error"]]
    for verdict in verdicts.values():
        if verdict.accepts(environment.rewards) is None:
            said = f"{verdict.error.kind}: {_in_one_line(verdict.error.message)}" if verdict.error else "it said null"
            texts.append("verifier: " + said)
    return dict(Counter(texts).most_common())


def _in_one_line(text: str) -> str:
    """The exception's message, without the traceback."""
    return " ".join(words_of_fault(text).split())[:300] or "it gave no reason"


def _rollout(cell: Cell, attempt: dict[str, Any], verdict: Verdict | None) -> RolloutRow:
    """The rollout as it is sent to the hub. An attempt that broke in the harness has a reason instead of rewards."""
    error = attempt["error"] or (verdict.error.message if verdict is not None and verdict.error else "")
    return RolloutRow(
        step=attempt["sample"],
        phase=cell.harness.name,
        package=cell.environment.package.package,
        task_id=attempt["task_id"],
        prompt=prompt_text(cell.tasks[attempt["task_id"]]),
        response=_last_words(attempt["messages"]),
        rewards=verdict.rewards if verdict is not None else dict.fromkeys(cell.environment.rewards),
        error=error[:500] or attempt.get("overflow", "")[:500],
    )


def _last_words(messages: Sequence[dict[str, Any]]) -> str:
    spoken = [m for m in messages if m.get("role") == "assistant" and isinstance(m.get("content"), str)]
    return spoken[-1]["content"] if spoken else ""
