"""All that a benchmark's page shows, worked out before the template. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass

from markupsafe import Markup

from hub_server.evaluations.rules.senders import EntrySender
from hub_server.site.drawing import bench_curves, bench_items, bench_scores
from hub_server.site.pages.benchmark.harness_swaps import SwapView, swap_of
from hub_server.site.pages.benchmark.leaderboard import (
    MOST_IN_MATRIX,
    BoardRow,
    ModelLine,
    board_of,
    harnesses_by_mean,
    matrix_of,
    pairs_of,
)
from hub_server.site.pages.benchmark.task_urls import TaskUrls
from schemas.benchmark import (
    BenchmarkReport,
    ItemRow,
    JudgedEnvironment,
    ModelPair,
    PassCurve,
)
from schemas.measures.corrected import TrustLevel

MOST_ROWS = 15

MOST_FLAGGED = 25


@dataclass(frozen=True)
class TaskLine:
    """A task of a table: where it can be looked at, and what is said of it."""

    item: ItemRow
    name: str
    url: str


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


def view_of(
    report: BenchmarkReport,
    split: str,
    senders: Mapping[tuple[str, str], EntrySender] | None = None,
    order: str = "",
) -> BenchmarkView:
    """Everything that the page of one report draws; ``split`` is where its tasks can be looked at.

    ``senders`` and ``order`` are the leaderboard's (``leaderboard.board_of``).
    """
    urls = TaskUrls(report.environments, split)
    flagged = [_line(item, urls) for item in report.flagged]
    abilities = bench_items.spread(report.abilities)
    shown = bench_curves.chosen_curves(report.pass_curves)
    linked = [bench_items.LinkedItem(item, urls(item.task)) for item in report.items]
    harnesses = harnesses_by_mean(report.leaderboard)
    return BenchmarkView(
        report=report,
        board=board_of(report, senders, order),
        models=len({row.model for row in report.leaderboard}),
        harnesses=harnesses,
        matrix=matrix_of(report.leaderboard, harnesses, report.harness_changes) if len(harnesses) > 1 else [],
        weak=[one for one in report.environments if one.trust_level is TrustLevel.WEAK],
        unaudited=[one for one in report.environments if one.trust_level is TrustLevel.UNAUDITED],
        histogram=bench_items.rate_histogram([item.pass_rate for item in report.items]),
        map=bench_items.wright_map(report.items, abilities) if abilities else None,
        map_rows=len(abilities),
        plot=bench_items.item_plot(linked) if report.abilities else None,
        curves=bench_curves.pass_plot(shown) if shown else None,
        shown_curves=shown,
        pairs=pairs_of(report) if len(report.leaderboard) > 2 and report.pairs else None,
        pairs_shown=min(len(report.leaderboard), MOST_IN_MATRIX),
        not_apart=[pair for pair in report.pairs if not pair.is_separated],
        flagged=flagged[:MOST_FLAGGED],
        flagged_certain=sum(item.flag == "certain" for item in report.items),
        hardest=[_line(item, urls) for item in sorted(report.items, key=lambda one: (one.pass_rate, one.task))[:12]],
        swaps=[swap_of(swap, report.harness_changes, urls) for swap in report.harness_swaps],
        subset=bench_curves.subset_plot(report.subset) if report.subset and len(report.subset.curve) > 2 else None,
        domains=bench_scores.domain_bar(report.diversity.domains) if len(report.diversity.domains) > 1 else None,
    )


def _line(item: ItemRow, urls: TaskUrls) -> TaskLine:
    return TaskLine(item, item.task, urls(item.task))


DRAWN = {
    "agreement": bench_scores.agreement_bracket,
    "number": bench_scores.number_bracket,
    "overlap": bench_scores.overlap_strip,
    "rate": bench_scores.rate_bracket,
    "spread": bench_items.spread,
}
"""Drawings that the templates ask for row by row."""
