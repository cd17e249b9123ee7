"""What a benchmark's page shows, worked out before the template: drawn, sorted, cut to what can be read. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from markupsafe import Markup

from hub_server.drawing import bench_curves, bench_items, bench_scores
from schemas.benchmark import (
    BenchmarkReport,
    HarnessChange,
    HarnessSwap,
    ItemRow,
    JudgedEnvironment,
    LeaderboardRow,
    ModelPair,
    PassCurve,
    RelatedBenchmark,
    TaskFlipRow,
)
from schemas.rates import Standing

MOST_ROWS = 15


@dataclass(frozen=True)
class BoardRow:
    """One line of the leaderboard. ``ranks``: the places that the pairs told apart leave open."""

    number: int
    ranks: str
    row: LeaderboardRow
    drawing: Markup


@dataclass(frozen=True)
class TaskLine:
    """A task of a table: where it can be looked at, and what is said of it."""

    item: ItemRow
    name: str
    url: str


@dataclass(frozen=True)
class FlipLine:
    """A task that a swap of the harness changes."""

    flip: TaskFlipRow
    name: str
    url: str
    drawing: Markup


@dataclass(frozen=True)
class SwapView:
    """Two harnesses: the mean change of each model, and the tasks that change."""

    swap: HarnessSwap
    changes: list[tuple[HarnessChange, Markup]]
    flips: list[FlipLine]


@dataclass(frozen=True)
class ModelLine:
    """One model under every harness; None where it did not run."""

    model: str
    scores: list[tuple[LeaderboardRow, Markup] | None]


@dataclass(frozen=True)
class BenchmarkView:
    """Everything drawn; a drawing is None where there is too little to draw."""

    report: BenchmarkReport
    board: list[BoardRow]
    models: int
    harnesses: list[str]
    matrix: list[ModelLine]
    weak: list[JudgedEnvironment]
    unaudited: list[JudgedEnvironment]
    histogram: Markup
    map: Markup | None
    map_rows: int
    plot: Markup | None
    curves: Markup | None
    shown_curves: list[PassCurve]
    pairs: Markup | None
    pairs_shown: int
    not_apart: list[ModelPair]
    flagged: list[TaskLine]
    flagged_certain: int
    hardest: list[TaskLine]
    swaps: list[SwapView]
    subset: Markup | None
    domains: Markup | None


def view_of(report: BenchmarkReport, split: str) -> BenchmarkView:
    """Everything that the page of one report draws; ``split`` is where its tasks can be looked at."""
    urls = TaskUrls(report.environments, split)
    flagged = [_line(item, urls) for item in report.flagged]
    abilities = bench_items.shown_abilities(report.abilities)
    shown = bench_curves.chosen_curves(report.pass_curves)
    linked = [bench_items.LinkedItem(item, urls(item.task)) for item in report.items]
    harnesses = _by_mean(report.leaderboard)
    return BenchmarkView(
        report=report,
        board=_board(report),
        models=len({row.model for row in report.leaderboard}),
        harnesses=harnesses,
        matrix=_matrix(report.leaderboard, harnesses) if len(harnesses) > 1 else [],
        weak=[one for one in report.environments if one.standing is Standing.WEAK],
        unaudited=[one for one in report.environments if one.standing is Standing.UNAUDITED],
        histogram=bench_items.rate_histogram([item.pass_rate for item in report.items]),
        map=bench_items.wright_map(report.items, abilities) if abilities else None,
        map_rows=len(abilities),
        plot=bench_items.item_plot(linked) if report.abilities else None,
        curves=bench_curves.pass_plot(shown) if shown else None,
        shown_curves=shown,
        pairs=_pair_matrix(report) if len(report.leaderboard) > 2 and report.pairs else None,
        pairs_shown=min(len(report.leaderboard), MOST_IN_MATRIX),
        not_apart=[pair for pair in report.pairs if not pair.is_separated],
        flagged=flagged[:MOST_FLAGGED],
        flagged_certain=sum(item.flag == "certain" for item in report.items),
        hardest=[_line(item, urls) for item in sorted(report.items, key=lambda one: (one.pass_rate, one.task))[:12]],
        swaps=[_swap(swap, report.harness_changes, urls) for swap in report.harness_swaps],
        subset=bench_curves.subset_plot(report.subset) if report.subset and len(report.subset.curve) > 2 else None,
        domains=bench_scores.domain_bar(report.diversity.domains) if len(report.diversity.domains) > 1 else None,
    )


class TaskUrls:
    """Where a task ``owner/name#id`` can be looked at: the page on which its verifier can be tried."""

    def __init__(self, environments: Sequence[JudgedEnvironment], split: str) -> None:
        self._versions = {one.environment: one.version for one in environments}
        self._split = split

    def __call__(self, task: str) -> str:
        package, _, name = task.partition("#")
        version = self._versions.get(package)
        if version is None:
            return ""
        return f"/packages/{package}/releases/{version}/try?{urlencode({'split': self._split, 'task_id': name})}"


