"""RunLogger: writes a run's metrics and rollouts to files and sends them to the hub. Training never waits for it."""

import json
import queue
import shlex
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

from hub_client.errors import HubClientError, HubUnreachableError, UsageError
from hub_client.killed_runs import ToldRun
from hub_client.unsent_reports import CREATE, FILE, LOG, ROLLOUTS, UPDATE, RunMessage, RunSink, UnsentReports, batches
from schemas.run import MetricPoint, RewardChange, RolloutRow, RunCreate, RunState, RunUpdate
from schemas.wording import counted


class MetricTrackers(Protocol):
    """Where else metrics go. ``log`` gets the finite values of a step."""

    def log(self, step: int, values: Mapping[str, float]) -> object: ...
    def finish(self) -> object: ...


_FIRST_PAUSE_SECONDS, _LONGEST_PAUSE_SECONDS = 0.5, 30.0


class RunLogger:
    """Sends on a thread of its own, in order. When the hub is down, sending is tried again while training goes on.

    What could not be sent when the run ends is left in ``unsent.jsonl``, which ``verihub run send`` sends; a run that
    goes on sends it first. A killed run leaves ``reported.jsonl``, by which the same command compares its files with
    what the hub has (``killed_runs``). With ``runs`` None nothing is sent. Metrics and rollouts are always written to
    ``metrics.jsonl`` and ``rollouts.jsonl`` in the output folder.
    """

    def __init__(
        self,
        runs: RunSink | None,
        folder: Path,
        warn: Callable[[str], None],
        run_id: str = "",
        trackers: MetricTrackers | None = None,
    ) -> None:
        self._trackers = trackers
        self._runs, self._folder, self._warn, self.run_id = runs, folder, warn, run_id
        self._queue: queue.Queue[RunMessage | None] = queue.Queue()
        self._unsent: list[RunMessage] = []
        self._kept = UnsentReports(folder / FILE)
        self._closing = threading.Event()
        self._deadline = float("inf")
        self._has_warned = False
        folder.mkdir(parents=True, exist_ok=True)
        self._told: ToldRun | None = None
        self._thread = threading.Thread(target=self._work, name="verihub-run-logger", daemon=True)
        self._thread.start()

    def create(self, run: RunCreate) -> None:
        """Announce the run (or, when resuming, that it goes on, after what was not sent before)."""
        if self._runs is not None:  # only now: a run that is refused before it begins leaves no file
            self._told = ToldRun(self._folder)
        is_known = bool(self.run_id)
        for report in self._kept.waiting if self._runs is not None else ():
            is_known = is_known or report.kind == CREATE
            self._queue.put(report)
        self._put(UPDATE if is_known else CREATE, RunUpdate(state=RunState.RUNNING, note="") if is_known else run)

    def go_on_after(self, step: int) -> None:
        """Remove lines about later steps, and an incomplete last line, from the files of a killed run.

        Those steps are trained and reported again. What the run could not send until then is sent first.
        """
        for name in ("metrics.jsonl", "rollouts.jsonl"):
            path = self._folder / name
            if path.exists():
                lines = [line for line in path.read_text(encoding="utf-8").splitlines() if _step_of(line) <= step]
                scratch = path.with_suffix(".rewritten")
                scratch.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
                scratch.replace(path)
        try:
            if self._runs is not None:
                self._take_up(step)
        except (OSError, UsageError) as error:
            self._warn(f"what this run could not send before is not sent: {error}")

    def _take_up(self, step: int) -> None:
        """Read what was not sent, without what is said again: later steps, and how the run stood."""
        self._kept = UnsentReports.read(self._kept.path)
        self.run_id = self.run_id or self._kept.run_id
        again: list[RunMessage] = []
        waiting: list[RunMessage] = []
        for report in self._kept.waiting:
            steps = [row.step for row in report.body] if report.kind in (LOG, ROLLOUTS) else []
            is_old = report.kind == UPDATE or max(steps, default=-1) > step
            (again if is_old else waiting).append(report)
        for report in again:
            self._kept.note_done(report, self.run_id)
        self._kept.waiting = waiting

    def log(self, step: int, values: dict[str, float]) -> None:
        """Metrics of one step; not-finite ones become null."""
        finite = {name: value if abs(value) < float("inf") else None for name, value in values.items()}
        point = MetricPoint(step=step, at=datetime.now(UTC), values=finite)
        self._append("metrics.jsonl", [point.model_dump(mode="json")])
        if self._trackers is not None:
            self._trackers.log(step, {name: value for name, value in finite.items() if value is not None})
        self._put(LOG, [point])

    def note(self, name: str, row: dict[str, Any]) -> None:
        """Add a line to a file of the output folder; it is not sent to the hub."""
        self._append(name, [row])

    def rollouts(self, rows: Sequence[RolloutRow]) -> None:
        """Rollouts of one step or evaluation."""
        if rows:
            self._append("rollouts.jsonl", [row.model_dump(mode="json") for row in rows])
            for batch in batches(rows):
                self._put(ROLLOUTS, batch)

    def finish(
        self, state: RunState, summary: dict[str, RewardChange] | None = None, note: str = "", *, seconds: float = 20.0
    ) -> None:
        """Send the end state and wait until the queue is empty.

        If the hub does not answer, give up after a time limit.
        """
        if self._trackers is not None:
            self._trackers.finish()
        self._put(UPDATE, RunUpdate(state=state, summary=summary or None, note=note or None))
        self._deadline = time.monotonic() + seconds
        self._closing.set()
        self._queue.put(None)
        self._thread.join(timeout=seconds + 60)
        if self._told is not None:
            self._told.close()
        if self._unsent:
            where = f"send them with\n  {self._how_to_send()}"
            try:
                self._kept.add([report for report in self._unsent if not report.line], self.run_id)
            except OSError as error:  # a full disk, say: whatever ended the run is to be told, and not this
                where = f"{self._kept.path} could not be written ({error.strerror or error})"
            self._warn(f"the hub did not take {counted(len(self._unsent), 'report')} of this run; {where}")

    def _how_to_send(self) -> str:
        to = ["--url", url] if (url := getattr(self._runs, "url", "")) else []
        return shlex.join(["verihub", *to, "run", "send", str(self._kept.path)])

    def _put(self, kind: str, body: Any) -> None:
        if self._runs is not None:
            report = RunMessage.of(kind, body)
            if kind == CREATE and self._told is not None:
                self._told.began(report)
            self._queue.put(report)

    def _append(self, name: str, rows: Sequence[dict[str, Any]]) -> None:
        with (self._folder / name).open("a", encoding="utf-8") as file:
            file.writelines(json.dumps(row) + "\n" for row in rows)

    def _work(self) -> None:
        while (report := self._queue.get()) is not None:
            is_possible = report.kind == CREATE or self.run_id
            if not is_possible or not self._send_patiently(report):
                self._unsent.append(report)

    def _send_patiently(self, report: RunMessage) -> bool:
        """Try until the report is sent or refused for good, or until the time limit after the end of the run."""
        pause = _FIRST_PAUSE_SECONDS
        while True:
            try:
                assert self._runs is not None
                self.run_id = report.send(self._runs, self.run_id)
                if report.kind == CREATE and self._told is not None:
                    self._told.is_known_as(self.run_id)
            except Exception as error:  # noqa: BLE001 -- a report must never stop a training run
                self._warn_once(error)
                is_refused = isinstance(error, HubClientError) and not isinstance(error, HubUnreachableError)
                if is_refused or time.monotonic() + _FIRST_PAUSE_SECONDS > self._deadline:
                    return False
                if self._closing.is_set():
                    time.sleep(_FIRST_PAUSE_SECONDS)
                else:
                    self._closing.wait(pause)
                pause = min(2 * pause, _LONGEST_PAUSE_SECONDS)
            else:
                with suppress(OSError):  # a full disk: sent once more later, which the hub knows for a day
                    self._kept.note_done(report, self.run_id)
                return True

    def _warn_once(self, error: Exception) -> None:
        if not self._has_warned:
            self._has_warned = True
            reason = str(error).rstrip(". ")
            self._warn(f"the hub does not take this run's reports: {reason}. Training goes on; nothing is lost.")


def _step_of(line: str) -> float:
    """The step that a line of a run's files is about; for an incomplete line, infinity, so that it is removed."""
    try:
        return float(json.loads(line)["step"])
    except (ValueError, KeyError, TypeError):
        return float("inf")
