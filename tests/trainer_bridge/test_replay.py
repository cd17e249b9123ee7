"""A replay gives the same bits, and sees every kind of change."""

import json
import shutil
import signal

import pytest
import torch

from tests.trainer_bridge.sessions_in_memory import SessionHub
from trainer_bridge.errors import SettingsError
from trainer_bridge.learn.learner import Learner
from trainer_bridge.loop import train
from trainer_bridge.models.saved_model import save_model
from trainer_bridge.replay import replay
from trainer_bridge.reports.receipt import Receipt


def pinned(hub):
    """The hub also knows its environments by version."""
    hub.environments |= {f"{name}@{one.version}": one for name, one in list(hub.environments.items())}
    return hub


@pytest.fixture
def run(fake_hub, make_settings):
    settings = make_settings(recipe="grpo", steps=4, eval_steps=2)
    train(settings, hub=fake_hub())
    return settings


def test_the_first_steps_are_the_same_to_the_bit_and_leave_the_run_alone(run, fake_hub):
    before = {file.name: file.read_bytes() for file in run.output.glob("*.json*")}
    found = replay(run.output, pinned(fake_hub()), steps=3)
    assert (found.steps, found.differing, found.differences) == (3, (), ())
    assert found.compared > 60
    assert {file.name: file.read_bytes() for file in run.output.glob("*.json*")} == before


def test_samples_that_were_drawn_ahead_repeat_as_well(fake_hub, make_settings):
    settings = make_settings(steps=4, save_steps=2, max_staleness=1)
    train(settings, hub=fake_hub())
    found = replay(settings.output, pinned(fake_hub()), steps=4)
    assert (found.steps, found.differing, found.differences) == (4, (), ())


def test_a_run_that_was_stopped_replays_with_the_pause_that_it_made(fake_hub, make_settings, monkeypatch):
    settings = make_settings(steps=5, max_staleness=1, learning_rate=2e-2)
    update = Learner.update

    def interrupted(learner, *given):
        if given[-1].step == 1:  # while the third step is sampled ahead, which is then drawn anew
            signal.raise_signal(signal.SIGINT)
        return update(learner, *given)

    monkeypatch.setattr(Learner, "update", interrupted)
    with pytest.raises(KeyboardInterrupt):
        train(settings, hub=fake_hub())
    monkeypatch.setattr(Learner, "update", update)
    train(settings.model_copy(update={"resume": True}), hub=fake_hub())
    lines = map(json.loads, (settings.output / "metrics.jsonl").read_text().splitlines())
    staleness = {line["step"]: line["values"].get("sampling/staleness") for line in lines if line["step"]}
    assert staleness == {1: 0.0, 2: 1.0, 3: 0.0, 4: 1.0, 5: 1.0}
    found = replay(settings.output, pinned(fake_hub()), steps=5)
    assert (found.steps, found.differing, found.differences) == (5, (), ())


def test_a_run_that_begins_anew_without_a_checkpoint_has_a_receipt_of_what_it_trains(fake_hub, make_settings):
    """It was killed before its first checkpoint. What it was asked then binds nobody, and is not what is trained."""
    settings = make_settings(steps=3, save_steps=2)
    train(settings.model_copy(update={"steps": 1}), hub=fake_hub())
    changed = pinned(fake_hub())
    for one in changed.environments.values():
        one.digest = "sha256:" + "1" * 64
    again = settings.model_copy(update={"resume": True, "learning_rate": 1e-3})
    train(again, hub=changed)
    receipt = Receipt.read(settings.output)
    assert (receipt.settings["learning_rate"], receipt.packages[0].digest) == (1e-3, "sha256:" + "1" * 64)
    found = replay(settings.output, changed, steps=3)
    assert (found.steps, found.differing, found.differences) == (3, (), ())


