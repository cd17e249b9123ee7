"""What no hub took is sent later, in order, once; and a file of anything else is refused."""

import json

import pytest

from hub_client.errors import CheckFailedError, HubUnreachableError, NotLoggedInError, UsageError
from hub_client.unsent_reports import FILE, RunMessage, UnsentReports, send_reports
from schemas.run import MetricPoint, RolloutRow, RunCreate, RunState, RunUpdate
from tests.fakes.runs import FakeRuns


def nobody(_done, _total):
    """Progress that nobody watches."""


@pytest.fixture
def left(tmp_path):
    """A run that the hub never heard of: its start, three steps with rollouts, its end."""
    reports = [RunMessage.of("create", RunCreate(name="x"))]
    for step in (1, 2, 3):
        rows = [RolloutRow(step=step, task_id="t", response=f"r{step}", rewards={"a": None})]
        reports += [
            RunMessage.of("log", [MetricPoint(step=step, values={"reward": 0.5})]),
            RunMessage.of("rollouts", rows),
        ]
    file = tmp_path / FILE
    UnsentReports(file).add([*reports, RunMessage.of("update", RunUpdate(state=RunState.FINISHED))], "")
    return file


def test_all_is_sent_in_order_and_nothing_twice(left):
    runs = FakeRuns()
    sent = send_reports(left, runs, nobody)
    assert (sent.run_id, sent.reports, sent.points, sent.rollouts, sent.before) == ("run-1", 8, 3, 3, 0)
    assert [row.step for row in runs.rows] == [point.step for point in runs.points] == [1, 2, 3]
    assert runs.updates[-1].state is RunState.FINISHED
    again = send_reports(left, runs, nobody)
    assert (again.run_id, again.reports, again.before) == ("run-1", 0, 8)
    assert len(runs.created) == 1
    assert len(runs.rows) == 3


def test_sending_goes_on_where_the_hub_went_away(left):
    class Leaving(FakeRuns):
        def rollouts(self, run_id, rows):
            if len(self.rows) == 1 and self.down == 0:
                raise HubUnreachableError("gone")
            super().rollouts(run_id, rows)

    runs = Leaving()
    with pytest.raises(HubUnreachableError):
        send_reports(left, runs, nobody)
    back = FakeRuns()
    sent = send_reports(left, back, nobody)
    assert (sent.before, sent.reports, back.created) == (4, 4, [])
    assert [row.step for row in [*runs.rows, *back.rows]] == [1, 2, 3]


def test_a_new_run_whose_answer_was_lost_is_asked_for_by_the_same_key(left):
    keys = []

    class Deaf(FakeRuns):
        def create(self, run, key=""):
            keys.append(key)
            raise HubUnreachableError("no answer")

    for _ in range(2):
        with pytest.raises(HubUnreachableError):
            send_reports(left, Deaf(), nobody)
    assert keys[0]
    assert keys[0] == keys[1]


def test_what_the_hub_refuses_for_its_content_holds_up_nothing_and_stays(left):
    class Strict(FakeRuns):
        def rollouts(self, run_id, rows):
            if rows[0].step == 2:
                raise CheckFailedError("too large")
            super().rollouts(run_id, rows)

    runs = Strict()
    sent = send_reports(left, runs, nobody)
    assert (sent.refused, sent.reports) == (["line 5: too large"], 7)
    assert [row.step for row in runs.rows] == [1, 3]
    assert [report.line for report in UnsentReports.read(left).waiting] == [5]


def test_without_a_login_nothing_is_tried_further(left):
    class Closed(FakeRuns):
        def create(self, run, key=""):
            raise NotLoggedInError("log in first")

    runs = Closed()
    with pytest.raises(NotLoggedInError):
        send_reports(left, runs, nobody)
    assert runs.points == []
    assert len(UnsentReports.read(left).waiting) == 8


def test_a_line_that_a_full_disk_cut_is_left_out_and_what_follows_is_whole(left):
    whole = left.read_text()
    left.write_text(whole + '{"kind": "log", "bo')
    UnsentReports(left).add([RunMessage.of("log", [MetricPoint(step=9, values={})])], "run-1")
    found = UnsentReports.read(left)
    assert (found.broken, found.waiting[-1].body[0].step, len(found.waiting)) == (1, 9, 9)


@pytest.mark.parametrize(
    "row",
    [{"step": 1}, [1], "a", {"kind": "log"}, {"kind": "log", "body": [{"step": -1}]}, {"kind": "done"}, {"kind": []}],
)
def test_a_line_of_another_file_is_named(tmp_path, row):
    file = tmp_path / "metrics.jsonl"
    file.write_text(json.dumps(row) + "\n")
    with pytest.raises(UsageError, match=r"metrics.jsonl, line 1 is no report of a run"):
        send_reports(file, FakeRuns(), nobody)


@pytest.mark.parametrize("odd", [{"run": 5}, {"run": {"a": 1}}, {"key": ["k"]}])
def test_a_strangers_file_whose_ids_are_no_text_is_named_and_no_fault(tmp_path, odd):
    """A number as the run's id ended in a traceback, where the address was made of it."""
    file = tmp_path / FILE
    file.write_text(json.dumps({"kind": "update", "body": {"state": "finished"}, "run": "r1"} | odd) + "\n")
    with pytest.raises(UsageError, match="line 1 is no report"):
        send_reports(file, FakeRuns(), nobody)


def test_reports_of_no_run_are_refused(tmp_path):
    file = tmp_path / FILE
    UnsentReports(file).add([RunMessage.of("log", [MetricPoint(step=1, values={})])], "")
    with pytest.raises(UsageError, match="does not say of which run"):
        send_reports(file, FakeRuns(), nobody)
