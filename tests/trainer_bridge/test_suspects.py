"""Samples about which two verifiers disagree: which they are, where they go, and that nothing is sent unasked."""

from dataclasses import replace

import pytest

from hub_client.errors import ConflictError, HubUnreachableError
from schemas.evidence.cases import AuditCase
from schemas.manifest import RewardDeclaration
from schemas.task import Task
from schemas.verdict import ScoreRequest, Verdict
from tests.trainer_bridge.conftest import Told
from trainer_bridge.errors import SettingsError
from trainer_bridge.loop import train
from trainer_bridge.rewards import RewardSpace
from trainer_bridge.rollout.rollouts import Draw, Rollout
from trainer_bridge.suspects import Suspects, as_case, is_suspicious

SPACE = RewardSpace({"digits": RewardDeclaration()})
ALARM = "reward hacking is likely since step 7"


def rollout(number=0, accepted=1.0, held_out: float | None = 0.0, text="7") -> Rollout:
    task = Task(id=f"t{number}", prompt=f"Say {number}.", answer=number)
    other = None if held_out is None else Verdict(rewards={"digits": held_out})
    return Rollout(Draw(0, "test/digits", task), 0, (), text, Verdict(rewards={"digits": accepted}), other)


@pytest.mark.parametrize(
    ("accepted", "held_out", "is_one"),
    [(1.0, 0.0, True), (1.0, 1.0, False), (0.0, 1.0, False), (0.0, 0.0, False), (1.0, None, False)],
)
def test_it_is_suspicious_what_only_the_verifier_in_the_loop_accepts(accepted, held_out, is_one):
    assert is_suspicious(rollout(accepted=accepted, held_out=held_out), SPACE) is is_one


def test_what_one_of_them_could_not_judge_is_not_suspicious():
    broken = Verdict(rewards={"digits": None})
    assert not is_suspicious(replace(rollout(), held_out=broken), SPACE)
    assert not is_suspicious(replace(rollout(), verdict=broken), SPACE)


@pytest.fixture
def opened(fake_hub, fake_environment, tmp_path):
    """Suspects of one environment, with what a person is told."""

    def make(where="hub", most=8):
        told, hub = Told(), fake_hub()
        made = Suspects(where, most, [fake_environment()], "test/strict@1.0.0", tmp_path / "s.jsonl", hub, told)
        return made, hub, told

    return make


def lines(tmp_path):
    return [AuditCase.model_validate_json(line) for line in (tmp_path / "s.jsonl").read_text().splitlines()]


def test_each_task_is_taken_once_and_half_of_the_places_wait_for_the_alarm(opened, tmp_path):
    suspects, _, _ = opened(most=8)
    found = [rollout(number) for number in range(20)]
    suspects.take([found[0], found[0], rollout(0, text="8"), *found], SPACE, step=1, run_id="r", alarm="")
    assert len(lines(tmp_path)) == 4
    suspects.take(found, SPACE, step=2, run_id="r", alarm=ALARM)
    assert len(lines(tmp_path)) == 8
    assert len({case.task["id"] for case in lines(tmp_path)}) == 8
    assert ALARM in lines(tmp_path)[-1].note


def test_a_run_that_goes_on_takes_no_task_twice(opened, tmp_path):
    for _ in range(2):
        suspects, _, _ = opened()
        suspects.take([rollout(0), rollout(1)], SPACE, step=1, run_id="r", alarm="")
    assert len(lines(tmp_path)) == 2


def test_the_hub_gets_cases_and_a_person_is_told_that_they_do_not_count(opened):
    suspects, hub, told = opened()
    suspects.take([rollout()], SPACE, step=3, run_id="r", alarm="")
    suspects.close()
    (call,) = hub.sent
    assert (call.method, call.path) == ("POST", "/api/v1/packages/test/digits/releases/1.0.0/cases")
    assert "1 submitted as counter-examples, 0 refused" in told.said[-1]
    assert "count in no rate until" in told.said[-1]


@pytest.mark.parametrize(("error", "warned"), [(ConflictError("known"), 0), (HubUnreachableError("no answer"), 1)])
def test_a_hub_that_refuses_stops_nothing(error, warned, opened):
    suspects, hub, told = opened()
    hub.refuses = error
    suspects.take([rollout()], SPACE, step=3, run_id="r", alarm="")
    suspects.close()
    assert "0 submitted" in told.said[-1]
    assert len(told.warned) == warned


def test_a_file_is_not_sent_and_several_verifiers_have_one_each(opened, fake_environment, tmp_path):
    suspects, hub, told = opened(where=str(tmp_path / "s.jsonl"))
    suspects = replace(suspects, judges=[fake_environment("test/a"), fake_environment("test/b")])
    second = rollout(1)
    suspects.take(
        [rollout(), replace(second, draw=replace(second.draw, environment=1))], SPACE, step=3, run_id="", alarm=""
    )
    suspects.close()
    assert hub.sent == []
    assert [(tmp_path / f"s-test-{name}.jsonl").exists() for name in "ab"] == [True, True]
    assert "verihub cases submit" in told.said[-1]


def test_a_session_is_handed_over_with_its_conversation_and_state():
    request = ScoreRequest(id="", task={}, messages=[{"role": "user", "content": "x"}], state={"board": 1})
    case = as_case(replace(rollout(), judged=request, turns=3), "test/strict@1.0.0", step=1, run_id="", alarm="")
    assert (case.response, case.state, case.messages) == (None, {"board": 1}, request.messages)
    plain = as_case(
        replace(rollout(), judged=request.model_copy(update={"state": None})), "x", step=1, run_id="r", alarm=""
    )
    assert (plain.response, plain.messages, plain.label) == ("7", None, "incorrect")


# In a run


def lenient(task, response):
    del task, response
    return {"digits": 1.0}


def strict(task, response):
    return {"digits": float(len(response) % 2)}


@pytest.fixture
def run(fake_hub, fake_environment, make_settings):
    def make(**changes):
        environment = fake_environment(verify=lenient)
        hub = fake_hub(environment, fake_environment("test/strict", verify=strict))
        settings = make_settings(recipe="rejection", held_out_verifier="test/strict", steps=1, eval_tasks=0, **changes)
        train(settings, hub=hub)
        return hub, settings

    return make


def test_without_the_setting_nothing_is_collected(run):
    hub, settings = run()
    assert hub.sent == []
    assert list(settings.output.glob("suspects*")) == []


def test_a_run_writes_what_a_person_can_read_and_submit(run, tmp_path):
    hub, settings = run(report_suspects=str(tmp_path / "s.jsonl"))
    assert hub.sent == []
    assert lines(tmp_path)
    assert all(case.label == "incorrect" and case.task["prompt"].startswith("Say") for case in lines(tmp_path))
    assert list(settings.output.glob("suspects*")) == []


def test_what_cannot_work_is_refused_at_the_start(run, make_settings, fake_hub, tmp_path):
    with pytest.raises(SettingsError, match="needs a --held-out-verifier"):
        train(make_settings(report_suspects="hub"), hub=fake_hub())
    with pytest.raises(SettingsError, match="no folder"):
        run(report_suspects=str(tmp_path / "nowhere" / "s.jsonl"))
    with pytest.raises(SettingsError, match="a project folder, against which a hub takes no cases"):
        run(report_suspects="hub")