def spread(rows: Sequence[LeaderboardRow], most: int) -> list[LeaderboardRow]:
    """All rows, or ``most`` of them evenly from the first to the last."""
    if len(rows) <= most:
        return list(rows)
    return [rows[round(place * (len(rows) - 1) / (most - 1))] for place in range(most)]


def _line(item: ItemRow, urls: TaskUrls) -> TaskLine:
    return TaskLine(item, item.task, urls(item.task))


def _board(report: BenchmarkReport) -> list[BoardRow]:
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


def _pair_matrix(report: BenchmarkReport) -> Markup:
    names = [_name(row) for row in report.leaderboard][:MOST_IN_MATRIX]
    places = {name: place for place, name in enumerate(names)}
    told = {}
    for pair in report.pairs:
        if pair.first in places and pair.second in places:
            one, other = sorted((places[pair.first], places[pair.second]))
            told[one, other] = pair.is_separated
    return bench_scores.pair_matrix(names, told)


def _by_mean(leaderboard: Sequence[LeaderboardRow]) -> list[str]:
    """Harnesses by the mean of their scores, lowest first: swaps then read as gains."""
    scores: dict[str, list[float]] = {}
    for row in leaderboard:
        scores.setdefault(row.harness, []).append(row.score.value)
    return sorted(scores, key=lambda name: (sum(scores[name]) / len(scores[name]), name))


def _matrix(leaderboard: Sequence[LeaderboardRow], harnesses: Sequence[str]) -> list[ModelLine]:
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


def _swap(swap: HarnessSwap, changes: Sequence[HarnessChange], urls: TaskUrls) -> SwapView:
    ours = [change for change in changes if (change.first, change.second) == (swap.first, swap.second)]
    reach = max([0.05, *(abs(end) for one in ours for end in (one.difference.low, one.difference.high))])
    ours.sort(key=lambda change: (-change.difference.value, change.model))
    return SwapView(
        swap=swap,
        changes=[(change, bench_scores.difference_bracket(change.difference, reach)) for change in ours[:MOST_MODELS]],
        flips=[
            FlipLine(flip, flip.task, urls(flip.task), bench_scores.flip_bar(flip.gained, flip.lost, swap.models))
            for flip in swap.flips[:MOST_FLIPS]
        ],
    )


@dataclass(frozen=True)
class RelationMatrix:
    """How benchmarks agree in ranking: ``cells[row][column]`` for a row below its column, None where unknown."""

    names: list[str]
    cells: list[list[RelatedBenchmark | None]]


def relation_matrix(reports: Mapping[str, BenchmarkReport]) -> RelationMatrix | None:
    """The benchmarks of which any two share enough entries; None where no two do."""
    found = {
        (name, other.benchmark): other
        for name, report in reports.items()
        for other in report.related
        if other.benchmark in reports
    }
    names = sorted({name for pair in found for name in pair})
    if not names:
        return None
    return RelationMatrix(names, [[found.get((row, column)) for column in names] for row in names])


DRAWN = {
    "agreement": bench_scores.agreement_bracket,
    "number": bench_scores.number_bracket,
    "overlap": bench_scores.overlap_strip,
    "rate": bench_scores.rate_bracket,
    "spread": spread,
}
"""Drawings that the templates ask for row by row."""
MOST_IN_MATRIX = 36
MOST_MODELS = 16
MOST_FLIPS = 12
MOST_FLAGGED = 25
