"""Results that are sent to a hub: counts are counts, and no attempt is no row."""

import pytest
from pydantic import ValidationError

from schemas.base import WireModel
from schemas.benchmark import (
    AbilityRow,
    BenchmarkReport,
    ContaminationRow,
    DuplicatePair,
    HarnessChange,
    ItemRow,
    JudgedEnvironment,
    LeaderboardRow,
    ModelPair,
    OverlapRow,
    PassCurve,
    RelatedBenchmark,
    ResultsCreate,
    SubsetPoint,
    TaskFlipRow,
    TaskOutcome,
)
from schemas.measures.corrected import TrustLevel
from schemas.measures.intervals import Interval
from tests.making.wire import check_wire, refusal

RESULTS = {
    "environment": "alice/sums",
    "environment_version": "1.0",
    "model": "m",
    "outcomes": [{"task_id": "1", "attempts": 2, "successes": 1}],
}


def test_sound_results_are_read():
    results = ResultsCreate.model_validate(RESULTS)
    assert (results.harness, results.outcomes[0].attempts) == ("single-turn", 2)


@pytest.mark.parametrize(
    "change",
    [
        {"outcomes": []},
        {"outcomes": [{"task_id": "1", "attempts": 0, "successes": 0}]},
        {"outcomes": [{"task_id": "1", "attempts": 1, "successes": -1}]},
        {"outcomes": [{"task_id": "", "successes": 0}]},
        {"outcomes": [{"task_id": "1", "successes": 0.5}]},
        {"outcomes": [{"task_id": "1", "successes": 10**9}]},
        {"environment": "Alice/sums"},
        {"environment_version": "1.0+local"},
        {"model": ""},
        {"failed": -1},
        {"surprise": 1},
    ],
)
def test_what_cannot_be_a_result_is_refused(change):
    with pytest.raises(ValidationError):
        ResultsCreate.model_validate(RESULTS | change)


def test_an_outcome_counts_one_attempt_unless_it_says_more():
    assert TaskOutcome(task_id="1", successes=1).attempts == 1


def test_a_row_without_an_audit_says_so():
    row = LeaderboardRow(model="m", harness="h", score=Interval(value=0.5, low=0.2, high=0.8), task_count=3)
    assert row.trust_level is TrustLevel.UNAUDITED
    assert row.corrected.estimate is None
    assert "nobody measured" in row.corrected.reason


HALF = {"value": 0.5, "low": 0.2, "high": 0.8}
REPORT = {
    "benchmark": "alice/bench", "version": "1.0.0", "computed_at": "2030-01-02T00:00:00Z", "leaderboard": [],
    "task_count": 0, "pass_rate": None, "never_solved": None, "always_solved": None, "separability": None,
}  # fmt: skip


def report(**more: object) -> BenchmarkReport:
    return BenchmarkReport.model_validate({**REPORT, **more})


def item(task: str, **more: object) -> dict[str, object]:
    return {"task": f"alice/sums#{task}", "pass_rate": 0.5, **more}


def judged(name: str, trust_level: str) -> dict[str, object]:
    return {"environment": f"alice/{name}", "version": "1.0.0", "trust_level": trust_level}


def test_a_report_without_results_has_no_number_that_looks_measured() -> None:
    empty = report()
    numbers = ("pass_rate", "never_solved", "always_solved", "separability", "signal_to_noise", "subset")
    assert [getattr(empty, name) for name in numbers] == [None] * len(numbers)
    assert (empty.task_rates, empty.flagged, empty.diversity.texts) == ({}, [], 0)
    assert BenchmarkReport.model_validate_json(empty.model_dump_json()) == empty


def test_a_report_of_another_format_is_refused_instead_of_being_misread() -> None:
    assert "format" in refusal(BenchmarkReport, REPORT | {"format": 1})
    assert "format" in refusal(BenchmarkReport, REPORT | {"format": 3})


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_what_is_no_number_is_no_rate(value: float) -> None:
    assert "pass_rate" in refusal(BenchmarkReport, REPORT | {"pass_rate": HALF | {"value": value}})


