"""Pure decisions about results: how submissions are added up, and how audits correct them."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from hub_server.evaluations.rules.quality.outcomes import Outcomes
from schemas.benchmark import BenchmarkReport, CellRow, JudgedEnvironment, LeaderboardRow
from schemas.evidence.rates import Measurement
from schemas.measures.corrected import CorrectedRate, Observed, TrustLevel, correct, correct_all

Counts = Mapping[str, tuple[int, int]]
"""Task -> (successes, attempts)."""


@dataclass(frozen=True)
class Submission:
    """What one account sent of one model in one environment under one harness."""

    model: str
    harness: str
    environment: str
    version: str
    counts: Counts
    failed: int = 0
    unjudged: int = 0


@dataclass(frozen=True)
class Entry:
    """One line of the leaderboard: everything that a model did under a harness, over all environments."""

    model: str
    harness: str
    counts: Counts
    cells: tuple[CellRow, ...] = field(default=())

    @property
    def name(self) -> str:
        """How the entry is called in pairs."""
        return f"{self.model} · {self.harness}"


def results_digest(submissions: Sequence[Submission]) -> str:
    """The same results have the same digest, in whatever order they came."""
    lines = sorted(
        json.dumps([s.model, s.harness, s.environment, s.version, sorted(s.counts.items()), s.failed, s.unjudged])
        for s in submissions
    )
    return "sha256:" + hashlib.sha256("\n".join(lines).encode()).hexdigest()


def merge_entries(submissions: Sequence[Submission]) -> list[Entry]:
    """Submissions, whoever sent them -> entries; counts of the same task add up."""
    places: dict[tuple[str, str], dict[str, list[Submission]]] = {}
    for one in submissions:
        places.setdefault((one.model, one.harness), {}).setdefault(one.environment, []).append(one)
    entries = []
    for (model, harness), by_environment in sorted(places.items()):
        counts: dict[str, tuple[int, int]] = {}
        cells = []
        for environment, same in sorted(by_environment.items()):
            added = _added(same)
            counts |= {f"{environment}#{task}": pair for task, pair in added.items()}
            cells.append(_cell(same, added))
        entries.append(Entry(model, harness, counts, tuple(cells)))
    return entries


def _added(same: Sequence[Submission]) -> dict[str, tuple[int, int]]:
    counts: dict[str, tuple[int, int]] = {}
    for one in same:
        for task, (successes, attempts) in one.counts.items():
            before = counts.get(task, (0, 0))
            counts[task] = (before[0] + successes, before[1] + attempts)
    return counts


def _cell(same: Sequence[Submission], counts: Counts) -> CellRow:
    observed = Observed.of(counts)
    return CellRow(
        model=same[0].model,
        harness=same[0].harness,
        environment=same[0].environment,
        versions=sorted({one.version for one in same}),
        rate=observed.rate,
        tries=observed.tries,
        task_count=len(counts),
        attempts=sum(attempts for _, attempts in counts.values()),
        failed=sum(one.failed for one in same),
        unjudged=sum(one.unjudged for one in same),
    )


def outcomes_of(entries: Sequence[Entry]) -> Outcomes:
    """Entries as a matrix, every task that anybody attempted."""
    tasks = tuple(sorted({task for entry in entries for task in entry.counts}))
    counts = np.array([[entry.counts.get(task, (0, 0)) for task in tasks] for entry in entries], dtype=np.int64)
    counts = counts.reshape(len(entries), len(tasks), 2)
    return Outcomes(tuple(entry.name for entry in entries), tasks, counts[:, :, 0], counts[:, :, 1])


def with_audits(report: BenchmarkReport, judged: Sequence[JudgedEnvironment]) -> BenchmarkReport:
    """The report with what the audits say now: trust levels, and rates corrected for the verifiers' errors."""
    trust_levels = {one.environment: one.trust_level for one in judged}
    errors = {one.environment: one.errors for one in judged if one.errors is not None}
    cells = [_corrected_cell(cell, trust_levels, errors) for cell in report.cells]
    by_entry: dict[tuple[str, str], list[CellRow]] = {}
    for cell in cells:
        by_entry.setdefault((cell.model, cell.harness), []).append(cell)
    leaderboard = [
        _corrected_row(row, by_entry.get((row.model, row.harness), []), errors) for row in report.leaderboard
    ]
    return report.model_copy(update={"environments": list(judged), "cells": cells, "leaderboard": leaderboard})


def _corrected_cell(
    cell: CellRow, trust_levels: Mapping[str, TrustLevel], errors: Mapping[str, Measurement]
) -> CellRow:
    found = correct(Observed(cell.rate, cell.tries), errors.get(cell.environment))
    corrected = CorrectedRate(reason=found) if isinstance(found, str) else CorrectedRate(estimate=found.interval)
    trust_level = trust_levels.get(cell.environment, TrustLevel.UNAUDITED)
    return cell.model_copy(update={"corrected": corrected, "trust_level": trust_level})


def _corrected_row(row: LeaderboardRow, cells: Sequence[CellRow], errors: Mapping[str, Measurement]) -> LeaderboardRow:
    corrected = correct_all(
        [(cell.environment, Observed(cell.rate, cell.tries), cell.task_count, errors.get(cell.environment))
         for cell in cells]
    )  # fmt: skip
    found = {cell.trust_level for cell in cells}
    worst = next((one for one in (TrustLevel.UNAUDITED, TrustLevel.WEAK) if one in found), TrustLevel.MEASURED)
    return row.model_copy(update={"corrected": corrected, "trust_level": worst})
