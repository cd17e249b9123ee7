"""A run that is killed at any moment, and goes on: the samples and weights of one that was never stopped."""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from hub_client.run_logger import RunLogger
from tests.trainer_bridge.sessions_in_memory import Counting, SessionHub
from trainer_bridge.learn.learner import Learner
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


class DeadlyAhead(Counting):
    """Ends the process among the fourth step's rollouts, which are drawn while the third step is learnt from."""

    played = 0

    def step(self, message):
        DeadlyAhead.played += 1
        if DeadlyAhead.played == TURNS_BEFORE + 3 * TURNS_OF_A_STEP + TURNS_OF_A_STEP // 2:
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


class Late(Counting):
    """Answers after a while that is never the same, so no two runs compute the same tokens together."""

    def step(self, message: dict[str, object]) -> dict[str, object]:
        time.sleep(random.SystemRandom().random() / 50)
        return super().step(message)


def deadly_in_turn(turn: int, kind: type[Counting] = Counting) -> type[Counting]:
    """A session that ends the process in the turn of that number, of all."""
    turns = iter(range(1, 1000))

    class Dying(kind):
        def step(self, message: dict[str, object]) -> dict[str, object]:
            if next(turns) == turn:
                die()
            return super().step(message)

    return Dying


def half_a_line(logger: RunLogger, name: str, rows: list[dict[str, object]]) -> None:
    with (logger._folder / name).open("a") as file:
        file.write(json.dumps(rows[0])[:20])


def half_a_file(_: object, path: Path) -> None:
    path.write_bytes(b"PK half of the tensors")


MOMENTS: dict[str, Callable[[], object]] = {
    "in a rollout": lambda: None,
    "while a checkpoint is written": lambda: die_at(torch, "save", 2, half_a_file),
    "before a checkpoint has its name": lambda: die_at(os, "replace", 2),
    "while an old checkpoint is removed": lambda: die_at(shutil, "rmtree", 2),
}
"""What each does to the process before it trains."""
AHEAD: dict[str, Callable[[], object]] = {
    "ahead, in a rollout": lambda: None,
    "ahead, while a checkpoint is written": lambda: die_at(torch, "save", 2, half_a_file),
    "ahead, while weights are updated": lambda: die_at(Learner, "update", 4, lambda *_: None),
    "ahead, while a step is told": lambda: die_at(RunLogger, "log", 5),
}
"""The same where the samples of every other step are drawn ahead."""
EVALUATING: dict[str, Callable[[], object]] = {
    "in an evaluation while training": lambda: None,
    "while the best model is kept": lambda: die_at(os, "replace", 1),
    "while a line is told": lambda: die_at(RunLogger, "_append", 9, half_a_line),
}
"""The same where the model is evaluated after every step and the best is kept."""
LATE: dict[str, Callable[[], object]] = {"late, in a rollout": lambda: None}
LATE_AHEAD: dict[str, Callable[[], object]] = {"late and ahead, in a rollout": lambda: None}
"""The same where sessions take their time, and no step waits for the slowest."""
KINDS: dict[str, tuple[dict[str, Callable[[], object]], dict[str, object]]] = {
    "whole": (MOMENTS, {}),
    "whole, ahead": (AHEAD, {"max_staleness": 1, "save_steps": 2, "steps": 5}),
    "whole, evaluating": (EVALUATING, {"eval_steps": 1, "save_steps": 2, "steps": 3}),
    "whole, late": (LATE, {}),
    "whole, late and ahead": (LATE_AHEAD, {"max_staleness": 1, "save_steps": 2, "steps": 5}),
}
"""What an undisturbed run of each kind is called, when it is killed, and its settings."""
KIND_OF = {moment: kind for kind, (moments, _) in KINDS.items() for moment in moments}
SESSIONS = {
    "in a rollout": Deadly,
    "ahead, in a rollout": DeadlyAhead,
    "in an evaluation while training": deadly_in_turn(2 * TURNS_BEFORE + 2 * TURNS_OF_A_STEP + 2),
    "late, in a rollout": deadly_in_turn(KILLED_AT, Late),
    "late and ahead, in a rollout": deadly_in_turn(KILLED_AT + TURNS_OF_A_STEP, Late),
}


def goes_on_with(moment: str) -> type[Counting]:
    return Late if moment in LATE | LATE_AHEAD else Counting


@pytest.fixture(scope="module")
def folders(tmp_path_factory) -> Path:
    """Runs that were killed, each in a folder with its moment's name, and ``whole``. One import of torch for all."""
    folder = tmp_path_factory.mktemp("killed")
    command = [sys.executable, "-m", "tests.trainer_bridge.test_killed", str(folder)]
    ended = subprocess.run(command, cwd=Path(__file__).parents[2], capture_output=True, timeout=240, check=False)
    assert ended.returncode == 0, ended.stderr.decode()[-2000:]
    for kind, (moments, settings) in KINDS.items():
        train(settings_of(folder / kind, **settings), hub=SessionHub(goes_on_with(next(iter(moments)))))
    return folder


@pytest.mark.parametrize("moment", KIND_OF)
def test_a_run_that_was_killed_goes_on_with_the_same_samples_to_the_same_weights(moment, folders) -> None:
    whole, killed = folders / KIND_OF[moment], folders / moment
    settings = settings_of(killed, resume=True, **KINDS[KIND_OF[moment]][1])
    assert not (killed / "model").exists(), "it was killed on its way"
    train(settings, hub=SessionHub(goes_on_with(moment)))
    assert samples(killed) == samples(whole)
    # Last bits depend on which turns were computed together; sampling ahead weighs by what the sampler wrote.
    away = 1e-4 if moment in AHEAD | LATE | LATE_AHEAD else 0.0
    for name in ("model", "best") if moment in EVALUATING else ("model",):
        weights = [load_file(folder / name / "model.safetensors") for folder in (whole, killed)]
        assert all(torch.allclose(weights[0][key], value, rtol=0, atol=away) for key, value in weights[1].items())
    assert [path.name for path in killed.iterdir() if path.name.startswith(".")] == [], "nothing is left behind"
    assert [path.name for path in (killed / "checkpoints").iterdir() if not path.name.startswith("checkpoint-")] == []


def run_to_death(folder: Path) -> None:
    """Train once for each moment, each time in a fork that does not come back."""
    for moment, prepare in (MOMENTS | AHEAD | EVALUATING | LATE | LATE_AHEAD).items():
        child = os.fork()
        if child == 0:
            prepare()
            settings = settings_of(folder / moment, **KINDS[KIND_OF[moment]][1])
            train(settings, hub=SessionHub(SESSIONS.get(moment, Counting)))
            os._exit(0)
        _, status = os.waitpid(child, 0)
        assert os.WIFSIGNALED(status), f"{moment}: it was not killed"


if __name__ == "__main__":
    torch.set_num_threads(1)
    run_to_death(Path(sys.argv[1]))
