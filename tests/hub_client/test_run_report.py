"""Any loop's run on the hub: means of what was judged, nothing twice, and the right end however the loop ends."""

import json
from types import SimpleNamespace

import pytest

from hub_client.environments import Verifier
from hub_client.errors import UsageError
from hub_client.run_report import RunReport
from schemas.run import RunState
from schemas.verdict import ErrorKind, ScoreRequest, Verdict
from tests.fakes.runner import FakeRunner
from tests.fakes.runs import FakeRuns
from tests.hub_client.test_environments import environment, load

TASK = {"id": "t1", "prompt": "1 + 1?", "answer": 2}


@pytest.fixture
def env():
    found, _ = environment()
    return found


@pytest.fixture
def runs():
    return FakeRuns()


@pytest.fixture
def report(runs, env, tmp_path):
    return RunReport(SimpleNamespace(runs=runs), "first", env, model="m", config={"lr": 1e-5}, folder=tmp_path)


def judge(report, env, step, *responses, phase="train"):
    pairs = [(TASK, response) for response in responses]
    report.judged(step, pairs, env.score(pairs), phase=phase)


def test_a_loop_is_a_run_with_its_pins_its_means_and_its_answers(report, runs, env):
    with report:
        judge(report, env, 0, "2", "3")
        judge(report, env, 0, "2", "2")
        report.log(0, {"loss": 0.5})
        judge(report, env, 1, "5")
    [created] = runs.created
    assert (created.name, created.model, created.config) == ("first", "m", {"lr": 1e-5})
    assert [(pin.package, pin.digest) for pin in created.packages] == [("alice/small-sums", env.digest)]
    assert [(point.step, point.values) for point in runs.points] == [
        (0, {"rewards/correct/mean": 0.75, "loss": 0.5}),
        (1, {"rewards/correct/mean": 0.0}),
    ]
    assert [(row.step, row.response, row.rewards["correct"]) for row in runs.rows][1] == (0, "3", 0.0)
    assert runs.updates[-1].state is RunState.FINISHED


def test_what_was_not_judged_is_in_no_mean_and_says_why(runs, tmp_path):
    lost = Verdict.unjudged(["correct"], ErrorKind.TIMEOUT, "5 seconds")
    env, _ = environment(lambda request: lost if request.response == "loop" else Verdict(rewards={"correct": 1.0}))
    with RunReport(SimpleNamespace(runs=runs), "x", env, folder=tmp_path) as report:
        judge(report, env, 0, "2", "loop")
        judge(report, env, 1, "loop")
    assert [point.values for point in runs.points] == [{"rewards/correct/mean": 1.0}]
    assert runs.rows[1].rewards == {"correct": None}
    assert runs.rows[1].error == "timeout: 5 seconds"


def test_a_held_out_verifier_watches_training_alone(env, runs, tmp_path):
    package = load()
    asked = []
    strict = Verifier(
        package, package, lambda: FakeRunner(lambda request: asked.append(request) or Verdict(rewards={"correct": 0.0}))
    )
    with RunReport(SimpleNamespace(runs=runs), "x", env, held_out=strict, folder=tmp_path) as report:
        judge(report, env, 0, "2")
        judge(report, env, 0, "2", phase="eval")
    assert runs.points[0].values == {"rewards/correct/mean": 1.0, "held_out/correct/mean": 0.0}
    assert [(row.phase, row.held_out) for row in runs.rows] == [("train", {"correct": 0.0}), ("eval", {})]
    assert len(asked) == 1


def test_a_held_out_verifier_of_other_rewards_is_refused_at_once(env, runs):
    other = SimpleNamespace(rewards={"style": None})
    with pytest.raises(UsageError, match="does not declare correct"):
        RunReport(SimpleNamespace(runs=runs), "x", env, held_out=other)


@pytest.mark.parametrize(
    ("error", "state"),
    [(None, RunState.FINISHED), (KeyboardInterrupt(), RunState.STOPPED), (ValueError("no"), RunState.FAILED)],
    ids=["finished", "stopped", "failed"],
)
def test_the_end_is_told_as_it_was(report, runs, error, state):
    try:
        with report:
            report.log(0, {"loss": 1.0})
            if error is not None:
                raise error
    except (KeyboardInterrupt, ValueError):
        pass
    assert runs.updates[-1].state is state
    assert len(runs.points) == 1, "the last step is not lost"


def test_a_silent_process_and_one_that_reports_nothing_make_no_run(report, runs, env, tmp_path):
    with report:
        report.is_silent = True
        judge(report, env, 0, "2")
        report.log(0, {"loss": 1.0})
    with RunReport(SimpleNamespace(runs=runs), "y", env, folder=tmp_path / "y"):
        pass
    assert runs.created == []
    assert not list(tmp_path.rglob("*.jsonl"))


def test_a_step_that_goes_back_is_refused(report):
    with report:
        report.log(2, {"loss": 1.0})
        with pytest.raises(UsageError, match="step 1 comes after step 2"):
            report.log(1, {"loss": 1.0})


def test_numbers_that_are_none_become_null_and_the_run_goes_on(report, runs):
    with report:
        report.log(0, {"loss": float("nan"), "kl": float("inf"), "fine": 1})
    assert runs.points[0].values == {"loss": None, "kl": None, "fine": 1.0}


def test_a_dead_hub_costs_the_loop_nothing_but_a_warning(report, runs, env, monkeypatch, tmp_path):
    monkeypatch.setattr("hub_client.run_logger._FIRST_PAUSE_SECONDS", 0.001)
    runs.down = 2
    with pytest.warns(UserWarning, match="Training goes on"), report:
        judge(report, env, 0, "2")
    assert len(runs.rows) == 1
    assert len((tmp_path / "rollouts.jsonl").read_text().splitlines()) == 1


@pytest.mark.parametrize(
    ("response", "text"),
    [
        ("plain", "plain"),
        ([{"role": "user", "content": "?"}, {"role": "assistant", "content": "last"}], "last"),
        (ScoreRequest(id="0", response="asked"), "asked"),
        (ScoreRequest(id="0", messages=[{"role": "assistant", "content": "said"}]), "said"),
        ([], ""),
    ],
    ids=range(5),
)
def test_every_form_of_response_is_kept_as_text(report, runs, env, response, text):
    with report:
        report.judged(0, [(TASK, response)], env.score([(TASK, "2")]))
    assert runs.rows[0].response == text


def test_the_default_folder_is_named_by_the_run_and_never_leads_elsewhere(env, runs, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with RunReport(SimpleNamespace(runs=runs), "../../first run", env) as report:
        report.log(0, {"loss": 1.0})
    [file] = tmp_path.rglob("metrics.jsonl")
    assert file.parent.parent == tmp_path / "verihub-runs"
    assert json.loads(file.read_text())["values"] == {"loss": 1.0}


def test_the_page_of_the_run_is_known_once_the_hub_has_answered(runs, env, tmp_path):
    with RunReport(SimpleNamespace(runs=runs, url="http://localhost:8000"), "x", env, folder=tmp_path) as report:
        assert report.url == ""
        judge(report, env, 0, "2")
    assert report.url == f"http://localhost:8000/runs/{report.run_id}"
