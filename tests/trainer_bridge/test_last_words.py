"""What `verihub train` leaves a person with: its closing table, or after Ctrl-C a command that goes on."""

import shlex

import pytest

from hub_client.commands.group import load_command
from hub_client.commands.runner import split_globals
from hub_client.settings import command_line
from trainer_bridge.learn.checkpoints import checkpoint_folder
from trainer_bridge.loop import TrainResult
from trainer_bridge.reports.evaluation import Change, Mean
from trainer_bridge.training_command import as_json, as_text, how_to_go_on

GIVEN = {
    "targets": ("lecture/a", "lecture/b"),
    "target_weights": (1.0, 2.0),
    "steps": 40,
    "run_name": "my run",
    "resume": True,
    "held_out_verifier": "",
    "output": "ignored",
}


@pytest.fixture
def output(tmp_path):
    for step in (2, 4):
        (checkpoint_folder(tmp_path) / f"checkpoint-{step:06d}").mkdir(parents=True)
        (checkpoint_folder(tmp_path) / f"checkpoint-{step:06d}" / "checkpoint.json").write_text("{}")
        (checkpoint_folder(tmp_path) / f"checkpoint-{step:06d}" / "state.pt").touch()
    (checkpoint_folder(tmp_path) / "checkpoint-000006").mkdir()  # it was being written
    return tmp_path


def test_the_newest_complete_checkpoint_is_named_with_a_command_that_the_parser_takes(output) -> None:
    said = how_to_go_on(GIVEN, ["save_steps=2", "loss.beta=0"], output)
    assert f"{output}/checkpoints/checkpoint-000004." in said
    words = shlex.split(said.splitlines()[-1])
    assert words[:2] == ["verihub", "train"]
    command = load_command("train")
    params = command.make_context("train", words[2:]).params
    assert params["targets"] == ["lecture/a", "lecture/b"]
    assert params["weight"] == [1.0, 2.0]
    assert (params["steps"], params["run_name"], params["resume"], params["output"]) == (40, "my run", True, output)
    assert "held-out" not in said
    assert params["more"] == ["save_steps=2", "loss.beta=0"]
    assert params["report"]


def test_a_run_that_was_not_reported_goes_on_unreported(output) -> None:
    words = shlex.split(how_to_go_on(GIVEN, [], output, report=False).splitlines()[-1])
    assert load_command("train").make_context("train", words[2:]).params["report"] is False


def test_global_options_are_in_the_command_that_goes_on(output) -> None:
    """Without --offline it would fetch, and without --url it would train on another hub's packages."""
    typed = ["--url", "http://hub.example", "train", "lecture/a", "--offline", "--min-age=7", "--trust-build"]
    options, _ = split_globals(typed)
    with command_line(options):
        words = shlex.split(how_to_go_on(GIVEN, [], output).splitlines()[-1])
    assert words[0] == "verihub"
    again, rest = split_globals(words[1:])
    assert again == options == {"url": "http://hub.example", "offline": True, "min_age": "7", "trust_build": True}
    assert rest[0] == "train"


def test_before_the_first_checkpoint_it_says_so(tmp_path) -> None:
    assert "No checkpoint had been written" in how_to_go_on(GIVEN, [], tmp_path)


def test_the_closing_figures_fit_into_eighty_columns_and_keep_names_whole(tmp_path) -> None:
    change = Change(Mean(-0.123, -0.234, -0.012, 64), Mean(0.987, 0.876, 1.0, 64), Mean(1.11, 0.999, 1.234, 64))
    name = "letters_in_the_answer_are_lower_case"
    told = as_text(TrainResult("run", 20, 60.0, {name: change}, tmp_path)).splitlines()
    assert max(map(len, told)) <= 80
    assert told[1:] == [
        f"  {name}: better",
        "    before  -0.123 [-0.234, -0.012]",
        "    after   0.987 [0.876, 1.000]",
        "    change  +1.110 [+0.999, +1.234]",
    ]


def test_what_was_lost_and_played_again_is_told(tmp_path) -> None:
    change = Change(Mean(0, 0, 0, 64), Mean(1, 1, 1, 64), Mean(1, 1, 1, 64))
    for rewards in ({}, {"right": change}):
        result = TrainResult("run", 20, 60.0, rewards, tmp_path, lost_tries=2)
        assert as_text(result).splitlines()[-1] == "2 tries of rollouts: lost on the way, and played again"
        assert as_json(result)["lost_tries"] == 2


def test_without_held_out_tasks_it_says_so(tmp_path) -> None:
    assert "no held-out tasks" in as_text(TrainResult("run", 20, 60.0, {}, tmp_path))
