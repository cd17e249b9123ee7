"""The command around the loop: what it accepts, what it prints, how it refuses."""

import json
from contextlib import contextmanager
from pathlib import Path

import pytest

from hub_client.commands.command_context import CommandContext
from hub_client.commands.main import run as verihub
from hub_client.errors import NotFoundError
from hub_client.settings import ClientSettings
from hub_client.terminal.output import Output
from trainer_bridge import training_command
from trainer_bridge.errors import SettingsError
from trainer_bridge.training_command import make_settings

NO_HUB = None  # bundled recipes need none


@pytest.fixture
def on_fake_hub(monkeypatch, fake_hub, tmp_path):
    """`verihub train` with a hub in memory."""
    hub = fake_hub()
    hub.url = "http://hub.test"

    @contextmanager
    def context():
        settings = ClientSettings.load(cache_dir=tmp_path / "cache")
        yield CommandContext(settings, Output(settings), hub)

    monkeypatch.setattr(training_command, "open_context", context)
    return hub


def arguments(tmp_path, *more):
    fast = [
        "--steps",
        "2",
        "--num-generations",
        "4",
        "--prompts-per-step",
        "2",
        "--eval-tasks",
        "4",
        "--set",
        "save_steps=0",
    ]
    return ["train", "test/digits", "--model", "tiny", *fast, "--output", str(tmp_path / "run"), *more]


def test_the_json_result_has_every_reward_with_intervals(on_fake_hub, tmp_path, capsys):
    assert verihub(arguments(tmp_path, "--format", "json", "--run-name", "demo")) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["run_id"] == "run-1"
    assert printed["steps"] == 2
    assert set(printed["rewards"]["digits"]) == {"before", "after", "difference", "tasks", "outside_noise"}
    assert printed["rewards"]["digits"]["tasks"] == 4
    assert Path(printed["model"], "model.safetensors").is_file()
    assert on_fake_hub.runs.created[0].name == "demo"


def test_people_get_a_table_on_stdout_and_progress_on_stderr(on_fake_hub, tmp_path, capsys):
    assert verihub(arguments(tmp_path)) == 0
    printed = capsys.readouterr()
    assert "before" in printed.out
    assert "digits" in printed.out
    assert "http://hub.test/runs/run-1" in printed.err
    assert "step 2/2" in printed.err


def test_without_the_hub_nothing_is_reported(on_fake_hub, tmp_path):
    assert verihub(arguments(tmp_path, "--no-hub")) == 0
    assert on_fake_hub.runs.created == []


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--recipe", "dappo"], "did you mean 'dapo'"),
        (["--set", "learning_rat=1"], "did you mean 'learning_rate'"),
        (["--set", "surrogate.epsilon_hihg=1"], "did you mean 'epsilon_high'"),
        (["--set", "oops"], "NAME=VALUE"),
        (["--num-generations", "1"], "num_generations"),
        (["--temperature", "-1"], "temperature"),
        (["--weight", "1", "--weight", "2"], "1 target but 2 weights"),
        (["--model", "no/such/folder"], "neither smollm2, tiny"),
        (["--device", "cuda:77"], "cannot be used here"),
    ],
)
def test_what_is_wrong_is_said_in_one_line_and_nothing_is_written(more, message, on_fake_hub, tmp_path, capsys):
    assert verihub(arguments(tmp_path, *more)) in (1, 2)
    assert message in capsys.readouterr().err
    assert not (tmp_path / "run" / "model").exists()


@pytest.mark.parametrize("more", [["--harness", "test/no-such"], ["--set", 'tools=["test/no-such"]']])
def test_a_harness_or_tool_that_is_not_there_is_refused_before_torch_is_loaded(
    more, on_fake_hub, tmp_path, capsys, monkeypatch
):
    def load(target):
        raise NotFoundError(f"There is no package {target} on this hub.")

    monkeypatch.setattr(on_fake_hub, "load", load, raising=False)
    monkeypatch.setattr(training_command, "_train", lambda *_, **__: pytest.fail("it went on to the training"))
    assert verihub(arguments(tmp_path, *more)) == 4
    assert "There is no package test/no-such" in capsys.readouterr().err


def test_a_recipes_own_settings_give_way_to_options():
    assert make_settings({"targets": ("a/b",), "output": "x", "recipe": "gspo"}, [], NO_HUB).steps_per_generation == 4
    assert (
        make_settings(
            {"targets": ("a/b",), "output": "x", "recipe": "gspo"}, ["steps_per_generation=2"], NO_HUB
        ).steps_per_generation
        == 2
    )
    assert make_settings(
        {"targets": ("a/b",), "output": "x"}, ["surrogate.epsilon_high=0.4"], NO_HUB
    ).recipe_overrides == {"surrogate.epsilon_high": 0.4}
    with pytest.raises(SettingsError, match="steps_per_generation cannot exceed"):
        make_settings({"targets": ("a/b",), "output": "x", "prompts_per_step": 2, "recipe": "gspo"}, [], NO_HUB)


def test_each_run_gets_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    first = make_settings({"targets": ("a/b",), "run_name": "My run"}, [], NO_HUB).output
    assert first == Path("verihub-runs/my-run-1")
    first.mkdir(parents=True)
    assert make_settings({"targets": ("a/b",), "run_name": "My run"}, [], NO_HUB).output == Path(
        "verihub-runs/my-run-2"
    )
    with pytest.raises(SettingsError, match="name the folder of the run"):
        make_settings({"targets": ("a/b",), "resume": True}, [], NO_HUB)


def test_a_second_run_never_writes_over_the_first(on_fake_hub, tmp_path, capsys):
    assert verihub(arguments(tmp_path)) == 0
    assert verihub(arguments(tmp_path)) == 2
    assert "holds an earlier run" in capsys.readouterr().err


def test_a_run_is_replayed_from_its_folder_and_a_changed_number_ends_with_an_error(on_fake_hub, tmp_path, capsys):
    on_fake_hub.environments["test/digits@1.0.0"] = on_fake_hub.environments["test/digits"]
    assert verihub(arguments(tmp_path, "--set", "threads=1")) == 0
    capsys.readouterr()
    folder = tmp_path / "run"
    assert verihub(["run", "replay", str(folder), "--steps", "1"]) == 0
    assert "1 step, " in (said := capsys.readouterr().out)
    assert "the same to the bit" in said
    metrics = (folder / "metrics.jsonl").read_text()
    (folder / "metrics.jsonl").write_text(metrics.replace('"num_completions": 8.0', '"num_completions": 9.0'))
    assert verihub(["run", "replay", str(folder), "--steps", "1"]) != 0
    assert "num_completions: was 9.0, is 8.0" in capsys.readouterr().out
