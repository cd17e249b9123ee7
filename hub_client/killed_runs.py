"""What a run told its hub, compared with its files: a run that was killed had more to tell than the hub was sent.

``reported.jsonl`` says as what a run began, and its id once the hub has given one. The run's process holds the file
(flock) until it ends, however it ends: its own reports and ``verihub run send`` never go out at once.
"""

import errno
import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import IO, Any, Protocol, TypeVar

from pydantic import BaseModel, ValidationError

from hub_client.errors import CheckFailedError, ConflictError, UsageError
from hub_client.unsent_reports import LOG, ROLLOUTS, RunMessage, RunSink, Sent, batches
from schemas.run import MetricPoint, RolloutRow, RunCreate

locks: ModuleType | None
try:
    import fcntl as locks
except ImportError:  # pragma: no cover -- Windows, where a run is not held
    locks = None

TOLD, METRICS, ROWS = "reported.jsonl", "metrics.jsonl", "rollouts.jsonl"
_POINTS_AT_ONCE = 500
Row = TypeVar("Row", bound=BaseModel)


class ReadableRuns(RunSink, Protocol):
    """What also says what it has of a run: ``hub.runs``."""

    def stored_points(self, run_id: str) -> Sequence[MetricPoint]: ...
    def stored_rollouts(self, run_id: str) -> Sequence[RolloutRow]: ...


class ToldRun:
    """Writes ``reported.jsonl`` of a run that goes on, and holds it. A full disk costs the note, and not the run."""

    def __init__(self, folder: Path) -> None:
        self._file: IO[str] | None = None
        with suppress(OSError):
            self._file = (folder / TOLD).open("a", encoding="utf-8")
            _hold(self._file)

    def began(self, report: RunMessage) -> None:
        """The run is about to be announced."""
        self._write({"create": report.body.model_dump(mode="json"), "key": report.key})

    def is_known_as(self, run_id: str) -> None:
        """The hub has given it an id."""
        self._write({"run": run_id})

    def _write(self, row: dict[str, Any]) -> None:
        with suppress(OSError):
            if self._file is not None:
                self._file.write(json.dumps(row) + "\n")
                self._file.flush()

    def close(self) -> None:
        """Let go of the file."""
        with suppress(OSError):
            if self._file is not None:
                self._file.close()


def _hold(file: IO[str]) -> bool:
    """Whether the file is held now; a file system without locks holds nothing, and says yes."""
    if locks is None:
        return True
    try:
        locks.flock(file, locks.LOCK_EX | locks.LOCK_NB)
    except OSError as error:
        return error.errno not in {errno.EWOULDBLOCK, errno.EACCES}
    return True


def send_rest(folder: Path, runs: ReadableRuns, advance: Callable[[int, int], None], run_id: str = "") -> Sent:
    """Send what the files of a run hold and its hub does not, each row once.

    ``run_id``: where it is known already. Raises :class:`UsageError` for a folder that no run wrote, and for a run that
    still goes on.
    """
    path = folder / TOLD
    try:
        with path.open("a+", encoding="utf-8") as file:
            if not _hold(file):
                raise UsageError(f"the run of {folder} still goes on, and sends its reports itself: wait for its end")
            file.seek(0)
            known = _read(path, file.read())
            run_id = run_id or known.get("run", "")
            if not run_id:
                run_id = runs.create(RunCreate.model_validate(known["create"]), known.get("key", "")).id
            if run_id != known.get("run"):
                file.write(json.dumps({"run": run_id}) + "\n")
            return _send(folder, run_id, runs, advance)
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from None


def _read(path: Path, text: str) -> dict[str, Any]:
    """The last run that began, with its id where the hub gave one."""
    found: dict[str, Any] = {}
    for row in _json_lines(text):
        found = row if "create" in row else {**found, **row}
    try:
        RunCreate.model_validate(found["create"])
        if not all(isinstance(found.get(name, ""), str) for name in ("run", "key")):
            raise TypeError
    except (ValidationError, KeyError, TypeError):
        raise UsageError(f"{path} does not say as what a run began: is this the folder of a run?") from None
    return found


def _json_lines(text: str) -> Iterator[dict[str, Any]]:
    for line in text.split("\n"):
        with suppress(ValueError, RecursionError):  # what a killed process or a full disk left
            row = json.loads(line)
            if isinstance(row, dict):
                yield row


def _rows(path: Path, kind: type[Row]) -> list[Row]:
    found = []
    text = path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""
    for row in _json_lines(text):
        with suppress(ValidationError):
            found.append(kind.model_validate(_as_text(row)))
    return found


def _as_text(row: dict[str, Any]) -> dict[str, Any]:
    """The row with a question mark for each half of a surrogate pair, which no hub takes and UTF-8 does not have."""
    try:
        json.dumps(row, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        whole: dict[str, Any] = json.loads(json.dumps(row, ensure_ascii=False).encode(errors="replace"))
        return whole
    return row


def _send(folder: Path, run_id: str, runs: ReadableRuns, advance: Callable[[int, int], None]) -> Sent:
    steps = {point.step for point in runs.stored_points(run_id)}
    points = [point for point in _rows(folder / METRICS, MetricPoint) if point.step not in steps]
    rows = _missing(_rows(folder / ROWS, RolloutRow), runs.stored_rollouts(run_id))
    reports = [RunMessage.of(LOG, points[at : at + _POINTS_AT_ONCE]) for at in range(0, len(points), _POINTS_AT_ONCE)]
    reports += [RunMessage.of(ROLLOUTS, batch) for batch in batches(rows)]
    sent: list[RunMessage] = []
    refused: list[str] = []
    for number, report in enumerate(reports):
        advance(number, len(reports))
        try:
            report.send(runs, run_id)
        except (CheckFailedError, ConflictError, UsageError) as error:
            refused.append(f"{METRICS if report.kind == LOG else ROWS}: {error}")
            continue
        sent.append(report)
    return Sent(
        run_id,
        len(sent),
        sum(len(report.body) for report in sent if report.kind == LOG),
        sum(len(report.body) for report in sent if report.kind == ROLLOUTS),
        0,
        0,
        refused,
    )


def _missing(own: Sequence[RolloutRow], at_hub: Sequence[RolloutRow]) -> list[RolloutRow]:
    """Those of a run's rows that its hub does not have. Equal rows are counted: a task may be answered twice alike."""
    left = Counter(map(_key, at_hub))
    missing = []
    for row in own:
        if left[_key(row)] > 0:
            left[_key(row)] -= 1
        else:
            missing.append(row)
    return missing


def _key(row: RolloutRow) -> str:
    """Equal for a row and what a hub keeps of it: it puts U+FFFD for NUL, which PostgreSQL cannot hold."""
    told = row.model_dump_json(include={"step", "phase", "package", "task_id", "response", "rewards"})
    return told.replace("\\u0000", "\ufffd")
