"""Runs on the hub, as lists and one by one; a replay without the trainer says what to install."""

from importlib.metadata import EntryPoints

import httpx
import pytest

from hub_client.unsent_reports import RunMessage, UnsentReports
from schemas.extras import how_to_install
from schemas.run import RolloutRow
from tests.making.scripted_hub import NOW, problem

RUN = {
    "id": "r1", "name": "first", "owner": "alice", "kind": "training", "state": "finished", "model": "tiny",
    "recipe": "dapo", "packages": [{"package": "alice/x", "version": "1.0.0", "digest": "sha256:0"}], "rewards": {},
    "config": {}, "created_at": NOW.isoformat(), "updated_at": NOW.isoformat(), "last_step": 0,
    "summary": {"correct": {"before": 0.1, "before_low": 0.05, "before_high": 0.2, "after": 0.5, "after_low": 0.4,
                            "after_high": 0.6, "tasks": 40}},
}  # fmt: skip


def test_no_runs_yet_says_what_makes_one(verihub, scripted):
    scripted.on("GET", "/runs", {"items": []})
    assert verihub("run", "list").out.strip() == "no runs yet: `verihub train` makes one"


def test_a_list_has_step_zero_and_no_step_apart(verihub, scripted, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    scripted.on("GET", "/runs", {"items": [RUN, {**RUN, "id": "r2", "last_step": None}]})
    first, second = (line.split() for line in verihub("run", "list").out.splitlines()[-2:])
    assert (first[:5], second[:5]) == (
        ["r1", "first", "training", "finished", "0"],
        ["r2", "first", "training", "finished", "tiny"],
    )
    assert verihub("run", "list", "-q").out.split() == ["r1", "r2"]


def test_a_run_shows_what_was_pinned_and_each_reward_with_its_interval(verihub, scripted):
    scripted.on("GET", "/runs/r1", RUN)
    said = verihub("run", "show", "r1").out
    assert "http://hub.example/runs/r1" in said
    assert "pinned  alice/x@1.0.0  sha256:0" in said
    assert "correct  0.100 (0.050–0.200) -> 0.500 (0.400–0.600) on 40 held-out tasks" in said


def test_a_hostile_name_does_not_reach_the_terminal(verihub, scripted):
    scripted.on("GET", "/runs/r1", {**RUN, "name": "\x1b[2Jowned", "model": "\u202eevil"})
    assert not {"\x1b", "\u202e"} & set(verihub("run", "show", "r1").out)


@pytest.mark.parametrize("run_id", ["../account", "a?b", "a#b"])
def test_no_id_leads_elsewhere(verihub, scripted, run_id):
    assert verihub("run", "show", run_id).code == 4
    assert scripted.asked[0].startswith("GET /runs/")


def test_a_replay_without_the_trainer_says_how_to_get_it(verihub, scripted, monkeypatch):
    monkeypatch.setattr("hub_client.commands.run.extensions", lambda: EntryPoints(()))
    said = verihub("run", "replay", "somewhere")
    assert (said.code, scripted.asked) == (2, [])
    assert how_to_install("trainer") in said.err


def test_a_replay_has_at_least_one_step(verihub, scripted):
    assert verihub("run", "replay", "somewhere", "--steps", "0").code == 2


def test_runs_are_compared_with_intervals_and_the_first_differs_from_none(verihub, scripted, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    low, high = {"value": 0.5, "low": 0.4, "high": 0.6}, {"value": 0.7, "low": 0.6, "high": 0.8}
    more = {"value": 0.2, "low": 0.06, "high": 0.33}
    rows = [
        {"name": "pass rate", "sides": [{"letter": "A", "number": low}, {"letter": "B", "number": high, "difference": more}]},
        {"name": "reward", "why_not": "other packages", "sides": [{"letter": "A", "number": low}, {"letter": "B", "number": high}]},
    ]  # fmt: skip
    body = {"runs": [RUN, {**RUN, "id": "r2", "name": "\x1b[2Jsecond"}], "rows": rows}
    asked = []
    scripted.on(
        "GET", "/runs/compare", lambda request: asked.append(request.url.params) or httpx.Response(200, json=body)
    )
    said = verihub("run", "compare", "r1", "r2")
    assert asked[-1].get_list("run") == ["r1", "r2"]
    assert "A is first (r1)" in said.err
    assert "\x1b[2J" not in said.err
    assert "0.200 (0.060 to 0.330)" in said.out
    assert "none: other packages" in said.out
    assert verihub("run", "compare", "r1", "r2", "-q").out.split("\n")[:2] == ["pass rate", "reward"]


def test_runs_that_share_nothing_say_so(verihub, scripted):
    scripted.on("GET", "/runs/compare", {"runs": [RUN, RUN], "rows": []})
    assert "share no pass rate" in verihub("run", "compare", "r1", "r2").out


def test_sending_a_file_that_is_not_there_says_so(verihub, scripted, tmp_path):
    said = verihub("run", "send", tmp_path)
    assert (said.code, scripted.asked) == (2, [])
    assert "holds no unsent.jsonl and no reported.jsonl: no run was reported from it" in said.err
    assert verihub("run", "send", tmp_path / "none.jsonl").code == 2


def test_a_refused_report_is_named_and_the_command_fails(verihub, scripted, tmp_path):
    file = tmp_path / "unsent.jsonl"
    rows = [{"step": 1, "task_id": "t", "response": "r", "rewards": {}}]
    UnsentReports(file).add([RunMessage.of("rollouts", [RolloutRow.model_validate(row) for row in rows])], "r1")
    scripted.on("POST", "/runs/r1/rollouts", problem(409, "run_limit", "the account keeps too much"))
    said = verihub("run", "send", file)
    assert said.code == 6
    assert "the hub refused 1 report" in said.err
    assert "line 1: the account keeps too much" in said.err
    assert "Run: http://hub.example/runs/r1" in said.out
