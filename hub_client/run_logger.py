"""RunLogger: writes a run's metrics and rollouts to files and sends them to the hub. Training never waits for it."""

import json
import queue
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

from hub_client.errors import HubClientError, HubUnreachableError
from schemas.run import MetricPoint, RewardChange, RolloutRow, Run, RunCreate, RunState, RunUpdate


class RunSink(Protocol):
    """What takes a run's reports: ``hub.runs``."""

    def create(self, run: RunCreate) -> Run: ...
    def log(self, run_id: str, points: Sequence[MetricPoint]) -> object: ...
    def rollouts(self, run_id: str, rows: Sequence[RolloutRow]) -> object: ...
    def update(self, run_id: str, change: RunUpdate) -> object: ...


class MetricTrackers(Protocol):
    """Where else metrics go. ``log`` gets the finite values of a step."""

    def log(self, step: int, values: Mapping[str, float]) -> object: ...
    def finish(self) -> object: ...


_ROWS_AT_ONCE = 500  # a quarter of what a hub takes in one report (hub_server.runs.rules.reports)
_BYTES_AT_ONCE = 2 * 2**20
"""The most bytes of rollouts in one report with several rollouts: a hub refuses bodies of more than 8 MiB."""
_FIRST_PAUSE_SECONDS, _LONGEST_PAUSE_SECONDS = 0.5, 30.0


class RunLogger:
    """Sends on a thread of its own, in order. When the hub is down, sending is tried again while training goes on.

    What could not be sent when the run ends is left in ``unsent.jsonl``. With ``runs`` None nothing is sent. Metrics
    and rollouts are always written to ``metrics.jsonl`` and ``rollouts.jsonl`` in the output folder.
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
        self._queue: queue.Queue[tuple[str, Any] | None] = queue.Queue()
        self._unsent: list[tuple[str, Any]] = []
        self._closing = threading.Event()
        self._deadline = float("inf")
        self._has_warned = False
        folder.mkdir(parents=True, exist_ok=True)
        self._thread = threading.Thread(target=self._work, name="verihub-run-logger", daemon=True)
        self._thread.start()

    def create(self, run: RunCreate) -> None:
        """Announce the run (or, when resuming, that it goes on)."""
        self._put("update" if self.run_id else "create", RunUpdate(state=RunState.RUNNING) if self.run_id else run)

    def go_on_after(self, step: int) -> None:
        """Remove lines about later steps, and an incomplete last line, from the files of a killed run.

        Those steps are trained and reported again.
        """
        for name in ("metrics.jsonl", "rollouts.jsonl"):
            path = self._folder / name
            if path.exists():
                lines = [line for line in path.read_text(encoding="utf-8").splitlines() if _step_of(line) <= step]
                scratch = path.with_suffix(".rewritten")
                scratch.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
                scratch.replace(path)

    def log(self, step: int, values: dict[str, float]) -> None:
        """Metrics of one step; not-finite ones become null."""
        finite = {name: value if abs(value) < float("inf") else None for name, value in values.items()}
        point = MetricPoint(step=step, at=datetime.now(UTC), values=finite)
        self._append("metrics.jsonl", [point.model_dump(mode="json")])
        if self._trackers is not None:
            self._trackers.log(step, {name: value for name, value in finite.items() if value is not None})
        self._put("log", [point])

    def note(self, name: str, row: dict[str, Any]) -> None:
        """Add a line to a file of the output folder; it is not sent to the hub."""
        self._append(name, [row])

    def rollouts(self, rows: Sequence[RolloutRow]) -> None:
        """Rollouts of one step or evaluation."""
        if rows:
            self._append("rollouts.jsonl", [row.model_dump(mode="json") for row in rows])
            for batch in _batches(rows):
                self._put("rollouts", batch)

    def finish(
        self, state: RunState, summary: dict[str, RewardChange] | None = None, note: str = "", *, seconds: float = 20.0
    ) -> None:
        """Send the end state and wait until the queue is empty.

        If the hub does not answer, give up after a time limit.
        """
        if self._trackers is not None:
            self._trackers.finish()
        self._put("update", RunUpdate(state=state, summary=summary or None, note=note or None))
        self._deadline = time.monotonic() + seconds
        self._closing.set()
        self._queue.put(None)
        self._thread.join(timeout=seconds + 60)
        if self._unsent:
            rows = [{"kind": kind, "body": _as_json(body)} for kind, body in self._unsent]
            where = f"they are in {self._folder / 'unsent.jsonl'}"
            try:
                self._append("unsent.jsonl", rows)
            except OSError as error:  # a full disk, say: whatever ended the run is to be told, and not this
                where = f"and {self._folder / 'unsent.jsonl'} could not be written ({error.strerror or error})"
            self._warn(f"the hub did not take {len(rows)} reports of this run; {where}")

    def _put(self, kind: str, body: Any) -> None:
        if self._runs is not None:
            self._queue.put((kind, body))

    def _append(self, name: str, rows: Sequence[dict[str, Any]]) -> None:
        with (self._folder / name).open("a", encoding="utf-8") as file:
            file.writelines(json.dumps(row) + "\n" for row in rows)

    def _work(self) -> None:
        while (item := self._queue.get()) is not None:
            is_possible = item[0] == "create" or self.run_id
            if not is_possible or not self._send_patiently(*item):
                self._unsent.append(item)

    def _send_patiently(self, kind: str, body: Any) -> bool:
        """Try until the report is sent or refused for good, or until the time limit after the end of the run."""
        pause = _FIRST_PAUSE_SECONDS
        while True:
            try:
                self._send(kind, body)
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
                return True

    def _send(self, kind: str, body: Any) -> None:
        assert self._runs is not None
        if kind == "create":
            self.run_id = self._runs.create(body).id
            return
        send: dict[str, Callable[[str, Any], object]] = {
            "log": self._runs.log,
            "rollouts": self._runs.rollouts,
            "update": self._runs.update,
        }
        send[kind](self.run_id, body)

    def _warn_once(self, error: Exception) -> None:
        if not self._has_warned:
            self._has_warned = True
            reason = str(error).rstrip(". ")
            self._warn(f"the hub does not take this run's reports: {reason}. Training goes on; nothing is lost.")


def _batches(rows: Sequence[RolloutRow]) -> Iterator[list[RolloutRow]]:
    """Rows in their order, few enough and short enough for one report. A row that is too long goes alone."""
    batch: list[RolloutRow] = []
    size = 0
    for row in rows:
        length = len(row.model_dump_json())
        if batch and (len(batch) == _ROWS_AT_ONCE or size + length > _BYTES_AT_ONCE):
            yield batch
            batch, size = [], 0
        batch.append(row)
        size += length
    if batch:
        yield batch


def _step_of(line: str) -> float:
    """The step that a line of a run's files is about; for an incomplete line, infinity, so that it is removed."""
    try:
        return float(json.loads(line)["step"])
    except (ValueError, KeyError, TypeError):
        return float("inf")


def _as_json(body: Any) -> Any:
    return [row.model_dump(mode="json") for row in body] if isinstance(body, list) else body.model_dump(mode="json")
