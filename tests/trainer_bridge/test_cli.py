"""Options of the commands: each reaches the run under its own name, and what is left out stays the settings' own."""

import subprocess
import sys
from pathlib import Path

import pytest

import trainer_bridge.serving.command
from hub_client.commands.group import load_command
from trainer_bridge import cli, training_command
from trainer_bridge.settings import TrainSettings

ALL = {
    "--model": "tiny",
    "--recipe": "rloo",
    "--harness": "lecture/tool-loop",
    "--steps": 7,
    "--prompts-per-step": 3,
    "--num-generations": 4,
    "--max-completion-length": 5,
    "--temperature": 0.5,
    "--learning-rate": 1e-4,
    "--eval-tasks": 6,
    "--held-out-verifier": "al/judge",
    "--max-fpr": 0.05,
    "--max-fnr": 0.1,
    "--require-grade": "B",
    "--report-suspects": "hub",
    "--engine": "vllm",
    "--seed": 9,
    "--device": "cpu",
    "--run-name": "mine",
    "--output": Path("out"),
}


@pytest.fixture
def train(monkeypatch):
    """`verihub train` up to where the run begins: what it is given."""

    def command(*words):
        begun = []
        monkeypatch.setattr(training_command, "run", lambda *given, **named: begun.append((*given, named)))
        load_command("train").main(list(map(str, words)), standalone_mode=False)
        (found,) = begun
        return found

    return command


def test_every_option_reaches_the_run_under_its_settings_name(train):
    words = [word for pair in ALL.items() for word in pair]
    given, more, named = train(
        "al/a", "al/b", *words, "--weight", "1", "--weight", "2", "--audit-report", "a.json", "--resume", "--no-hub"
    )
    options = {name.removeprefix("--").replace("-", "_"): value for name, value in ALL.items()}
    lists = {"targets": ("al/a", "al/b"), "target_weights": (1.0, 2.0), "audit_report": (Path("a.json"),)}
    assert given == {**options, **lists, "resume": True}
    assert set(given) <= set(TrainSettings.model_fields)
    assert (more, named) == ([], {"report": False})


def test_what_is_left_out_is_not_given_so_that_a_recipes_own_settings_count(train):
    given, _, named = train("al/a")
    assert given == {"targets": ("al/a",), "model": "smollm2", "recipe": "dapo", "harness": "", "held_out_verifier": "",
                     "report_suspects": "", "run_name": "", "resume": False}  # fmt: skip
    assert named == {"report": True}
    defaults = TrainSettings.model_fields
    for name, value in given.items():
        if name != "targets":
            assert defaults[name].default == value, name


def test_settings_without_an_option_are_handed_on_as_they_are_written(train):
    _, more, _ = train("al/a", "--set", "save_steps=0", "--set", 'reward_weights={"a": 2}')
    assert more == ["save_steps=0", 'reward_weights={"a": 2}']


def test_serving_hands_its_options_on(monkeypatch):
    begun = []
    monkeypatch.setattr(trainer_bridge.serving.command, "serve", lambda model, **named: begun.append((model, named)))
    monkeypatch.setenv("VERIHUB_MODEL_KEY", "secret")
    load_command("serve-model").main(["tiny", "--port", "0", "--slots", "3"], standalone_mode=False)
    expected = {"host": "127.0.0.1", "port": 0, "slots": 3, "max_tokens": 1024, "api_key": "secret", "device": "auto",
                "dtype": "auto"}  # fmt: skip
    assert begun == [("tiny", expected)]


def test_a_replay_is_handed_on(monkeypatch, tmp_path):
    begun = []
    monkeypatch.setattr(training_command, "run_again", lambda *given: begun.append(given))
    cli.replay(tmp_path, 4)
    assert begun == [(tmp_path, 4)]


def test_the_options_are_read_without_torch():
    read = "import sys, trainer_bridge.cli; print([name for name in ('torch', 'hub_client') if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", read], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
