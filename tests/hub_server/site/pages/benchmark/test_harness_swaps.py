"""What changes when one harness replaces another: the right models, the largest gains first, no more than fit."""

from hub_server.site.pages.benchmark.harness_swaps import MOST_FLIPS, swap_of
from hub_server.site.pages.benchmark.leaderboard import MOST_MODELS
from hub_server.site.pages.benchmark.task_urls import TaskUrls
from schemas.benchmark import HarnessChange, HarnessSwap, TaskFlipRow
from schemas.measures.intervals import Interval

URLS = TaskUrls([], "train")


def change(model: str, value: float, first: str = "old", second: str = "new") -> HarnessChange:
    difference = Interval(value=value, low=value - 0.1, high=value + 0.1)
    return HarnessChange.model_construct(model=model, first=first, second=second, difference=difference, p_value=0.5)


def swap(flips: int = 0) -> HarnessSwap:
    rows = [
        TaskFlipRow.model_construct(task=f"al/x#t{n}", gained=1, lost=2, p_value=0.5, is_certain=False)
        for n in range(flips)
    ]
    return HarnessSwap.model_construct(first="old", second="new", models=3, flips=rows)


def test_only_models_that_ran_both_are_shown_and_the_largest_gain_comes_first() -> None:
    changes = [change("c", -0.2), change("a", 0.1), change("b", 0.1), change("z", 0.9, "old", "other")]
    view = swap_of(swap(), changes, URLS)
    assert [one.model for one, _ in view.changes] == ["a", "b", "c"]


def test_no_more_models_and_tasks_than_fit() -> None:
    view = swap_of(swap(MOST_FLIPS + 3), [change(f"m{n}", 0.1) for n in range(MOST_MODELS + 3)], URLS)
    assert len(view.changes) == MOST_MODELS
    assert [line.name for line in view.flips] == [f"al/x#t{n}" for n in range(MOST_FLIPS)]


def test_every_interval_fits_on_the_rail_that_all_share() -> None:
    view = swap_of(swap(), [change("a", 0.8), change("b", -0.6)], URLS)
    for _, drawing in view.changes:
        assert "100.0" not in drawing
        assert "nan" not in drawing
    assert swap_of(swap(), [], URLS).changes == []
