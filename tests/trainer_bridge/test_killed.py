"""A run that is killed in the middle of a rollout, and goes on: the samples and weights of one that was never stopped."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

from safetensors.torch import load_file

from tests.trainer_bridge.playing import Counting, SessionHub
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


def test_a_run_killed_inside_a_rollout_goes_on_with_the_same_samples(tmp_path: Path) -> None:
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    train(settings_of(whole), hub=SessionHub())
    command = [sys.executable, "-m", "tests.trainer_bridge.test_killed", str(killed)]
    ended = subprocess.run(command, cwd=Path(__file__).parents[2], capture_output=True, timeout=240, check=False)
    assert ended.returncode == -signal.SIGKILL, ended.stderr.decode()[-2000:]
    assert max(samples(killed)) == 2, "the third step was being sampled"
    train(settings_of(killed, resume=True), hub=SessionHub())
    assert samples(killed) == samples(whole)
    weights = [load_file(folder / "model" / "model.safetensors") for folder in (whole, killed)]
    assert all(weights[0][name].equal(value) for name, value in weights[1].items())


if __name__ == "__main__":
    train(settings_of(Path(sys.argv[1])), hub=SessionHub(Deadly))