@pytest.mark.parametrize("lockstep", [True, False])
def test_a_run_with_sessions_repeats_in_lockstep_and_else_says_why_it_may_not(lockstep, make_settings):
    settings = make_settings(targets=("test/counting",), recipe="dr_grpo", steps=1, eval_tasks=0, lockstep=lockstep)
    train(settings, hub=SessionHub())
    if lockstep:
        found = replay(settings.output, pinned(SessionHub()), steps=1)
        assert (found.differing, found.differences) == ((), ())
        return
    lines = [json.loads(line) for line in (settings.output / "metrics.jsonl").read_text().splitlines()]
    lines[-1]["values"]["loss"] += 1e-12
    (settings.output / "metrics.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert "--set lockstep=true" in replay(settings.output, pinned(SessionHub()), steps=1).differences[0]


def test_another_seed_and_a_number_that_was_changed_are_seen(run, fake_hub):
    receipt = Receipt.read(run.output)
    (run.output / "receipt.json").unlink()
    receipt.model_copy(update={"settings": {**receipt.settings, "seed": 1}}).write(run.output)
    assert replay(run.output, pinned(fake_hub()), steps=1).differing
    (run.output / "receipt.json").unlink()
    receipt.write(run.output)
    lines = [json.loads(line) for line in (run.output / "metrics.jsonl").read_text().splitlines()]
    lines[-1]["values"]["loss"] += 1e-12
    last = lines[-1]["step"]
    (run.output / "metrics.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert [one[:2] for one in replay(run.output, pinned(fake_hub()), steps=last).differing] == [(last, "loss")]


def test_other_bytes_of_a_package_are_named(run, fake_hub):
    hub = pinned(fake_hub())
    for one in hub.environments.values():
        one.digest = "sha256:" + "1" * 64
    assert "test/digits was @1.0.0" in replay(run.output, hub, steps=1).differences[0]


def test_what_cannot_repeat_is_refused(run, fake_hub, tmp_path):
    with pytest.raises(SettingsError, match="no receipt"):
        replay(tmp_path / "nothing", fake_hub())
    lines = [json.loads(line) for line in (run.output / "metrics.jsonl").read_text().splitlines()]
    for line in lines:
        line["values"]["perf/threads"] = 2.0
    (run.output / "metrics.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    with pytest.raises(SettingsError, match="threads=1"):
        replay(run.output, pinned(fake_hub()))


def test_a_run_over_several_processes_is_refused_with_the_reason(run, fake_hub):
    receipt = Receipt.read(run.output)
    (run.output / "receipt.json").unlink()
    receipt.model_copy(update={"model": {**receipt.model, "processes": 4}}).write(run.output)
    with pytest.raises(SettingsError, match="trained by 4 processes"):
        replay(run.output, pinned(fake_hub()))


def changed(run, **values):
    """Put another receipt in the place of the run's."""
    receipt = Receipt.read(run.output)
    (run.output / "receipt.json").unlink()
    receipt.model_copy(update=values).write(run.output)
    return receipt


@pytest.mark.parametrize("edit", [{"temperature": "hot"}, {"unheard_of": 1}, {"targets": []}, {"threads": None}])
def test_settings_that_were_edited_into_nonsense_are_refused_by_name(run, fake_hub, edit):
    changed(run, settings={**Receipt.read(run.output).settings, **edit})
    with pytest.raises(SettingsError, match=f"{next(iter(edit))}.* edited, or written by another version"):
        replay(run.output, pinned(fake_hub()))


def test_settings_that_are_missing_are_refused_as_well(run, fake_hub):
    changed(run, settings={})
    with pytest.raises(SettingsError, match="targets"):
        replay(run.output, pinned(fake_hub()))


def test_the_held_out_verifier_is_that_of_the_run_and_not_a_newer_release(fake_hub, fake_environment, make_settings):
    judge = fake_environment("test/judge", verify=lambda *_: {"digits": 0.25})
    hub = pinned(fake_hub(fake_environment(), judge))
    settings = make_settings(held_out_verifier="test/judge")
    train(settings, hub=hub)
    newer = fake_environment("test/judge", verify=lambda *_: {"digits": 0.75})
    newer.version, newer.digest = "1.1.0", "sha256:" + "2" * 64
    hub.environments |= {"test/judge": newer, "test/judge@1.1.0": newer}
    found = replay(settings.output, hub, steps=1)
    assert (found.differing, found.differences) == ((), ())
    hub.environments["test/judge@1.0.0"] = newer
    found = replay(settings.output, hub, steps=1)
    assert {metric for _, metric, _, _ in found.differing} >= {"held_out/digits/mean"}
    assert any("test/judge was @1.0.0" in line for line in found.differences)


def test_a_model_folder_whose_weights_were_changed_is_named(tiny, fake_hub, make_settings, tmp_path):
    save_model(tiny, tmp_path / "model")
    settings = make_settings(model=str(tmp_path / "model"), recipe="grpo")
    train(settings, hub=fake_hub())
    assert replay(settings.output, pinned(fake_hub()), steps=1).differences == ()
    with torch.no_grad():
        next(tiny.model.parameters())[-1, -1] += 1e-3
    shutil.rmtree(tmp_path / "model")
    save_model(tiny, tmp_path / "model")
    assert any(
        "files: weights was" in line for line in replay(settings.output, pinned(fake_hub()), steps=1).differences
    )


def test_the_number_type_is_the_run_s_and_not_measured_again(run, fake_hub, monkeypatch):
    """On a busy machine the measurement behind ``auto`` may come out otherwise."""
    receipt = Receipt.read(run.output)
    assert (receipt.settings["dtype"], receipt.model["dtype"]) == ("auto", "float32")
    seen = []
    monkeypatch.setattr("trainer_bridge.build.pick_dtype", lambda name, *_, **__: seen.append(name) or torch.float32)
    replay(run.output, pinned(fake_hub()), steps=1)
    assert seen == ["float32"]


def test_a_run_of_a_device_that_is_not_here_is_refused(run, fake_hub):
    changed(run, model={**Receipt.read(run.output).model, "device": "cuda:7"})
    with pytest.raises(SettingsError, match="cuda:7"):
        replay(run.output, pinned(fake_hub()))


def test_a_receipt_of_an_earlier_version_still_pins_its_targets(run, fake_hub):
    stored = json.loads((run.output / "receipt.json").read_text())
    del stored["opened"], stored["files"]
    (run.output / "receipt.json").write_text(json.dumps(stored))
    hub = pinned(fake_hub())
    del hub.environments["test/digits"]
    assert replay(run.output, hub, steps=1).differing == ()
