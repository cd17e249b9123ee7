"""What changes when one harness replaces another. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from hub_server.site.drawing import bench_scores
from hub_server.site.pages.benchmark.leaderboard import MOST_MODELS
from hub_server.site.pages.benchmark.task_urls import TaskUrls
from schemas.benchmark import (
    HarnessChange,
    HarnessSwap,
    TaskFlipRow,
)

MOST_FLIPS = 12


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


def swap_of(swap: HarnessSwap, changes: Sequence[HarnessChange], urls: TaskUrls) -> SwapView:
    """One pair of harnesses with the models that played under both, largest difference first."""
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