def test_rates_are_found_by_task() -> None:
    found = report(items=[item("a", pass_rate=0.25), item("b", pass_rate=1.0)])
    assert found.task_rates == {"alice/sums#a": 0.25, "alice/sums#b": 1.0}


def test_tasks_that_better_models_fail_come_with_the_most_certain_first() -> None:
    def correlation(value: float) -> dict[str, float]:
        return {"value": value, "low": -1.0, "high": 1.0}

    found = report(
        items=[
            item("plain", correlation=correlation(0.9)),
            item("weak", flag="negative", correlation=correlation(-0.2)),
            item("sure", flag="certain", correlation=correlation(-0.5)),
            item("unknown", flag="negative"),
            item("strong", flag="negative", correlation=correlation(-0.9)),
            item("surest", flag="certain", correlation=correlation(-0.8)),
        ]
    )
    assert [one.task.partition("#")[2] for one in found.flagged] == ["surest", "sure", "strong", "weak", "unknown"]


def test_tasks_that_are_as_certain_stand_in_a_steady_order() -> None:
    tied = [item(name, flag="negative") for name in ("c", "a", "b")]
    assert [one.task[-1] for one in report(items=tied).flagged] == ["a", "b", "c"]
    assert report(items=tied).flagged == report(items=tied[::-1]).flagged


@pytest.mark.parametrize(
    ("levels", "worst"),
    [
        ([], TrustLevel.MEASURED),
        (["measured"], TrustLevel.MEASURED),
        (["measured", "weak"], TrustLevel.WEAK),
        (["weak", "unaudited", "measured"], TrustLevel.UNAUDITED),
    ],
)
def test_a_benchmark_is_trusted_as_far_as_its_least_trustworthy_verifier(levels: list[str], worst: TrustLevel) -> None:
    environments = [judged(f"env-{number}", level) for number, level in enumerate(levels)]
    assert report(environments=environments).trust_level is worst


@pytest.mark.parametrize(
    ("model", "example"),
    [
        (TaskOutcome, {"task_id": "t", "attempts": 3, "successes": 2}),
        (ItemRow, item("t", difficulty=HALF, flag="certain")),
        (ModelPair, {"first": "a", "second": "b", "difference": HALF, "is_separated": True}),
        (PassCurve, {"model": "m", "harness": "h", "points": [{"k": 1, "rate": HALF}, {"k": 4, "rate": HALF}]}),
        (AbilityRow, {"model": "m", "harness": "h", "ability": HALF}),
        (TaskFlipRow, {"task": "t", "gained": 2, "lost": 0, "p_value": 0.5, "is_certain": False}),
        (DuplicatePair, {"first": "a", "second": "b", "similarity": 0.9}),
        (SubsetPoint, {"size": 3, "worst_error": 0.1, "held_out_error": None}),
        (OverlapRow, {"task": "t", "where": "alice/sums@1.0.0", "words": 13, "covered": 0.4}),
        (JudgedEnvironment, judged("sums", "weak")),
        (RelatedBenchmark, {"benchmark": "bob/other", "version": "2.0.0", "entries": 4, "kendall": HALF}),
        (
            HarnessChange,
            {"model": "m", "first": "a", "second": "b", "difference": HALF, "p_value": 0.03, "task_count": 5},
        ),
        (
            ContaminationRow,
            {
                "environment": "alice/sums", "split": "test", "against": "bob/other@1.0.0", "against_split": "train",
                "test_count": 10, "overlapping": 1, "share": HALF,
            },
        ),
    ],
    ids=lambda value: value.__name__ if isinstance(value, type) else "",
)  # fmt: skip
def test_each_part_of_a_report_travels(model: type[WireModel], example: dict[str, object]) -> None:
    check_wire(model, example)


@pytest.mark.parametrize("flag", ["positive", None, 1])
def test_a_flag_is_one_of_those_that_pages_explain(flag: object) -> None:
    assert "flag" in refusal(ItemRow, item("t", flag=flag))


def test_a_submission_says_what_it_left_out() -> None:
    sent = ResultsCreate.model_validate(RESULTS | {"failed": 3, "unjudged": 2})
    assert (sent.failed, sent.unjudged) == (3, 2)
    assert sum(one.attempts for one in sent.outcomes) == 2, "what is left out is in no outcome"
