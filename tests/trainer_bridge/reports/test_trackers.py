"""Metrics reach the real libraries, which send nothing here; what breaks in one of them ends nothing."""

import builtins
import json
import threading
import time

import pytest

from trainer_bridge.errors import SettingsError
from trainer_bridge.loop import train
from trainer_bridge.reports.trackers import TRACKERS, Trackers, open_trackers

OPTIONAL = "an optional dependency: scripts/test_adapters trackers"
CONFIG = {"recipe": "dapo", "steps": 2}


def logged(names, folder, warn=pytest.fail):
    trackers = open_trackers(names, folder, project="verihub", name="a run", config=CONFIG, warn=warn)
    trackers.log(1, {"reward": 0.25})
    trackers.log(2, {"reward": 0.5, "rewards/digits/mean": 1.0})
    trackers.finish()


def until(holds, seconds=60):
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline
        threading.Event().wait(0.05)


def test_tensorboard_has_every_step(tmp_path):
    pytest.importorskip("tensorboard", reason=OPTIONAL)
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator  # noqa: PLC0415

    logged(["tensorboard"], tmp_path)
    found = EventAccumulator(str(tmp_path / "tensorboard")).Reload()
    assert [(one.step, one.value) for one in found.Scalars("reward")] == [(1, 0.25), (2, 0.5)]
    assert found.Scalars("rewards/digits/mean")[0].value == 1.0


def test_wandb_keeps_the_run_on_this_machine_when_it_is_offline(tmp_path, monkeypatch):
    pytest.importorskip("wandb", reason=OPTIONAL)
    monkeypatch.setenv("WANDB_MODE", "offline")
    monkeypatch.setenv("WANDB_SILENT", "true")
    logged(["wandb"], tmp_path)
    (file,) = tmp_path.glob("wandb/offline-run-*/*.wandb")
    until(lambda: b"rewards/digits/mean" in file.read_bytes())  # a process of its own writes it


def test_trackio_has_every_step(tmp_path, monkeypatch):
    monkeypatch.setenv("TRACKIO_DIR", str(tmp_path))
    pytest.importorskip("trackio", reason=OPTIONAL)
    logged(["trackio"], tmp_path / "run")
    assert b"rewards/digits/mean" in b"".join(file.read_bytes() for file in tmp_path.rglob("*.db*"))


def test_a_run_tells_its_trackers_what_it_tells_its_files(fake_hub, make_settings, monkeypatch):
    seen = []

    class Recorder:
        def __init__(self, folder, project, name, config):
            seen.append((project, name, config["num_generations"]))

        def log(self, step, values):
            seen.append((step, dict(values)))

        def finish(self):
            seen.append("finish")

    monkeypatch.setitem(TRACKERS, "wandb", Recorder)
    settings = make_settings(report_to=("wandb",), steps=2)
    train(settings, hub=fake_hub())
    assert seen[0] == ("verihub", "dapo on test/digits", settings.num_generations)
    assert seen[-1] == "finish"
    lines = [json.loads(line) for line in (settings.output / "metrics.jsonl").read_text().splitlines()]
    told = [(line["step"], {name: one for name, one in line["values"].items() if one is not None}) for line in lines]
    assert seen[1:-1] == told


def test_one_that_breaks_is_told_once_and_the_others_go_on():
    class Broken:
        def log(self, step, values):
            raise ConnectionError("no route")

        def finish(self):
            raise AssertionError("it was left alone")

    class Whole(Broken):
        steps = 0

        def log(self, step, values):
            self.steps += 1

        def finish(self):
            self.steps += 10

    told, whole = [], Whole()
    trackers = Trackers({"broken": Broken(), "whole": whole}, told.append)
    for step in range(3):
        trackers.log(step, {"reward": 1.0})
    trackers.finish()
    assert told == ["broken gets no more metrics of this run: ConnectionError: no route"]
    assert whole.steps == 13


def test_an_unknown_name_and_a_missing_library_are_refused(tmp_path, monkeypatch):
    with pytest.raises(SettingsError, match="wandb"):
        logged(["wandv"], tmp_path)
    real = builtins.__import__

    def without(name, *rest, **more):
        if name == "wandb":
            raise ImportError(name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(SettingsError, match=r"pip install .*\[trackers\]"):
        logged(["wandb"], tmp_path)
