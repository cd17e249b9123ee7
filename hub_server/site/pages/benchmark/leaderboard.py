"""Entries of a benchmark: ranks, the table of models and harnesses, which pairs are told apart. Pure."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from markupsafe import Markup

from hub_server.evaluations.rules.senders import EntrySender
from hub_server.site.drawing import bench_scores
from schemas.benchmark import (
    BenchmarkReport,
    HarnessChange,
    LeaderboardRow,
)

MOST_IN_MATRIX = 36

MOST_MODELS = 16


@dataclass(frozen=True)
class BoardRow:
    """One line of the leaderboard. ``ranks``: the places that are possible, given the pairs that are told apart."""

    number: int
    ranks: str
    row: LeaderboardRow
    drawing: Markup
    sender: EntrySender | None = None
    """Who sent its newest results, and when; None where nobody is known."""


@dataclass(frozen=True)
class HarnessCell:
    """One model under one harness. ``change``: its difference to the first harness, on the tasks attempted under both;
    None where it did not run there.
    """

    row: LeaderboardRow
    drawing: Markup
    change: HarnessChange | None


@dataclass(frozen=True)
class ModelLine:
    """One model under every harness; None where it did not run."""

    model: str
    scores: list[HarnessCell | None]


_ORDERS: dict[str, Callable[[BoardRow], Any]] = {
    "score": lambda one: one.number,
    "corrected": lambda one: (one.row.corrected.estimate is None, -_corrected(one.row), one.number),
    "tasks": lambda one: (-one.row.task_count, one.number),
    "newest": lambda one: (one.sender is None, -(_moment(one.sender)), one.number),
    "model": lambda one: (one.row.model.casefold(), one.row.harness.casefold()),
}
ORDERS = tuple(_ORDERS)
"""The orders that a leaderboard can have; the first is its own."""


def _corrected(row: LeaderboardRow) -> float:
    return row.corrected.estimate.value if row.corrected.estimate is not None else 0.0


def _moment(sender: EntrySender | None) -> float:
    sent: datetime | None = sender.at if sender is not None else None
    return sent.timestamp() if sent is not None else 0.0


def board_of(
    report: BenchmarkReport, senders: Mapping[tuple[str, str], EntrySender] | None = None, order: str = ""
) -> list[BoardRow]:
    """The leaderboard's rows, each with its rank and its drawing; best first, or in one of ``ORDERS``.

    ``senders``: (model, harness) -> who sent it. An order that is not known is the first.
    """
    ranks, known = _ranks(report), senders or {}
    rows = [
        BoardRow(
            number,
            ranks[_name(row)],
            row,
            bench_scores.score_calliper(row.score, row.corrected),
            known.get((row.model, row.harness)),
        )
        for number, row in enumerate(report.leaderboard, start=1)
    ]
    return sorted(rows, key=_ORDERS.get(order, _ORDERS[ORDERS[0]]))


def _name(row: LeaderboardRow) -> str:
    return f"{row.model} · {row.harness}"


def _ranks(report: BenchmarkReport) -> dict[str, str]:
    """Each entry's possible places: behind all that are certainly better, before all that are certainly worse."""
    names = [_name(row) for row in report.leaderboard]
    better, worse = dict.fromkeys(names, 0), dict.fromkeys(names, 0)
    for pair in report.pairs:
        if pair.is_separated:
            first_wins = pair.difference.value > 0
            winner, loser = (pair.first, pair.second) if first_wins else (pair.second, pair.first)
            better[loser] += 1
            worse[winner] += 1
    total = len(names)
    ends = {name: (1 + better[name], total - worse[name]) for name in names}
    return {name: str(low) if low == high else f"{low}–{high}" for name, (low, high) in ends.items()}


def pairs_of(report: BenchmarkReport) -> Markup:
    """The matrix of which entries are told apart, of the first ``MOST_IN_MATRIX`` of the leaderboard."""
    names = [_name(row) for row in report.leaderboard][:MOST_IN_MATRIX]
    places = {name: place for place, name in enumerate(names)}
    told = {}
    for pair in report.pairs:
        if pair.first in places and pair.second in places:
            one, other = sorted((places[pair.first], places[pair.second]))
            told[one, other] = pair.is_separated
    return bench_scores.pair_matrix(names, told)


def harnesses_by_mean(leaderboard: Sequence[LeaderboardRow]) -> list[str]:
    """Harnesses by the mean of their scores, lowest first, so that a swap to a later one is usually a gain."""
    scores: dict[str, list[float]] = {}
    for row in leaderboard:
        scores.setdefault(row.harness, []).append(row.score.value)
    return sorted(scores, key=lambda name: (sum(scores[name]) / len(scores[name]), name))


def matrix_of(
    leaderboard: Sequence[LeaderboardRow], harnesses: Sequence[str], changes: Sequence[HarnessChange] = ()
) -> list[ModelLine]:
    """Models by their best score, one column a harness, each but the first with its difference to the first."""
    by_place = {(row.model, row.harness): row for row in leaderboard}
    to_first = {(one.model, one.second): one for one in changes if one.first == harnesses[0]}
    models = list(dict.fromkeys(row.model for row in leaderboard))[:MOST_MODELS]

    def cell(model: str, harness: str) -> HarnessCell | None:
        row = by_place.get((model, harness))
        if row is None:
            return None
        return HarnessCell(row, bench_scores.rate_bracket(row.score), to_first.get((model, harness)))

    return [ModelLine(model, [cell(model, harness) for harness in harnesses]) for model in models]
