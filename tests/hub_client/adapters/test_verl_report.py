"""A verl run on the hub: steps are counted by their samples, whichever threads judge them and in whatever order."""

import threading
from types import SimpleNamespace

import pytest

from hub_client.adapters.verl import RewardFunctions
from hub_client.adapters.verl_report import StepReports
from hub_client.errors import UsageError
from hub_client.run_report import RunReport
from schemas.run import RunState
from tests.fakes.runs import FakeRuns
from tests.hub_client.adapters.test_verl import sample

ASKED = {"report": "my run", "samples_per_step": 4, "held_out": ""}


@pytest.fixture
def runs():
    return FakeRuns()


@pytest.fixture
def functions(env, runs, tmp_path):
    def open_report(name, verifier, held_out):
        held = env if held_out else None
        return RunReport(SimpleNamespace(runs=runs), name, verifier, held_out=held, folder=tmp_path)

    return RewardFunctions(lambda target: env, open_report)


def end(functions):
    for one in functions._reports.values():
        one.close()


def points(runs):
    return [(point.step, point.values["rewards/correct/mean"]) for point in runs.points]


def test_every_so_many_training_samples_are_a_step(functions, env, runs):
    for response in ("2", "2", "3", "3", "2", "2", "2", "loop", "2"):
        functions.compute_score(**sample(env, response), **ASKED)
    end(functions)
    assert points(runs) == [(1, 0.5), (2, 1.0)], "what was not judged is in no mean, a step that was begun in none"
    assert [row.response for row in runs.rows] == ["2", "2", "3", "3", "2", "2", "2", "loop"]
    assert runs.updates[-1].state is RunState.FINISHED


@pytest.mark.anyio
async def test_the_asynchronous_function_reports_too_and_validation_is_not_counted(functions, env, runs):
    for number in range(4):
        looked_at = sample(env, "3")
        looked_at["extra_info"] |= {"split": "validation"}
        await functions.compute_score_async(**looked_at, **ASKED)
        await functions.compute_score_async(**sample(env, "2" if number else "3"), **ASKED)
    end(functions)
    assert points(runs) == [(1, 0.75)]


def test_a_held_out_verifier_judges_the_same_samples(functions, env, runs):
    for _ in range(4):
        functions.compute_score(**sample(env, "2"), **{**ASKED, "held_out": "alice/strict"})
    end(functions)
    [point] = runs.points
    assert point.values["held_out/correct/mean"] == 1.0


def test_threads_lose_and_double_nothing(functions, env, runs):
    def judge():
        for _ in range(20):
            functions.compute_score(**sample(env, "2"), **ASKED)

    threads = [threading.Thread(target=judge) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    end(functions)
    assert [step for step, _ in points(runs)] == list(range(1, 21))
    assert len(runs.rows) == 80


def test_a_report_that_fails_does_not_stop_the_training(env):
    def fail(verifier):
        raise UsageError("no such package")

    reports = StepReports(1, fail)
    functions = RewardFunctions(lambda target: env)
    functions._reports["my run", 1, ""] = reports

    def judge_and_end():
        assert functions.compute_score(**sample(env, "2"), report="my run", samples_per_step=1)["acc"] == 1.0
        reports.close()

    with pytest.warns(UserWarning, match="step 1 was not reported: no such package"):
        judge_and_end()


def test_the_size_of_a_step_must_be_said(functions, env):
    with pytest.raises(UsageError, match=r"data\.train_batch_size times"):
        functions.compute_score(**sample(env, "2"), report="my run")


def test_without_a_name_nothing_is_reported(functions, env, runs):
    functions.compute_score(**sample(env, "2"), samples_per_step=1)
    assert (functions._reports, runs.created) == ({}, [])
