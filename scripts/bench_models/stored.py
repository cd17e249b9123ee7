"""What the models answered, kept apart from the bytes of one release: any hub can judge it again.

An evaluation's folder belongs to exact digests. A hub that was made later has others, though the tasks are the same. So
what is kept names packages and tasks, and is laid out anew as the folder of an evaluation that has only to be judged.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from hub_client.client import Hub
from hub_client.evaluation.attempt_log import AttemptLog
from hub_client.evaluation.evaluate import Cell, pick_tasks
from hub_client.evaluation.harness_loader import open_harness
from schemas.texts import prompt_text
from scripts.bench_models.entries import Entry

STORED = Path(__file__).with_name("attempts.jsonl")
BENCHMARK = "lecture/starter-bench"
MOST_TOKENS = 160
_LEFT_OUT = {"cell", "lost"}
Row = dict[str, Any]


class ChangedTasksError(Exception):
    """The hub's tasks are not those that were answered."""


def cells(hub: Hub, harnesses: Iterable[str], count: int) -> dict[tuple[str, str], Cell]:
    """(environment, harness) -> the cell that ``verihub eval`` makes of them, in the benchmark as the hub has it."""
    manifest = hub.load(BENCHMARK).contents.manifest
    named = {name: open_harness(hub, name) for name in harnesses}
    found = {}
    for reference in manifest.environments:
        environment = hub.environment(reference)
        tasks = pick_tasks(environment, list(manifest.evaluated_splits), count, seed=0)
        for name, harness in named.items():
            found[environment.package.package, name] = Cell(environment, harness, tasks, samples=1, seed=0)
    return found


def collect(entry: Entry, found: Mapping[tuple[str, str], Cell], folder: Path) -> Iterator[Row]:
    """The attempts of an evaluation's folder, as they are kept. What is missing in a cell is left out."""
    log = AttemptLog(folder, settings(entry))
    for (environment, harness), cell in found.items():
        for task_id, sample in cell.wanted():
            attempt = log.find(cell.key, task_id, sample)
            if attempt is not None:
                kept = {name: value for name, value in attempt.items() if name not in _LEFT_OUT}
                asked = _digest(cell.tasks[task_id])
                yield {"entry": entry.name, "environment": environment, "harness": harness, "asked": asked, **kept}


def lay_out(entry: Entry, found: Mapping[tuple[str, str], Cell], rows: Iterable[Row], folder: Path) -> None:
    """Write the folder of an evaluation in which every attempt has ended.

    Raises :class:`ChangedTasksError` where the hub asks what was not answered.
    """
    log = AttemptLog(folder, settings(entry))
    for row in rows:
        cell = found.get((row["environment"], row["harness"]))
        if row["entry"] == entry.name and cell is not None:
            task = cell.tasks.get(row["task_id"])
            if task is not None and _digest(task) == row["asked"]:
                about = {"entry", "environment", "harness", "asked", "task_id", "sample"}
                kept = {name: value for name, value in row.items() if name not in about}
                log.add(cell.key, row["task_id"], row["sample"], kept | {"lost": 0})
    for (environment, harness), cell in found.items():
        missing = [task for task, sample in cell.wanted() if log.find(cell.key, task, sample) is None]
        if missing:
            raise ChangedTasksError(
                f"{entry.name} has not answered {len(missing)} of the tasks that this hub has in {environment} under "
                f"{harness}, {missing[0]} for one: its tasks have changed, so let the models play again"
            )


def settings(entry: Entry) -> dict[str, Any]:
    """What ``verihub eval`` notes in an evaluation's folder."""
    return {"model": entry.name, "temperature": entry.temperature, "max_tokens": MOST_TOKENS}


def read(file: Path = STORED) -> list[Row]:
    """All attempts that are kept."""
    with file.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def write(rows: Iterable[Row], file: Path = STORED) -> None:
    """Keep these attempts and no others."""
    file.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")


def count_of(rows: Iterable[Row]) -> int:
    """How many tasks of each environment were asked: the most of any, since each was asked equally many."""
    asked: dict[str, set[str]] = {}
    for row in rows:
        asked.setdefault(row["environment"], set()).add(row["task_id"])
    return max(map(len, asked.values()), default=0)


def _digest(task: Mapping[str, Any]) -> str:
    return hashlib.sha256(prompt_text(dict(task)).encode()).hexdigest()[:16]
