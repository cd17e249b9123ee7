"""All that a benchmark's page shows: nothing is drawn of too little, and lists are cut where they say so."""

import pytest

from hub_server.evaluations.rules import report as reports
from hub_server.evaluations.rules.results import Submission
from hub_server.evaluations.rules.texts import TextReport
from hub_server.site.pages.benchmark.benchmark_view import DRAWN, MOST_FLAGGED, view_of
from schemas.benchmark import BenchmarkReport, ItemRow, JudgedEnvironment
from schemas.measures.corrected import TrustLevel
from tests.hub_server.site.samples import NOW

TASKS = [f"t{number:02d}" for number in range(30)]


def submission(model: str, solved: int, harness: str = "single-turn") -> Submission:
    counts = {task: (4 if n < solved else 0, 4) for n, task in enumerate(TASKS)}
    return Submission(
        model=model, harness=harness, environment="al/sums", version="1.0.0", counts=counts, failed=0, unjudged=0
    )


def report(*submissions: Submission) -> BenchmarkReport:
    return reports.measure("al/bench", "1.0.0", list(submissions), TextReport(), NOW)


@pytest.fixture(scope="module")
def one() -> BenchmarkReport:
    return report(submission("m", 10))


@pytest.fixture(scope="module")
def field() -> BenchmarkReport:
    return report(
        *(submission(f"m{n}", 3 + 4 * n, harness) for n in range(5) for harness in ("single-turn", "tool-loop"))
    )


def test_of_one_entry_only_what_one_entry_can_say_is_drawn(one: BenchmarkReport) -> None:
    view = view_of(one, "test")
    assert len(view.board) == 1
    assert (view.models, view.harnesses, view.matrix) == (1, ["single-turn"], [])
    assert (view.pairs, view.not_apart, view.swaps) == (None, [], [])
    assert "30 tasks by pass rate: 20 solved by no entry, 10 always by all, 0 between" in str(view.histogram).replace(
        "\xa0", " "
    )


def test_of_several_entries_all_are_counted_and_compared(field: BenchmarkReport) -> None:
    view = view_of(field, "test")
    assert view.models == 5
    assert sorted(view.harnesses) == ["single-turn", "tool-loop"]
    assert len(view.matrix) == 5
    assert len(view.board) == len(field.leaderboard) == 10
    assert view.pairs is not None
    assert {(pair.first, pair.second) for pair in view.not_apart} <= {(pair.first, pair.second) for pair in field.pairs}
    assert all(not pair.is_separated for pair in view.not_apart)


def test_the_hardest_tasks_come_first_and_are_no_more_than_a_dozen(field: BenchmarkReport) -> None:
    view = view_of(field, "test")
    rates = [line.item.pass_rate for line in view.hardest]
    assert rates == sorted(rates)
    assert len(rates) == 12
    assert rates[0] == min(item.pass_rate for item in field.items)
    assert all(line.name == line.item.task for line in view.hardest)


def test_flagged_tasks_are_cut_but_the_certain_ones_are_all_counted(field: BenchmarkReport) -> None:
    flagged = [
        ItemRow(task=f"al/sums#t{n:02d}", pass_rate=0.5, flag="certain" if n % 2 else "negative") for n in range(60)
    ]
    view = view_of(field.model_copy(update={"flagged": flagged, "items": flagged}), "test")
    assert len(view.flagged) == MOST_FLAGGED
    assert view.flagged_certain == 30


@pytest.mark.parametrize("level", list(TrustLevel))
def test_environments_whose_verdicts_mean_little_are_named(one: BenchmarkReport, level: TrustLevel) -> None:
    environment = JudgedEnvironment(environment="al/sums", version="1.0.0", trust_level=level)
    view = view_of(one.model_copy(update={"environments": [environment]}), "test")
    assert len(view.weak) == (level is TrustLevel.WEAK)
    assert len(view.unaudited) == (level is TrustLevel.UNAUDITED)


def test_templates_find_every_drawing_that_they_ask_for() -> None:
    assert set(DRAWN) == {"agreement", "number", "overlap", "rate", "spread"}
    assert all(callable(one) for one in DRAWN.values())
