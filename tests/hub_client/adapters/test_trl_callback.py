"""What TRL's trainer calls, in its order: steps and phases are those of its log."""

from types import SimpleNamespace

import pytest

from hub_client.adapters.trl import reward_functions
from hub_client.run_report import RunReport
from tests.fakes.runs import FakeRuns
from tests.hub_client.adapters.test_trl import batch

pytest.importorskip("transformers", reason="an optional dependency: transformers")

from hub_client.adapters.trl_callback import RunCallback


@pytest.fixture
def runs():
    return FakeRuns()


@pytest.fixture
def report(env, runs, tmp_path):
    return RunReport(SimpleNamespace(runs=runs), "trl", env, folder=tmp_path)


class Loop:
    """The order of calls in TRL's trainer: begin, then for each step: begin, rewards, log; evaluation between."""

    def __init__(self, env, report, *, is_first=True):
        self.env, self.report = env, report
        self.callback, self.functions = RunCallback(report), reward_functions(env, report=report)
        self.model = SimpleNamespace(training=True)
        self.state = SimpleNamespace(global_step=0, is_world_process_zero=is_first)
        self.callback.on_train_begin(None, self.state, None, model=self.model)

    def judge(self, *completions):
        for function in self.functions:
            function(**batch(self.env, *completions))

    def step(self, *completions, logs=None):
        self.callback.on_step_begin(None, self.state, None)
        self.judge(*completions)
        self.state.global_step += 1
        self.callback.on_log(None, self.state, None, logs={"loss": 0.25, "note": "text", **(logs or {})})

    def evaluate(self, *completions):
        self.model.training = False
        self.judge(*completions)
        self.callback.on_log(None, self.state, None, logs={"eval_loss": 1.0})
        self.model.training = True


def test_rewards_and_logs_of_a_step_are_one_point(env, report, runs):
    with report:
        loop = Loop(env, report)
        loop.step("2", "3")
        loop.step("2", "2")
    assert [point.step for point in runs.points] == [1, 2]
    assert [point.values["rewards/correct/mean"] for point in runs.points] == [0.5, 1.0]
    assert runs.points[0].values["loss"] == 0.25
    assert "note" not in runs.points[0].values
    assert [(row.step, row.response) for row in runs.rows] == [(1, "2"), (1, "3"), (2, "2"), (2, "2")]


def test_an_evaluation_between_steps_is_a_phase_of_its_own(env, report, runs):
    with report:
        loop = Loop(env, report)
        loop.step("2")
        loop.evaluate("3", "4")
        loop.step("2")
    assert [(row.phase, row.response) for row in runs.rows] == [
        ("train", "2"), ("eval", "3"), ("eval", "4"), ("train", "2"),
    ]  # fmt: skip
    assert runs.points[0].values["rewards/correct/mean"] == 1.0
    assert runs.points[0].values["eval_loss"] == 1.0


def test_only_the_first_process_reports(env, report, runs):
    with report:
        Loop(env, report, is_first=False).step("2")
    assert (runs.created, runs.rows, runs.points) == ([], [], [])


def test_a_resumed_run_goes_on_at_its_step(env, report, runs):
    with report:
        loop = Loop(env, report)
        loop.state.global_step = 40
        loop.callback.on_train_begin(None, loop.state, None, model=loop.model)
        loop.step("2")
    assert [point.step for point in runs.points] == [41]
