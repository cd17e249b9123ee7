"""A replay gives the same bits, and sees every kind of change."""

import json

import pytest

from trainer_bridge.errors import SettingsError
from trainer_bridge.loop import train
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
