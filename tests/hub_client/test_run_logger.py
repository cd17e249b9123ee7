"""A run is reported whole, in order, and never at the cost of the training."""

import json
import threading

import pytest

from hub_client import run_logger
from hub_client.errors import CheckFailedError
from hub_client.run_logger import RunLogger
from hub_client.unsent_reports import FILE, UnsentReports, send_reports
from schemas.run import MetricPoint, RolloutRow, RunCreate, RunState
from tests.fakes.runs import FakeRuns


@pytest.fixture
def quick(monkeypatch):
    monkeypatch.setattr(run_logger, "_FIRST_PAUSE_SECONDS", 0.01)


def some_rows():
    return [RolloutRow(step=1, task_id="t", response="r", rewards={"a": None})]


def test_everything_arrives_in_order(tmp_path, quick):
    runs, warnings = FakeRuns(), []
    logger = RunLogger(runs, tmp_path, warnings.append)
    logger.create(RunCreate(name="x"))
    for step in range(5):
        logger.log(step, {"reward": float(step)})
    logger.rollouts(some_rows())
    logger.finish(RunState.FINISHED, seconds=60)
    assert [point.step for point in runs.points] == [0, 1, 2, 3, 4]
    assert runs.updates[-1].state is RunState.FINISHED
    assert logger.run_id == "run-1"
    assert warnings == []


def test_a_hub_that_comes_back_gets_everything_and_one_warning_is_given(tmp_path, quick):
    runs, warnings = FakeRuns(), []
    runs.down = 3
    logger = RunLogger(runs, tmp_path, warnings.append)
    logger.create(RunCreate(name="x"))
    logger.log(1, {"reward": 0.5})
    logger.finish(RunState.FINISHED, seconds=60)
    assert len(runs.created) == 1
    assert len(runs.points) == 1
    assert len(warnings) == 1
    assert "Training goes on" in warnings[0]
    assert not (tmp_path / "unsent.jsonl").exists()


def test_training_never_waits_for_a_hub_that_does_not_answer(tmp_path):
    runs, hub_answers, is_asked_by = FakeRuns(), threading.Event(), []
    create = runs.create

    def answer_late(run, key=""):
        is_asked_by.append(threading.current_thread())
        assert hub_answers.wait(60)
        return create(run)

    runs.create = answer_late
    logger = RunLogger(runs, tmp_path, print)
    logger.create(RunCreate(name="x"))
    for step in range(100):
        logger.log(step, {"reward": 0.5})
    hub_answers.set()  # only now: had one of the calls above waited for the hub, this would never be reached
    logger.finish(RunState.FINISHED, seconds=60)
    assert threading.current_thread() not in is_asked_by
    assert len(runs.points) == 100


def test_what_a_dead_hub_did_not_take_is_kept(tmp_path, quick):
    runs, warnings = FakeRuns(), []
    runs.down = 10**9
    logger = RunLogger(runs, tmp_path, warnings.append)
    logger.create(RunCreate(name="x"))
    for step in range(100):
        logger.log(step, {"reward": 0.5})
    logger.finish(RunState.FAILED, note="why", seconds=0.2)
    kept = [json.loads(line) for line in (tmp_path / "unsent.jsonl").read_text().splitlines()]
    assert [row["kind"] for row in kept] == ["create", *["log"] * 100, "update"]
    assert "unsent.jsonl" in warnings[-1]


def test_not_a_number_becomes_null_on_the_wire(tmp_path, quick):
    runs = FakeRuns()
    logger = RunLogger(runs, tmp_path, print)
    logger.create(RunCreate(name="x"))
    logger.log(1, {"reward": float("nan"), "loss": float("inf"), "fine": 1.0})
    logger.finish(RunState.FINISHED, seconds=60)
    assert runs.points[0].values == {"reward": None, "loss": None, "fine": 1.0}
    assert MetricPoint.model_validate_json((tmp_path / "metrics.jsonl").read_text()) == runs.points[0]


def test_without_runs_only_files_are_written(tmp_path):
    logger = RunLogger(None, tmp_path, print)
    logger.create(RunCreate(name="x"))
    logger.log(1, {"reward": 1.0})
    logger.rollouts(some_rows())
    logger.finish(RunState.FINISHED, seconds=60)
    assert (tmp_path / "rollouts.jsonl").is_file()
    assert logger.run_id == ""


def test_a_report_that_is_refused_for_good_does_not_hold_up_the_others(tmp_path, quick, monkeypatch):
    runs, warnings = FakeRuns(), []

    def refuse(run_id, rows):
        raise CheckFailedError("too many rollouts")

    monkeypatch.setattr(runs, "rollouts", refuse)
    logger = RunLogger(runs, tmp_path, warnings.append)
    logger.create(RunCreate(name="x"))
    logger.rollouts(some_rows())
    logger.log(1, {"reward": 1.0})
    logger.finish(RunState.FINISHED)
    assert len(runs.points) == 1
    assert runs.updates[-1].state is RunState.FINISHED
    assert json.loads((tmp_path / "unsent.jsonl").read_text())["kind"] == "rollouts"
    assert "too many rollouts" in warnings[0]


