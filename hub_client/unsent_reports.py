"""A run's reports that no hub has taken yet, in one file of JSON lines, and how they are sent later.

Each line is a report (``kind``, ``body``, and ``run`` where the hub had given it an id), or says which earlier line is
done. Nothing is ever taken out: a command that is killed in the middle goes on after the last line that it noted.
"""

import json
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Protocol

from pydantic import TypeAdapter

from hub_client.errors import CheckFailedError, ConflictError, UsageError
from schemas.run import MetricPoint, RolloutRow, Run, RunCreate, RunUpdate

FILE = "unsent.jsonl"
CREATE, UPDATE, LOG, ROLLOUTS = "create", "update", "log", "rollouts"
_BODIES: Mapping[str, TypeAdapter[Any]] = {
    CREATE: TypeAdapter(RunCreate),
    UPDATE: TypeAdapter(RunUpdate),
    LOG: TypeAdapter(list[MetricPoint]),
    ROLLOUTS: TypeAdapter(list[RolloutRow]),
}
_DONE = "done"
_ROWS_AT_ONCE = 500  # a quarter of what a hub takes in one report (hub_server.runs.rules.reports)
_BYTES_AT_ONCE = 2 * 2**20
"""The most bytes of rollouts in one report with several rollouts: a hub refuses bodies of more than 8 MiB."""


class RunSink(Protocol):
    """What takes a run's reports: ``hub.runs``."""

    def create(self, run: RunCreate, key: str = "") -> Run: ...
    def log(self, run_id: str, points: Sequence[MetricPoint]) -> object: ...
    def rollouts(self, run_id: str, rows: Sequence[RolloutRow]) -> object: ...
    def update(self, run_id: str, change: RunUpdate) -> object: ...


@dataclass(frozen=True)
class RunMessage:
    """One report. ``key``: of a new run, so that a lost answer does not make two. ``line``: where the file has it."""

    kind: str
    body: Any
    key: str = ""
    line: int = 0

    @classmethod
    def of(cls, kind: str, body: Any) -> "RunMessage":
        """A report that is in no file."""
        return cls(kind, body, uuid.uuid4().hex if kind == CREATE else "")

    def send(self, runs: RunSink, run_id: str) -> str:
        """Send it; returns the run's id. Only a new run may be sent without one."""
        if self.kind == CREATE:
            return runs.create(self.body, self.key).id
        send: dict[str, Callable[[str, Any], object]] = {
            LOG: runs.log,
            ROLLOUTS: runs.rollouts,
            UPDATE: runs.update,
        }
        send[self.kind](run_id, self.body)
        return run_id


@dataclass
class UnsentReports:
    """What ``path`` holds: the reports that are still to be sent, the run's id, and how many are done."""

    path: Path
    waiting: list[RunMessage] = field(default_factory=list)
    run_id: str = ""
    done: int = 0
    broken: int = 0
    """Incomplete lines, which a full disk leaves. They are left out."""

    @classmethod
    def read(cls, path: Path) -> "UnsentReports":
        """The file; without one, no reports. Raises :class:`UsageError` where a line is no report."""
        found = cls(path)
        try:
            texts = path.read_text(encoding="utf-8").split("\n") if path.is_file() else []
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"{path} cannot be read: {error}") from None
        reports: dict[int, RunMessage] = {}
        for number, text in enumerate(texts, 1):
            if text.strip():
                found._take(reports, number, text)
        found.waiting = list(reports.values())
        return found

    def _take(self, reports: dict[int, RunMessage], number: int, text: str) -> None:
        try:
            row = json.loads(text)
        except (ValueError, RecursionError):
            self.broken += 1
            return
        try:
            if not all(isinstance(row.get(name, ""), str) for name in ("run", "key")):
                raise TypeError
            self.run_id = row.get("run") or self.run_id
            if row["kind"] == _DONE:
                self.done += reports.pop(row["line"], None) is not None
            else:
                body = _BODIES[row["kind"]].validate_python(row["body"])
                reports[number] = RunMessage(row["kind"], body, row.get("key", ""), number)
        except (ValueError, KeyError, TypeError, AttributeError):
            raise UsageError(
                f"{self.path}, line {number} is no report of a run: give the {FILE} that a run left"
            ) from None

    def add(self, reports: Sequence[RunMessage], run_id: str) -> None:
        """Write reports that are in no file to the end. Raises OSError."""
        self._append([{"kind": r.kind, "body": _as_json(r.body), "run": run_id, "key": r.key} for r in reports])

    def note_done(self, report: RunMessage, run_id: str) -> None:
        """Note that a report of this file need not be sent again."""
        if report.line:
            self._append([{"kind": _DONE, "line": report.line, "run": run_id}])

    def _append(self, rows: Sequence[dict[str, Any]]) -> None:
        starts = "" if _ends_whole(self.path) else "\n"  # after an incomplete line
        with self.path.open("a", encoding="utf-8") as file:
            file.write(starts + "".join(json.dumps({k: v for k, v in row.items() if v != ""}) + "\n" for row in rows))


@dataclass(frozen=True)
class Sent:
    """The run, what was sent now (reports, and what they held), reports sent before, incomplete lines, refusals."""

    run_id: str
    reports: int
    points: int
    rollouts: int
    before: int
    broken: int
    refused: list[str]

    def and_then(self, other: "Sent") -> "Sent":
        """What was sent in two turns."""
        mine, more = asdict(self), asdict(other)
        return Sent(**{name: more[name] if name == "run_id" else mine[name] + more[name] for name in mine})

    def as_json(self) -> dict[str, Any]:
        """For ``--format json``."""
        return asdict(self)


def send_reports(path: Path, runs: RunSink, advance: Callable[[int, int], None]) -> Sent:
    """Send what waits in the file, in order, and note each report there once the hub has it.

    A report that the hub refuses for what it holds is left in the file, and the others are sent all the same. Every
    other error is raised; sending again goes on from there.
    """
    found = UnsentReports.read(path)
    if found.waiting and not found.run_id and found.waiting[0].kind != CREATE:
        raise UsageError(f"{path} does not say of which run it is, and does not begin one")
    sent: list[RunMessage] = []
    refused: list[str] = []
    for number, report in enumerate(found.waiting):
        advance(number, len(found.waiting))
        try:
            found.run_id = report.send(runs, found.run_id)
        except (CheckFailedError, ConflictError, UsageError) as error:
            if report.kind == CREATE:
                raise
            refused.append(f"line {report.line}: {error}")
            continue
        found.note_done(report, found.run_id)
        sent.append(report)
    return Sent(
        found.run_id,
        len(sent),
        sum(len(report.body) for report in sent if report.kind == LOG),
        sum(len(report.body) for report in sent if report.kind == ROLLOUTS),
        found.done,
        found.broken,
        refused,
    )


def batches(rows: Sequence[RolloutRow]) -> Iterator[list[RolloutRow]]:
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


def _ends_whole(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            if not file.seek(0, 2):
                return True
            file.seek(-1, 2)
            return file.read(1) == b"\n"
    except (FileNotFoundError, OSError):
        return True


def _as_json(body: Any) -> Any:
    return [row.model_dump(mode="json") for row in body] if isinstance(body, list) else body.model_dump(mode="json")
