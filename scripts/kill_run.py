"""Kills a training run at random moments, resumes it, and compares it with one that was never stopped.

    PYTHONPATH=. python scripts/kill_run.py --runs 20 --seed 0

Three turns a session, played in lockstep, in the three kinds of tests/trainer_bridge/test_killed.py: plain, samples
drawn ahead, and an evaluation after every step. Each run is killed (SIGKILL) up to four times, at moments drawn evenly
from the time that a whole run takes. Then the function of ``verihub run replay`` is killed, and repeated on what it
left. Samples, metrics and weights must be the same to the bit; a difference ends it with exit code 1.

With --harness they are played by a harness that asks twice at once, acts in two branches of a session and takes a step
back (tests/trainer_bridge/rollout/test_strange_harnesses.py), and that needs another time for everything it does.
"""

import argparse
import json
import os
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random, SystemRandom
from typing import Any

import torch
from safetensors.torch import load_file

from hub_client.evaluation.harness import Harness
from tests.trainer_bridge.rollout.test_strange_harnesses import GeneratorLoop, search_in_branches
from tests.trainer_bridge.sessions_in_memory import SessionHub
from tests.trainer_bridge.test_killed import KINDS, samples, settings_of
from trainer_bridge import build
from trainer_bridge.loop import train
from trainer_bridge.replay import replay
from trainer_bridge.settings import TrainSettings

_OF_THE_CLOCK = ("time/", "perf/", "step_time")


def fork(work: Callable[[], object], seconds: float | None = None) -> tuple[bool, float]:
    """Do ``work`` in a fork, killed after ``seconds`` (None: never). Returns whether it ended by itself, and its time.

    Raises SystemExit where it failed: being killed must never leave what cannot be resumed.
    """
    started = time.monotonic()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            work()
            code = 0
        finally:
            os._exit(code)
    while True:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            break
        if seconds is not None and time.monotonic() - started > seconds:
            os.kill(child, signal.SIGKILL)
            _, status = os.waitpid(child, 0)
            break
        time.sleep(0.002)
    if os.WIFEXITED(status) and os.WEXITSTATUS(status):
        sys.exit("a run failed; see above")
    return os.WIFEXITED(status), time.monotonic() - started


def unsteady(messages: list[dict[str, Any]]) -> Any:
    """The harness, which takes up to 5 ms over every answer: in lockstep that must change nothing."""
    actions, answer = search_in_branches(messages), None
    while True:
        time.sleep(SystemRandom().uniform(0, 0.005))
        try:
            action = actions.send(answer)
        except StopIteration as end:
            return end.value
        answer = yield action


def settings_for(kind: str, folder: Path) -> TrainSettings:
    """Of a run of this kind; it resumes what the folder holds."""
    return settings_of(folder, **KINDS[kind][1], lockstep=True, resume=folder.exists())


def hub() -> Any:
    """A fake hub of the environment, also by its version, as a replay asks for it."""
    made = SessionHub()
    made.environments |= {f"{name}@{one.version}": one for name, one in list(made.environments.items())}
    return made


def metrics(folder: Path) -> dict[int, dict[str, float]]:
    """Step -> its metrics without times, the newest line of each."""
    points = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
    return {
        point["step"]: {key: value for key, value in point["values"].items() if not key.startswith(_OF_THE_CLOCK)}
        for point in points
    }


def differences(whole: Path, killed: Path) -> list[str]:
    """What is not the same in two runs."""
    found = [] if samples(whole) == samples(killed) else ["samples"]
    if metrics(whole) != metrics(killed):
        found.append("metrics")
    for name in ("model", "best"):
        if not (whole / name).exists():
            continue
        one, other = (load_file(folder / name / "model.safetensors") for folder in (whole, killed))
        if not all(torch.equal(one[key], value) for key, value in other.items()):
            found.append(name)
    left = [path for path in (*killed.iterdir(), *(killed / "checkpoints").iterdir()) if path.name.startswith(".")]
    return [*found, *(f"left behind: {path.name}" for path in left)]


def bytes_of(folder: Path) -> dict[str, bytes]:
    """Every file of a run."""
    return {str(path): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def kill_and_resume(kind: str, whole: Path, lasts: float, draw: Random) -> tuple[list[str], list[float]]:
    """One run that is killed up to four times; what differs, and when it was killed (share of a whole run's time)."""
    folder, moments = whole.parent / "killed", list[float]()
    has_ended = False
    for _ in range(draw.randint(1, 4)):
        moment = draw.uniform(0, lasts)
        settings = settings_for(kind, folder)
        has_ended, _ = fork(partial(train, settings, hub=hub()), moment)
        if has_ended:
            break
        moments.append(round(moment / lasts, 2))
    if not has_ended:
        fork(lambda: train(settings_for(kind, folder), hub=hub()))
    found = differences(whole, folder)
    before = bytes_of(folder)
    fork(lambda: replay(folder, hub(), steps=3), draw.uniform(0, lasts))
    if bytes_of(folder) != before:
        found.append("a killed replay changed the run")
    if told := replay(folder, hub(), steps=3).differing:
        found.append(f"replay: {told[:2]}")
    shutil.rmtree(folder)
    return found, moments


def main() -> None:
    """Kill, resume, compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=10, help="of each kind")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kinds", nargs="*", default=list(KINDS), choices=list(KINDS))
    parser.add_argument("--harness", action="store_true", help="sessions are played by a harness with branches")
    options = parser.parse_args()
    if options.harness:
        vars(build)["open_harness"] = lambda *_: Harness(GeneratorLoop(unsteady), hub().runner())
    torch.set_num_threads(1)
    draw, failed, kills = Random(options.seed), 0, 0  # noqa: S311 -- no secret
    with tempfile.TemporaryDirectory(prefix="verihub-killed-") as name:
        os.environ["TMPDIR"] = name  # what a killed replay leaves goes with it
        tempfile.tempdir = name
        for kind in options.kinds:
            whole = Path(name) / kind.replace(" ", "-") / "whole"
            _, lasts = fork(partial(train, settings_for(kind, whole), hub=hub()))
            for number in range(options.runs):
                found, moments = kill_and_resume(kind, whole, lasts, draw)
                failed, kills = failed + bool(found), kills + len(moments)
                print(f"{kind} {number}: killed at {moments}: {', '.join(found) or 'the same'}", flush=True)
    print(f"{kills} kills, {failed} runs that differ")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