def test_huge_answers_are_sent_in_reports_that_a_hub_takes_and_a_refused_one_costs_no_other(tmp_path, quick):
    """500 rows were one report whatever their length: one answer of 9 MB lost 499 others."""

    class Limited(FakeRuns):
        def rollouts(self, run_id, rows):
            if sum(len(row.model_dump_json()) for row in rows) > 8 * 2**20:
                raise CheckFailedError("too large")
            super().rollouts(run_id, rows)

    runs, warnings = Limited(), []
    logger = RunLogger(runs, tmp_path, warnings.append)
    logger.create(RunCreate(name="x"))
    sizes = [10, 1_000_000, 9 * 2**20, 3_000_000, *[100_000] * 60, 10]
    logger.rollouts([RolloutRow(step=n, task_id="t", response="x" * size, rewards={}) for n, size in enumerate(sizes)])
    logger.finish(RunState.FINISHED, seconds=60)
    assert [row.step for row in runs.rows] == [n for n in range(len(sizes)) if n != 2], "in order, all but the 9 MB"
    assert len((tmp_path / "unsent.jsonl").read_text().splitlines()) == 1
    assert len((tmp_path / "rollouts.jsonl").read_text().splitlines()) == len(sizes)


def test_ten_thousand_rollouts_arrive_once_and_in_order_though_the_hub_goes_down_in_the_middle(tmp_path, quick):
    runs = FakeRuns()
    logger = RunLogger(runs, tmp_path, lambda _text: None)
    logger.create(RunCreate(name="x"))
    rows = [RolloutRow(step=n, task_id=f"t{n % 7}", response="r", rewards={"a": 1.0}) for n in range(10_000)]
    logger.rollouts(rows[:5000])
    runs.down = 4
    logger.rollouts(rows[5000:])
    logger.finish(RunState.FINISHED, seconds=60)
    assert [row.step for row in runs.rows] == list(range(10_000))
    assert not (tmp_path / "unsent.jsonl").exists()


def test_a_run_that_goes_on_takes_out_what_it_will_tell_again_and_half_a_line(tmp_path) -> None:
    kept = ['{"step": 0, "values": {"eval_reward": 1}}', '{"step": 1, "values": {}}']
    lost = ['{"step": 2, "values": {}}', "[1]", '"a"', '{"step": nul']
    (tmp_path / "metrics.jsonl").write_text("\n".join([*kept, *lost]))
    (tmp_path / "notes.jsonl").write_text("untouched")
    logger = RunLogger(None, tmp_path, print)
    logger.go_on_after(1)
    logger.log(2, {"reward": 1.0})
    logger.finish(RunState.FINISHED)
    *told, new = (tmp_path / "metrics.jsonl").read_text().splitlines()
    assert told == kept
    assert json.loads(new)["values"] == {"reward": 1.0}
    assert (tmp_path / "notes.jsonl").read_text() == "untouched"
    assert not (tmp_path / "rollouts.jsonl").exists()


def test_a_full_disk_at_the_end_is_a_warning_and_hides_no_error_that_ended_the_run(tmp_path, quick):
    """The kernel's own full file. It was raised over the error of a checkpoint, which says what to do."""
    runs, warnings = FakeRuns(), []
    runs.down = 1000
    (tmp_path / "unsent.jsonl").symlink_to("/dev/full")
    logger = RunLogger(runs, tmp_path, warnings.append)
    logger.create(RunCreate(name="x"))
    logger.finish(RunState.FAILED, seconds=0)
    assert "unsent.jsonl could not be written (No space left on device)" in warnings[-1]


def test_a_run_that_goes_on_first_sends_what_it_could_not_and_says_no_step_twice(tmp_path, quick):
    """The hub was away until the end of the first part, which wrote its checkpoint after step 2."""
    away, runs = FakeRuns(), FakeRuns()
    away.down = 10**9
    first = RunLogger(away, tmp_path, print)
    first.create(RunCreate(name="x"))
    for step in (1, 2, 3):
        first.log(step, {"reward": 0.0})
        first.rollouts([RolloutRow(step=step, task_id="t", response="first", rewards={})])
    first.finish(RunState.FAILED, seconds=0)
    second = RunLogger(runs, tmp_path, print)
    second.go_on_after(2)
    second.create(RunCreate(name="a second run of the same"))
    second.log(3, {"reward": 1.0})
    second.finish(RunState.FINISHED, seconds=60)
    assert [run.name for run in runs.created] == ["x"]
    assert [(point.step, point.values["reward"]) for point in runs.points] == [(1, 0.0), (2, 0.0), (3, 1.0)]
    assert [row.step for row in runs.rows] == [1, 2]
    assert [update.state for update in runs.updates] == [RunState.RUNNING, RunState.FINISHED]
    assert runs.updates[0].note == "", "a finished run said how to go on from where it had been stopped"
    assert UnsentReports.read(tmp_path / FILE).waiting == [], "`verihub run send` has nothing left to send"


def test_a_run_whose_reports_were_sent_by_hand_goes_on_as_that_run(tmp_path, quick):
    away, runs = FakeRuns(), FakeRuns()
    away.down = 10**9
    first = RunLogger(away, tmp_path, print)
    first.create(RunCreate(name="x"))
    first.log(1, {"reward": 0.0})
    first.finish(RunState.STOPPED, seconds=0)
    send_reports(tmp_path / FILE, runs, lambda _done, _total: None)
    second = RunLogger(runs, tmp_path, print)
    second.go_on_after(1)
    second.create(RunCreate(name="x"))
    second.finish(RunState.FINISHED, seconds=60)
    assert len(runs.created) == 1
    assert len(runs.points) == 1


def test_what_was_not_sent_comes_with_the_command_that_sends_it(tmp_path, quick):
    runs, warnings = FakeRuns(), []
    runs.down, runs.url = 10**9, "http://hub.example"
    folder = tmp_path / "my runs"
    logger = RunLogger(runs, folder, warnings.append)
    logger.create(RunCreate(name="x"))
    logger.finish(RunState.FINISHED, seconds=0)
    assert warnings[-1].endswith(f"verihub --url http://hub.example run send '{folder / 'unsent.jsonl'}'")
