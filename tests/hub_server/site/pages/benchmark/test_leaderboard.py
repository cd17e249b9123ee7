"""Ranks of a leaderboard: only pairs that are told apart order it; everything else leaves places open."""

from datetime import UTC, datetime

import pytest

from hub_server.evaluations.rules.senders import EntrySender
from hub_server.site.pages.benchmark.leaderboard import (
    MOST_IN_MATRIX,
    MOST_MODELS,
    ORDERS,
    board_of,
    harnesses_by_mean,
    matrix_of,
    pairs_of,
)
from schemas.benchmark import BenchmarkReport, HarnessChange, LeaderboardRow, ModelPair
from schemas.measures.corrected import CorrectedRate
from schemas.measures.intervals import Interval


def row(model: str, value: float, harness: str = "h") -> LeaderboardRow:
    score = Interval(value=value, low=max(0.0, value - 0.1), high=min(1.0, value + 0.1))
    return LeaderboardRow(model=model, harness=harness, score=score, task_count=50)


def pair(first: str, second: str, difference: float, *, apart: bool) -> ModelPair:
    half = abs(difference) / 2 if apart else abs(difference) * 2 + 0.01
    interval = Interval(value=difference, low=difference - half, high=difference + half)
    return ModelPair(first=f"{first} · h", second=f"{second} · h", difference=interval, is_separated=apart)


def report(rows: list[LeaderboardRow], pairs: list[ModelPair]) -> BenchmarkReport:
    return BenchmarkReport.model_construct(leaderboard=rows, pairs=pairs)


ROWS = [row("a", 0.9), row("b", 0.6), row("c", 0.3)]


def ranks(pairs: list[ModelPair]) -> list[str]:
    return [line.ranks for line in board_of(report(ROWS, pairs))]


def test_when_nothing_is_told_apart_every_place_is_open() -> None:
    assert ranks([]) == ["1–3", "1–3", "1–3"]


def test_when_all_are_told_apart_each_has_one_place() -> None:
    pairs = [pair("a", "b", 0.3, apart=True), pair("a", "c", 0.6, apart=True), pair("b", "c", 0.3, apart=True)]
    assert ranks(pairs) == ["1", "2", "3"]


def test_only_the_certain_pair_orders() -> None:
    pairs = [pair("a", "b", 0.3, apart=False), pair("a", "c", 0.6, apart=True), pair("b", "c", 0.3, apart=False)]
    assert ranks(pairs) == ["1–2", "1–3", "2–3"]


def test_a_pair_the_other_way_round_means_the_same() -> None:
    assert ranks([pair("c", "a", -0.6, apart=True)]) == ranks([pair("a", "c", 0.6, apart=True)])


def test_harnesses_come_by_their_mean_and_equal_ones_by_name() -> None:
    rows = [row("a", 0.9, "good"), row("b", 0.5, "good"), row("a", 0.2, "poor"), row("c", 0.2, "also poor")]
    assert harnesses_by_mean(rows) == ["also poor", "poor", "good"]
    assert harnesses_by_mean([]) == []


def test_each_order_keeps_the_ranks_and_puts_what_is_unknown_last() -> None:
    high = CorrectedRate(estimate=Interval(value=0.8, low=0.7, high=0.9))
    rows = [row("b", 0.9), row("C", 0.6).model_copy(update={"corrected": high}), row("a", 0.3)]
    rows[2] = rows[2].model_copy(update={"task_count": 80})
    sent = {("C", "h"): EntrySender("carol", datetime(2026, 11, 1, tzinfo=UTC), None, 0)}
    sent["a", "h"] = EntrySender("alice", datetime(2026, 11, 9, tzinfo=UTC), "r1", 2)
    wanted = {
        "score": "bCa",
        "corrected": "Cba",
        "tasks": "abC",
        "newest": "aCb",
        "model": "abC",
        "no such order": "bCa",
    }
    for order, names in wanted.items():
        board = board_of(report(rows, [pair("b", "a", 0.6, apart=True)]), sent, order)
        assert "".join(line.row.model for line in board) == names, order
        assert {line.row.model: line.ranks for line in board} == {"b": "1–2", "C": "1–3", "a": "2–3"}
    assert set(wanted) == {*ORDERS, "no such order"}
    assert [line.sender and line.sender.by for line in board] == [None, "carol", "alice"]


def test_each_harness_is_set_against_the_first() -> None:
    rows = [row("a", 0.2, "one"), row("a", 0.8, "two"), row("a", 0.9, "three"), row("b", 0.5, "two")]
    pairs = [("one", "two", 0.6), ("one", "three", 0.7), ("two", "three", 0.1)]
    changes = [
        HarnessChange(
            model="a", first=first, second=second, p_value=0.01, task_count=5,
            difference=Interval(value=value, low=value - 0.1, high=value + 0.1),
        )
        for first, second, value in pairs
    ]  # fmt: skip
    a, b = matrix_of(rows, ["one", "two", "three"], changes)
    assert [cell and cell.change and cell.change.difference.value for cell in a.scores] == [None, 0.6, 0.7]
    assert [cell is not None and cell.change for cell in b.scores] == [False, None, False], "nothing to compare it with"


def test_the_table_has_a_hole_where_a_model_did_not_run() -> None:
    rows = [row("a", 0.9, "one"), row("a", 0.8, "two"), row("b", 0.5, "two")]
    lines = matrix_of(rows, ["one", "two"])
    assert [line.model for line in lines] == ["a", "b"]
    assert [[score is not None for score in line.scores] for line in lines] == [[True, True], [False, True]]


@pytest.mark.parametrize("count", [MOST_MODELS - 1, MOST_MODELS + 5])
def test_the_table_shows_no_more_models_than_fit(count: int) -> None:
    lines = matrix_of([row(f"m{n}", 0.5) for n in range(count)], ["h"])
    assert len(lines) == min(count, MOST_MODELS)


def test_the_square_of_pairs_leaves_out_entries_beyond_its_size() -> None:
    rows = [row(f"m{n}", 1 - n / 100) for n in range(MOST_IN_MATRIX + 2)]
    last = pair("m0", f"m{MOST_IN_MATRIX + 1}", 0.5, apart=True)
    assert str(pairs_of(report(rows, [last]))) == str(pairs_of(report(rows, [])))
