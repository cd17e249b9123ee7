"""Runs: what a trainer reports arrives as it was, and numbers that mean nothing are refused."""

from datetime import UTC, datetime

import pytest

from schemas.run import (
    Logged,
    MetricPoint,
    Metrics,
    PinnedPackage,
    RewardChange,
    RolloutBatch,
    RolloutRow,
    Run,
    RunCreate,
    RunOutcome,
    RunState,
    RunUpdate,
)
from tests.making.wire import check_wire, refusal

NOW = datetime(2030, 1, 2, tzinfo=UTC).isoformat()
PIN = {"package": "alice/sums", "version": "1.0", "digest": "sha256:" + "a" * 64, "image_digest": ""}
CHANGE = {
    "before": 0.1,
    "before_low": 0.0,
    "before_high": 0.2,
    "after": 0.6,
    "after_low": 0.5,
    "after_high": 0.7,
    "tasks": 64,
}
OUTCOME = {
    "environment": "alice/sums",
    "version": "1.0",
    "harness": "single-turn",
    "task_count": 10,
    "attempts": 20,
    "successes": 5,
    "pass_rate": 0.25,
}
ROW = {
    "step": 3,
    "task_id": "t1",
    "response": "4",
    "rewards": {"correct": 1.0, "style": None},
    "advantage": -0.5,
    "tokens": 7,
}
CREATE = {"name": "first", "packages": [PIN], "rewards": {"correct": {}}, "config": {"lr": 1e-5}}
EXAMPLES = {
    PinnedPackage: PIN,
    RunCreate: CREATE,
    RunOutcome: OUTCOME,
    RunUpdate: {"state": "finished", "summary": {"correct": CHANGE}, "outcomes": [OUTCOME], "note": "done"},
    RewardChange: CHANGE,
    MetricPoint: {"step": 0, "at": NOW, "values": {"reward": 0.5, "rewards/style/mean": None}},
    RolloutRow: ROW,
    RolloutBatch: {"items": [ROW]},
    Metrics: {"items": []},
    Logged: {"count": 2},
    Run: {"id": "r", "name": "first", "owner": "alice", "kind": "training", "state": "running", "model": "m", "recipe": "dapo", "packages": [PIN],
          "rewards": {}, "config": {}, "summary": {"correct": CHANGE}, "created_at": NOW, "updated_at": NOW, "outcomes": [OUTCOME]},
}  # fmt: skip


@pytest.mark.parametrize("model", EXAMPLES, ids=lambda model: model.__name__)
def test_it_travels(model) -> None:
    check_wire(model, EXAMPLES[model])


@pytest.mark.parametrize("value", [float("nan"), float("inf"), "high", [1.0]])
def test_a_metric_is_a_finite_number_or_null(value: object) -> None:
    assert "values" in refusal(MetricPoint, {"step": 0, "values": {"reward": value}})
    assert "rewards" in refusal(RolloutRow, ROW | {"rewards": {"correct": value}})
    assert "advantage" in refusal(RolloutRow, ROW | {"advantage": value})


def test_a_reward_that_was_not_judged_stays_null_and_never_becomes_zero() -> None:
    row = RolloutRow.model_validate_json(RolloutRow.model_validate(ROW).model_dump_json())
    assert row.rewards == {"correct": 1.0, "style": None}


@pytest.mark.parametrize("step", [-1, 1.5, None, "x"])
def test_steps_count_from_zero(step: object) -> None:
    assert "step" in refusal(MetricPoint, {"step": step, "values": {}})


@pytest.mark.parametrize("name", ["", "x" * 121])
def test_a_run_has_a_short_name(name: str) -> None:
    assert "name" in refusal(RunCreate, CREATE | {"name": name})


@pytest.mark.parametrize(
    "field",
    ["task_count", "attempts", "successes", "failed", "unjudged", "overflowed", "truncated", "tries", "played_again"],
)
def test_counts_are_never_negative(field: str) -> None:
    assert field in refusal(RunOutcome, OUTCOME | {field: -1})


@pytest.mark.parametrize("rate", [-0.01, 1.01, float("nan")])
def test_a_pass_rate_is_a_share_or_unknown(rate: float) -> None:
    assert "pass_rate" in refusal(RunOutcome, OUTCOME | {"pass_rate": rate})
    assert RunOutcome.model_validate(OUTCOME | {"pass_rate": None, "attempts": 0, "successes": 0}).pass_rate is None


def test_an_update_names_only_what_changes() -> None:
    assert RunUpdate(note="x").model_dump(exclude_none=True) == {"note": "x"}
    assert "outcomes" in refusal(RunUpdate, {"outcomes": [OUTCOME] * 201})
    assert RunUpdate.model_validate({"outcomes": [OUTCOME] * 200}).outcomes


@pytest.mark.parametrize("state", ["done", "", "RUNNING"])
def test_a_run_is_running_finished_failed_or_stopped(state: str) -> None:
    assert "state" in refusal(RunUpdate, {"state": state})
    assert {item.value for item in RunState} == {"running", "finished", "failed", "stopped"}


def test_a_row_that_names_no_held_out_verdict_has_none() -> None:
    assert RolloutRow.model_validate(ROW).held_out == {}
    assert RolloutRow.model_validate(ROW).phase == "train"
