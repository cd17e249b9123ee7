"""``torchrun --nproc-per-node 2 verihub train``, as a user starts it, against the same command by itself."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from safetensors.torch import load_file

ROOT = Path(__file__).parents[2]
BIN = Path(sys.executable).parent
LAUNCHED = [BIN / "torchrun", "--nproc-per-node", "2", "--no-python", BIN / "verihub"]
TRAIN = [
    *("--offline", "train", "scripts/curve_tasks/digits", "--model", "tiny", "--no-hub", "--steps", "2"),
    *("--prompts-per-step", "3", "--num-generations", "4", "--max-completion-length", "6", "--temperature", "1.0"),
    *("--eval-tasks", "2", "--set", "threads=1", "--set", "adam_epsilon=1e-4"),
]

GIVEN = {
    **os.environ,
    "VERIHUB_SANDBOX_TRUST_LOCAL_CODE": "1",
    "VERIHUB_BACKEND": "local",
    "OMP_NUM_THREADS": "1",
    "PYTHONPATH": str(ROOT),  # the command of a virtual environment may belong to another copy of these files
}


def start(command, *more):
    return subprocess.run(
        [*map(str, command), *TRAIN, *map(str, more)],
        cwd=ROOT,
        env=GIVEN,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


def said(folder):
    rows = [json.loads(line) for line in (folder / "rollouts.jsonl").read_text().splitlines()]
    return [(row["step"], row["phase"], row["task_id"], row["response"], row["rewards"]) for row in rows]


@pytest.mark.slow
def test_two_processes_of_torchrun_train_the_model_of_one(tmp_path):
    cache = tmp_path / "cache"
    for command, name in ((LAUNCHED, "two"), ([BIN / "verihub"], "one")):
        ended = start(command, "--device", "cpu", "--output", tmp_path / name, "--set", f"cache={cache}")
        assert ended.returncode == 0, ended.stderr
        assert (ended.stdout + ended.stderr).count("Held-out tasks before and after 2 steps") == 1, "one process speaks"
    assert said(tmp_path / "one") == said(tmp_path / "two")
    ours, theirs = (load_file(tmp_path / name / "model" / "model.safetensors") for name in ("one", "two"))
    assert max(float((ours[name] - theirs[name]).abs().max()) for name in ours) < 1e-5
    assert json.loads((tmp_path / "two" / "receipt.json").read_text())["model"]["processes"] == 2


@pytest.mark.slow
def test_what_several_processes_cannot_do_is_said_before_anything_is_trained(tmp_path):
    ended = start(LAUNCHED, "--device", "cpu", "--max-staleness", "1", "--output", tmp_path / "run")
    assert ended.returncode != 0
    assert "max_staleness must be 0 here: with several processes" in ended.stderr
    assert not (tmp_path / "run" / "model").exists()
