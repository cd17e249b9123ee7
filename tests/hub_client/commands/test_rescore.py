"""What `verihub rescore` prints, writes and refuses; and a run of a live hub, judged again."""

import json
import shutil

import pytest

from hub_client.client import Hub
from hub_client.commands.rescore import rescore_text
from hub_client.settings import ClientSettings
from schemas.measures.intervals import Interval
from schemas.rescore import Rescore, RescoredRollout, RescoredSteps, Shift
from schemas.run import PinnedPackage, RolloutRow, RunCreate


def shift(before, after):
    change = Interval(value=after - before, low=after - before - 0.1, high=after - before + 0.1)
    return Shift(before=before, after=after, change=change, rollouts=20, tasks=10)


def report(**more):
    fields = {
        "run": "first (r1)", "verifier": "alice/strict@1.0.0", "digest": "sha256:0", "rollouts": 30, "judged": 20,
        "counts": {"accepted/rejected": 8, "rejected/null": 1}, "accepted": shift(0.6, 0.2),
        "rewards": {"correct": shift(0.6, 0.2)}, "steps": [], "changed": [],
    }  # fmt: skip
    return Rescore(**{**fields, **more})


def test_the_change_stands_with_its_interval_and_what_it_is_over():
    said = rescore_text(report())
    assert "accepted  60.0 % -> 20.0 %   change -40.0 points (-50.0 to -30.0) over 10 tasks" in said
    assert "accepted -> rejected       8" in said
    assert "rejected -> not judged     1" in said
    assert "left out" not in said
    assert "null" not in said


def test_what_was_left_out_is_said_with_the_reason():
    said = rescore_text(report(without_task=4, of_sessions=5, not_judged=1, reasons={"timeout: 5 s": 1}))
    assert "4 left out: the task is in no split" in said
    assert "5 left out: a run does not store the state of a session" in said
    assert "1 could not be judged" in said
    assert "1 × timeout: 5 s" in said


def test_without_a_verdict_on_both_sides_nothing_is_claimed():
    said = rescore_text(report(accepted=None, judged=0, rewards={}, counts={"null/accepted": 3}))
    assert "nothing was judged by both" in said
    assert "%" not in said


def test_a_drift_shows_by_steps_and_changed_rollouts_are_quoted_in_one_line():
    steps = [RescoredSteps(phase="train", first=0, last=3, accepted=shift(0.5, 0.5)),
             RescoredSteps(phase="train", first=4, last=8, accepted=shift(0.9, 0.2))]  # fmt: skip
    one = RescoredRollout(
        rollout=7, step=5, phase="train", package="a/b", task_id="t1", before=True, after=False,
        rewards_before={}, rewards_after={}, response="so\n  long " * 30,
    )  # fmt: skip
    said = rescore_text(report(steps=steps, changed=[one] * 12))
    assert "train 4–8" in said
    assert "rollout 7, step 5, t1: accepted -> rejected: 'so long so" in said
    assert "… and 2 more: --output FILE.jsonl writes all" in said


def test_a_folder_that_is_no_run_says_what_is_missing(verihub, tmp_path):
    said = verihub("rescore", tmp_path, "--verifier", "a/b")
    assert said.code == 2
    assert "holds no receipt.json" in said.err


def test_a_run_that_is_not_there_or_empty(verihub, scripted, tmp_path):
    assert verihub("rescore", "nowhere", "--verifier", "a/b").code == 4
    (tmp_path / "receipt.json").write_text('{"packages": [], "settings": {}}')
    (tmp_path / "rollouts.jsonl").write_text("")
    assert "has no rollouts" in verihub("rescore", tmp_path, "--verifier", "a/b").err


@pytest.fixture
def finished_run(measured, hub_address):
    """A run of twelve rollouts on the live hub's environment: its verifier's verdicts on two tasks."""
    with Hub(settings=ClientSettings.load(url=hub_address, token=measured.token)) as hub:
        env = hub.environment(measured.id)
        tasks = env.task_list("train", limit=2)
        pin = PinnedPackage(package=measured.id, version=env.version, digest=env.digest)
        run = hub.runs.create(RunCreate(name="twelve", packages=[pin], rewards=env.rewards))
        rows = []
        for step in range(6):
            for task in tasks:
                table = env.score([(task, "zzz")])
                rewards = dict(zip(table.names, table.rows[0], strict=True))
                rows.append(RolloutRow(step=step, task_id=task["id"], response="zzz", rewards=rewards))
        hub.runs.rollouts(run.id, rows)
    return run.id


@pytest.mark.together("live_hub")
def test_a_live_run_judged_by_its_own_verifier_and_by_one_that_pays_everything(
    verihub, measured, finished_run, tmp_path
):
    same = verihub("rescore", finished_run, "--verifier", measured.id, "--format", "json")
    assert same.code == 0, same.err
    assert (same.json["judged"], same.json["changed"]) == (12, [])
    assert same.json["accepted"]["change"]["value"] == 0.0
    generous = tmp_path / "generous"
    shutil.copytree(measured.folder, generous)
    module = next((generous / "src").rglob("__init__.py"))
    names = list(same.json["rewards"])
    more = f"\n\ndef verify(task, response):\n    return dict.fromkeys({names!r}, 1.0)\n"
    module.write_text(module.read_text() + more)
    said = verihub("rescore", finished_run, "--verifier", generous, "--output", tmp_path / "changed.jsonl")
    assert said.code == 0, said.err
    assert "0.0 % -> 100.0 %" in said.out
    changed = [json.loads(line) for line in (tmp_path / "changed.jsonl").read_text().splitlines()]
    assert len(changed) == 12
    assert all(one["rollout"] and one["after"] is True for one in changed)
