"""Entries of a benchmark: ranks, the table of models and harnesses, which pairs are told apart. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from hub_server.site.drawing import bench_scores
from schemas.benchmark import (
    BenchmarkReport,
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


@dataclass(frozen=True)
class ModelLine:
    """One model under every harness; None where it did not run."""

    model: str
    scores: list[tuple[LeaderboardRow, Markup] | None]


def board_of(report: BenchmarkReport) -> list[BoardRow]:
    """The leaderboard's rows, best first, each with its rank and its drawing."""
    ranks = _ranks(report)
    return [
        BoardRow(number, ranks[_name(row)], row, bench_scores.score_calliper(row.score, row.corrected))
        for number, row in enumerate(report.leaderboard, start=1)
    ]


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


def matrix_of(leaderboard: Sequence[LeaderboardRow], harnesses: Sequence[str]) -> list[ModelLine]:
    """Models by their best score, one column a harness."""
    by_place = {(row.model, row.harness): row for row in leaderboard}
    models = list(dict.fromkeys(row.model for row in leaderboard))[:MOST_MODELS]
    return [
        ModelLine(
            model,
            [
                (row, bench_scores.rate_bracket(row.score)) if (row := by_place.get((model, harness))) else None
                for harness in harnesses
            ],
        )
        for model in models
    ]
