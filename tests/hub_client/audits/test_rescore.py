"""A run's verdicts beside another verifier's: nothing is counted twice, and what is unknown is never a zero."""

import random
from types import SimpleNamespace

import pytest

from hub_client.audits.rescore import Pair, rescore_run, shift_of_accepted, shifts_of_rewards, shifts_of_steps
from hub_client.audits.stored_runs import StoredRun
from hub_client.commands.rescore import rescore_text
from hub_client.environments import Verifier
from schemas.run import PinnedPackage, RolloutRow
from schemas.verdict import Verdict
from tests.fakes.runner import FakeRunner
from tests.hub_client.audits.test_stored_runs import OneHub
from tests.hub_client.test_environments import environment, load


def row(task="t1", value=1.0, *, step=0, phase="train", response="2", error=""):
    return RolloutRow(
        step=step, phase=phase, task_id=task, response=response, rewards={"correct": value}, error=error
    )  # fmt: skip


def pair(before, after, task="t", step=0, phase="train"):
    value = None if before is None else float(before)
    later = None if after is None else float(after)
    return Pair(row(task, value, step=step, phase=phase), ("p", task), before, after, {"correct": later})


def rescored(rollouts, judge):
    env, _ = environment()
    run = StoredRun("r", [PinnedPackage(package="alice/small-sums", version="1.0.0", digest=env.digest)], rollouts)
    package = load()
    return rescore_run(OneHub(env), run, Verifier(package, package, lambda: FakeRunner(judge)))


def always(value):
    return lambda _: Verdict(rewards={"correct": value})


def test_each_change_is_counted_and_listed_with_both_verdicts():
    found = rescored([row(value=1.0), row(value=0.0), row("t2", 1.0)], always(0.0))
    assert found.counts == {"accepted/rejected": 2, "rejected/rejected": 1}
    assert [(one.task_id, one.before, one.after) for one in found.changed] == [("t1", True, False), ("t2", True, False)]
    assert (found.judged, found.rollouts, found.not_judged) == (3, 3, 0)


def test_the_new_verifier_gets_the_task_with_its_answer():
    seen = []
    rescored([row("t2", response="five")], lambda request: seen.append(request) or Verdict(rewards={"correct": 1.0}))
    assert (seen[0].task["answer"], seen[0].response) == (5, "five")


def test_what_is_not_judged_on_either_side_is_in_no_mean():
    found = rescored([row(value=1.0), row(value=None), row("t2", 0.0, error="timeout")], always(1.0))
    assert found.counts == {"accepted/accepted": 1, "null/accepted": 2}
    assert (found.accepted.rollouts, found.accepted.before, found.accepted.after) == (1, 1.0, 1.0)
    nothing = rescored([row(value=1.0)], always(None))
    assert (nothing.accepted, nothing.not_judged, nothing.rewards, nothing.steps) == (None, 1, {}, [])
    lost = rescored([row(value=1.0)], lambda _: None)
    assert lost.not_judged == 1, "a sandbox that ended says nothing about the answer"


def test_rollouts_whose_task_is_gone_are_left_out_and_counted():
    found = rescored([row("t1"), row("nowhere")], always(1.0))
    assert (found.without_task, found.judged) == (1, 1)


def test_rollouts_of_sessions_are_left_out_and_counted():
    session = SimpleNamespace(
        manifest=SimpleNamespace(session="x:S", id="a/b"), digest="", rewards={}, package=SimpleNamespace(reference="a/b")
    )  # fmt: skip
    package = load()
    run = StoredRun("r", [PinnedPackage(package="a/b", version="1.0.0", digest="")], [row("t1")])
    found = rescore_run(OneHub(session), run, Verifier(package, package, lambda: FakeRunner(always(1.0))))
    assert (found.of_sessions, found.without_task, found.judged) == (1, 0, 0)


def test_many_rollouts_of_one_task_count_once():
    """One task sampled a thousand times says as much about other tasks as one that was sampled once."""
    pairs = [pair(True, False, "a") for _ in range(1_000)] + [pair(True, True, f"b{index}") for index in range(9)]
    shift = shift_of_accepted(pairs)
    assert shift.change.value == pytest.approx(-0.1)
    assert shift.after - shift.before == pytest.approx(shift.change.value)
    assert (shift.rollouts, shift.tasks) == (1_009, 10)


def test_the_interval_holds_the_true_change_in_nineteen_of_twenty_runs():
    """Eight samples a task, tasks that differ in how often they flip: 300 runs of 40 tasks."""
    draw = random.Random(5)
    held = 0
    for _ in range(300):
        pairs = []
        for task in range(40):
            chance = draw.betavariate(1, 3)  # mean 0.25
            pairs += [pair(True, draw.random() >= chance, str(task)) for _ in range(8)]
        change = shift_of_accepted(pairs).change
        held += change.low <= -0.25 <= change.high
    assert 0.93 * 300 <= held <= 0.99 * 300, "an interval that holds anything says nothing"


def test_training_is_cut_into_thirds_of_its_steps_and_other_phases_are_whole():
    pairs = [pair(True, step < 4, f"t{step}", step) for step in range(9)]
    pairs += [pair(True, True, "e", 0, "eval_before"), pair(None, True, "f", 9, "eval_after")]
    found = [(part.phase, part.first, part.last, part.accepted.after) for part in shifts_of_steps(pairs)]
    assert found == [("train", 0, 2, 1.0), ("train", 3, 5, pytest.approx(1 / 3)), ("train", 6, 8, 0.0),
                     ("eval_before", 0, 0, 1.0)]  # fmt: skip


def test_two_steps_make_two_parts():
    assert len(list(shifts_of_steps([pair(True, True, "a", 3), pair(True, True, "b", 90)]))) == 2


def test_rewards_that_only_one_side_gives_are_not_compared():
    one = Pair(row("a", 0.5), ("p", "a"), True, True, {"correct": None, "style": 1.0})
    assert shifts_of_rewards([one]) == {}


@pytest.mark.parametrize("judged", [0.0, 1e308, -1e308])
@pytest.mark.parametrize("stored", [1e308, -1e200, 1e120])
def test_rewards_without_a_square_are_in_no_mean(stored: float, judged: float) -> None:
    """A hub that lies, or a verifier with a range up to the largest float, ended it with an overflow."""
    found = rescored([row(value=stored), row(value=stored), row("t2", -stored)], always(judged))
    assert (found.judged, found.rewards) == (3, {})
    assert rescore_text(found)
    assert found.model_dump_json()
