"""A run that is killed at any moment, and goes on: the samples and weights of one that was never stopped."""

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from tests.trainer_bridge.sessions_in_memory import Counting, SessionHub
from trainer_bridge.loop import train
from trainer_bridge.settings import TrainSettings

TURNS_OF_A_STEP = 2 * 4 * Counting.turns
TURNS_BEFORE = 2 * Counting.turns
"""Of the evaluation before training."""
KILLED_AT = TURNS_BEFORE + 2 * TURNS_OF_A_STEP + TURNS_OF_A_STEP // 2


def settings_of(folder: Path, **changes) -> TrainSettings:
    given = {
        "targets": ("test/counting",),
        "model": "tiny",
        "recipe": "dr_grpo",
        "output": folder,
        "cache": folder.parent / "cache",
        "steps": 4,
        "save_steps": 1,
        "prompts_per_step": 2,
        "num_generations": 4,
        "max_completion_length": 4,
        "temperature": 1.0,
        "learning_rate": 5e-3,
        "eval_tasks": 2,
        "rollouts_per_step": 100,
        "threads": 1,
    }
    return TrainSettings.make(given | changes)


class Deadly(Counting):
    """Ends the whole process in the middle of the third step's rollouts."""

    played = 0

    def step(self, message):
        Deadly.played += 1
        if Deadly.played == KILLED_AT:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().step(message)


def samples(folder: Path) -> dict[int, list[tuple[str, str, str]]]:
    """Step -> what was sampled in it."""
    found: dict[int, list[tuple[str, str, str]]] = {}
    for line in (folder / "rollouts.jsonl").read_text().splitlines():
        row = json.loads(line)
        found.setdefault(row["step"], []).append((row["phase"], row["task_id"], row["response"]))
    return found


def die(*_: object, **__: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def die_at(module: object, name: str, call: int, half: Callable[..., object] = die) -> None:
    """Replace a function, which from its ``call``-th call on does ``half`` of its work and then kills the process."""
    plain, calls = getattr(module, name), iter(range(1, 1000))

    def replaced(*given: object, **named: object) -> object:
        if next(calls) < call:
            return plain(*given, **named)
        half(*given, **named)
        return die()

    setattr(module, name, replaced)


def half_a_file(_: object, path: Path) -> None:
    path.write_bytes(b"PK half of the tensors")


MOMENTS: dict[str, Callable[[], object]] = {
    "in a rollout": lambda: None,
    "while a checkpoint is written": lambda: die_at(torch, "save", 2, half_a_file),
    "before a checkpoint has its name": lambda: die_at(os, "replace", 2),
    "while an old checkpoint is removed": lambda: die_at(shutil, "rmtree", 2),
}
"""What each does to the process before it trains."""


@pytest.fixture(scope="module")
def folders(tmp_path_factory) -> Path:
    """Runs that were killed, each in a folder with its moment's name, and ``whole``. One import of torch for all."""
    folder = tmp_path_factory.mktemp("killed")
    command = [sys.executable, "-m", "tests.trainer_bridge.test_killed", str(folder)]
    ended = subprocess.run(command, cwd=Path(__file__).parents[2], capture_output=True, timeout=240, check=False)
    assert ended.returncode == 0, ended.stderr.decode()[-2000:]
    train(settings_of(folder / "whole"), hub=SessionHub())
    return folder


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_run_that_was_killed_goes_on_with_the_same_samples_to_the_same_weights(moment, folders) -> None:
    whole, killed = folders / "whole", folders / moment
    assert 1 <= max(samples(killed)) < 4, "it was killed on its way"
    train(settings_of(killed, resume=True), hub=SessionHub())
    assert samples(killed) == samples(whole)
    weights = [load_file(folder / "model" / "model.safetensors") for folder in (whole, killed)]
    assert all(weights[0][name].equal(value) for name, value in weights[1].items())
    assert [path.name for path in (killed / "checkpoints").iterdir() if not path.name.startswith("checkpoint-")] == []


def run_to_death(folder: Path) -> None:
    """Train once for each moment, each time in a fork that does not come back."""
    for moment, prepare in MOMENTS.items():
        child = os.fork()
        if child == 0:
            prepare()
            train(settings_of(folder / moment), hub=SessionHub(Deadly if moment == "in a rollout" else Counting))
            os._exit(0)
        _, status = os.waitpid(child, 0)
        assert os.WIFSIGNALED(status), f"{moment}: it was not killed"


if __name__ == "__main__":
    torch.set_num_threads(1)
    run_to_death(Path(sys.argv[1]))
