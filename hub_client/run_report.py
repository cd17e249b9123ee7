"""RunReport: a training run on the hub, reported by any training loop.

::

    with Hub() as hub:
        env = hub.environment("lecture/change-making")
        with RunReport(hub, "my run", env, held_out=hub.verifier("alice/strict")) as report:
            for step, (pairs, loss) in enumerate(my_loop(), start=1):
                report.judged(step, pairs, env.score(pairs))
                report.log(step, {"loss": loss})

The run's page then shows rewards by step, every answer, and the alarm for reward hacking.
"""

import re
import warnings
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from types import TracebackType
from typing import Any, Self

from hub_client.client import Hub
from hub_client.environments import Pair, Verifier
from hub_client.errors import UsageError
from hub_client.run_logger import RunLogger
from hub_client.tables import RewardTable
from schemas.metric_names import held_out_metric, reward_metric
from schemas.run import PinnedPackage, RolloutRow, RunCreate, RunState
from schemas.task import Task
from schemas.texts import message_text, prompt_text
from schemas.verdict import ScoreRequest

TRAINING = "train"


class RunReport:
    """Creates the run with its first report, and ends it with the ``with``: finished, stopped (Ctrl-C) or failed.

    Reports go out on a thread of their own, and training never waits for the hub. Everything is also written to
    ``metrics.jsonl`` and ``rollouts.jsonl`` in ``folder`` (``verihub-runs/NAME`` by default).

    ``held_out``: a held-out verifier, which must declare the same rewards. It judges every training sample too, which
    takes additional time. ``is_silent=True`` reports nothing: set it in all processes except one.
    """

    def __init__(
        self,
        hub: Hub,
        name: str,
        verifier: Verifier,
        *,
        model: str = "",
        config: Mapping[str, Any] | None = None,
        held_out: Verifier | None = None,
        folder: Path | None = None,
    ) -> None:
        missing = sorted(verifier.rewards.keys() - held_out.rewards.keys()) if held_out is not None else []
        if missing:
            raise UsageError(f"the held-out verifier does not declare {', '.join(missing)}")
        self.is_silent = False
        self.where: Callable[[], tuple[int, str]] = lambda: (0, TRAINING)
        """Returns step and phase of the samples that are judged now, for reward functions that do not know them."""
        self._hub, self._name, self._verifier, self._held_out = hub, name, verifier, held_out
        self._model, self._config = model, dict(config or {})
        self._folder = folder or Path("verihub-runs") / (re.sub(r"[^\w.-]+", "-", name).strip(".-") or "run")
        self._logger: RunLogger | None = None
        self._step: int | None = None
        self._values: dict[str, float] = {}
        self._seen: dict[str, list[float]] = defaultdict(list)

    @property
    def run_id(self) -> str:
        """The hub's id of the run; empty until the hub has answered."""
        return self._logger.run_id if self._logger is not None else ""

    @property
    def url(self) -> str:
        """The address of the run's page; empty until the hub has answered."""
        return f"{self._hub.url}/runs/{self.run_id}" if self.run_id else ""

    def log(self, step: int, values: Mapping[str, float]) -> None:
        """Metrics of one step. Several calls for one step are one point; steps must not go back."""
        if not self.is_silent:
            self._go_to(step)
            self._values |= values

    def judged(self, step: int, pairs: Sequence[Pair], table: RewardTable, *, phase: str = TRAINING) -> None:
        """Report samples with their verdicts. In training their means become metrics of the step; in other phases they
        are only stored.
        """
        if self.is_silent:
            return
        held_out = self._held_out.score(pairs) if self._held_out is not None and phase == TRAINING else None
        rows = [self._row(step, phase, pair, table, held_out, index) for index, pair in enumerate(pairs)]
        if phase == TRAINING:
            self._go_to(step)
            for row in rows:
                for name in self._verifier.rewards:
                    self._note(reward_metric(name), row.rewards.get(name))
                    self._note(held_out_metric(name), row.held_out.get(name))
        self._open().rollouts(rows)

    def _note(self, metric: str, value: float | None) -> None:
        if value is not None:
            self._seen[metric].append(value)

    def _row(
        self, step: int, phase: str, pair: Pair, table: RewardTable, held_out: RewardTable | None, index: int
    ) -> RolloutRow:
        task, response = pair
        row = task.model_dump(mode="json") if isinstance(task, Task) else task
        error = table.errors[index]
        return RolloutRow(
            step=step,
            phase=phase,
            package=self._verifier.package.package,
            task_id=str(row.get("id", "")),
            prompt=prompt_text(row),
            response=_text_of(response),
            rewards=dict(table.verdicts[index].rewards),
            held_out=dict(held_out.verdicts[index].rewards) if held_out is not None else {},
            error=f"{error.kind.value}: {error.message}"[:2000] if error is not None else "",
        )

    def _open(self) -> RunLogger:
        if self._logger is None:
            self._logger = RunLogger(self._hub.runs, self._folder, _warn)
            pins = {
                one.package.package: PinnedPackage(package=one.package.package, version=one.version, digest=one.digest)
                for one in (self._verifier, self._held_out)
                if one is not None
            }
            self._logger.create(
                RunCreate(
                    name=self._name,
                    model=self._model,
                    packages=list(pins.values()),
                    rewards=self._verifier.rewards,
                    config=self._config,
                )
            )
        return self._logger

    def _go_to(self, step: int) -> None:
        """Send the last step's metrics when another begins."""
        if self._step is not None and step < self._step:
            raise UsageError(f"step {step} comes after step {self._step}: steps of a run go forward")
        if step != self._step:
            self._flush()
            self._step = step

    def _flush(self) -> None:
        means = {name: fmean(values) for name, values in self._seen.items()}
        values = means | {name: float(value) for name, value in self._values.items()}
        if self._step is not None and values:
            self._open().log(self._step, values)
        self._values, self._seen = {}, defaultdict(list)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.is_silent:
            return
        self._flush()
        if self._logger is not None:
            if kind is None:
                self._logger.finish(RunState.FINISHED)
            elif issubclass(kind, KeyboardInterrupt):
                self._logger.finish(RunState.STOPPED, note="Stopped with Ctrl-C.")
            else:
                self._logger.finish(RunState.FAILED, note=f"{kind.__name__}: {error}"[:500])


def _warn(text: str) -> None:
    warnings.warn(text, stacklevel=2)


def _text_of(response: str | list[dict[str, Any]] | ScoreRequest) -> str:
    if isinstance(response, ScoreRequest):
        response = response.response if response.response is not None else response.messages or ""
    if isinstance(response, str):
        return response
    return message_text(response[-1]) if response else ""
