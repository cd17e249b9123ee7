"""Checkpoints: whole or not there, whatever is killed when; another run's, a damaged one or a copy is never resumed."""

import json
import shutil
from pathlib import Path

import pytest
import torch

from tests.making.altered_library import alter_library
from trainer_bridge.errors import CheckpointMismatchError, NotWrittenError
from trainer_bridge.learn import checkpoints
from trainer_bridge.learn.checkpoints import Checkpoint, find_latest, load, save

CPU = torch.device("cpu")
IDENTITY = {
    "model": "tiny",
    "learning_rate": 1e-3,
    "steps": 10,
    "run_name": "a",
    "packages": {"al/a": "sha256:1"},
    "betas": (0.9, 0.95),
}


def checkpoint(step=1, identity=None, **tensors):
    tensors = tensors or {"masters": [torch.arange(4.0) / 3], "generator": torch.Generator().get_state()}
    return Checkpoint(tensors, {"step": step, "stream": {"drawn": step}}, identity or IDENTITY)


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_what_is_saved_is_loaded_to_the_last_bit(tmp_path):
    saved = checkpoint(masters=[torch.randn(3, 5), torch.tensor(1 / 3)], state={"step": torch.tensor(7.0)})
    path = save(tmp_path / "new" / "folder", saved, keep=1)
    found = load(path, IDENTITY, CPU)
    assert all(
        torch.equal(one, two) for one, two in zip(found.tensors["masters"], saved.tensors["masters"], strict=True)
    )
    assert torch.equal(found.tensors["state"]["step"], torch.tensor(7.0))
    assert found.facts == saved.facts


def test_a_kill_while_a_step_is_saved_again_leaves_the_new_one(tmp_path, monkeypatch):
    """Ctrl-C saves once more, maybe the step that was just saved, and then people press it again."""
    save(tmp_path, checkpoint(step=3, masters=[torch.zeros(2)]), keep=1)

    class KilledError(BaseException):
        pass

    def killed(*_args, **_more):
        raise KilledError

    alter_library(monkeypatch, checkpoints, "shutil", rmtree=killed)
    with pytest.raises(KilledError):
        save(tmp_path, checkpoint(step=3, masters=[torch.ones(2)]), keep=1)
    monkeypatch.undo()
    found = find_latest(tmp_path)
    assert found is not None
    assert torch.equal(load(found, IDENTITY, CPU).tensors["masters"][0], torch.ones(2))


@pytest.mark.parametrize("keep", [1, 2, 5])
def test_only_the_newest_are_kept(tmp_path, keep):
    for step in range(1, 8):
        save(tmp_path, checkpoint(step), keep=keep)
    assert names(tmp_path) == [f"checkpoint-{step:06d}" for step in range(8 - min(keep, 7), 8)]
    assert find_latest(tmp_path).name == "checkpoint-000007"


def test_steps_are_compared_as_numbers(tmp_path):
    for step in (999_999, 1_000_000):
        save(tmp_path, checkpoint(step), keep=1)
    assert names(tmp_path) == ["checkpoint-1000000"]
    save(tmp_path, checkpoint(1_000_001), keep=2)
    assert find_latest(tmp_path).name == "checkpoint-1000001"


@pytest.mark.parametrize(
    "copy", ["checkpoint-backup", "checkpoint-000001-old", "checkpoint-", "checkpoint-000009.bak", "best"]
)
def test_a_copy_under_another_name_is_neither_resumed_nor_removed(tmp_path, copy):
    shutil.copytree(save(tmp_path, checkpoint(1), keep=1), tmp_path / copy)
    save(tmp_path, checkpoint(2), keep=1)
    assert find_latest(tmp_path).name == "checkpoint-000002"
    assert names(tmp_path) == sorted(["checkpoint-000002", copy])


def test_saving_a_step_again_replaces_it(tmp_path):
    save(tmp_path, checkpoint(3, masters=[torch.zeros(1)]), keep=2)
    path = save(tmp_path, checkpoint(3, masters=[torch.ones(1)]), keep=2)
    assert torch.equal(load(path, IDENTITY, CPU).tensors["masters"][0], torch.ones(1))
    assert names(tmp_path) == ["checkpoint-000003"]


@pytest.mark.parametrize("tensors", [{"masters": lambda: None}, {"masters": [object]}])
def test_a_save_that_fails_leaves_the_older_ones_and_nothing_else(tmp_path, tensors):
    save(tmp_path, checkpoint(1), keep=1)
    with pytest.raises(Exception, match=r"[Pp]ickle|not JSON|serializ"):
        save(tmp_path, Checkpoint(tensors, {"step": 2, "bad": object()}, IDENTITY), keep=1)
    assert names(tmp_path) == ["checkpoint-000001"]
    assert load(find_latest(tmp_path), IDENTITY, CPU).facts["step"] == 1


@pytest.mark.parametrize("fault", [OSError(28, "No space left on device"), RuntimeError("unexpected pos 64 vs 0")])
def test_a_full_disk_is_told_with_the_room_that_is_left(tmp_path, monkeypatch, fault):
    save(tmp_path, checkpoint(1), keep=1)

    def full(_, path):
        path.write_bytes(b"half")
        raise fault

    monkeypatch.setattr(torch, "save", full)
    with pytest.raises(NotWrittenError, match=r"where \d+ MB are free: .*(No space|unexpected pos)[^.]*\. What was"):
        save(tmp_path, checkpoint(2), keep=1)
    assert names(tmp_path) == ["checkpoint-000001"]


@pytest.mark.parametrize("left", [[], ["state.pt"], ["state.pt", "checkpoint.json"]])
def test_what_a_killed_save_left_is_not_resumed_and_goes_with_the_next(tmp_path, left):
    whole = save(tmp_path, checkpoint(1), keep=3)
    scratch = tmp_path / ".checkpoint-abc123"
    scratch.mkdir()
    for name in left:
        shutil.copy(whole / name, scratch)
    assert find_latest(tmp_path) == whole
    save(tmp_path, checkpoint(2), keep=3)
    assert names(tmp_path) == ["checkpoint-000001", "checkpoint-000002"]


@pytest.mark.parametrize("lost", ["state.pt", "checkpoint.json"])
def test_a_checkpoint_that_lost_a_file_is_passed_over(tmp_path, lost):
    save(tmp_path, checkpoint(1), keep=3)
    newest = save(tmp_path, checkpoint(2), keep=3)
    (newest / lost).unlink()
    assert find_latest(tmp_path).name == "checkpoint-000001"
    with pytest.raises(CheckpointMismatchError, match="damaged"):
        load(newest, IDENTITY, CPU)


def test_a_removal_that_is_killed_leaves_nothing_that_looks_like_a_checkpoint(tmp_path, monkeypatch):
    old = save(tmp_path, checkpoint(1), keep=1)

    def killed(path, **_):
        if any(path.rglob("state.pt")):  # dies on the way, the small file gone and the big one not
            next(path.rglob("checkpoint.json"), path / "none").unlink(missing_ok=True)
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        alter_library(patch, checkpoints, "shutil", rmtree=killed)
        with pytest.raises(KeyboardInterrupt):
            save(tmp_path, checkpoint(2), keep=1)
    assert not old.exists()
    assert find_latest(tmp_path).name == "checkpoint-000002"
    save(tmp_path, checkpoint(3), keep=1)
    assert names(tmp_path) == ["checkpoint-000003"]


@pytest.mark.parametrize("folder", ["nothing", "empty"])
def test_no_checkpoint_is_none(tmp_path, folder):
    (tmp_path / "empty").mkdir()
    assert find_latest(tmp_path / folder) is None


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "{}", "null", '{"facts": {}}', '{"facts": {}, "identity": 3, "sha256": ""}', "\xff"]
)
def test_damaged_facts_are_refused_in_words(tmp_path, text):
    path = save(tmp_path, checkpoint(), keep=1)
    (path / "checkpoint.json").write_bytes(text.encode("latin-1"))
    with pytest.raises(CheckpointMismatchError, match="damaged"):
        load(path, IDENTITY, CPU)


def test_one_flipped_bit_in_the_tensors_is_noticed(tmp_path):
    path = save(tmp_path, checkpoint(), keep=1)
    data = bytearray((path / "state.pt").read_bytes())
    data[len(data) // 2] ^= 1
    (path / "state.pt").write_bytes(data)
    with pytest.raises(CheckpointMismatchError, match="digest"):
        load(path, IDENTITY, CPU)


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"learning_rate": 2e-3}, "learning_rate was 0.001 and is 0.002"),
        ({"model": "smollm2"}, "model was 'tiny'"),
        ({"packages": {"al/a": "sha256:2"}}, "packages was"),
        ({"packages": {"al/a": "sha256:1", "al/b": "sha256:1"}}, "packages was"),
        ({"a_new_setting": 1}, "a_new_setting was None and is 1"),
    ],
)  # fmt: skip
def test_another_run_s_checkpoint_is_refused_with_what_differs(tmp_path, change, word):
    path = save(tmp_path, checkpoint(), keep=1)
    with pytest.raises(CheckpointMismatchError) as caught:
        load(path, IDENTITY | change, CPU)
    assert word in str(caught.value)
    assert "another run's" in str(caught.value)


@pytest.mark.parametrize(
    "change",
    [
        {"steps": 99},
        {"run_name": "b"},
        {"save_steps": 1},
        {"threads": 4},
        {"decode_slots": 7},
        {"rollouts_per_step": 0},
    ],
)
def test_what_changes_no_step_may_differ(tmp_path, change):
    path = save(tmp_path, checkpoint(), keep=1)
    assert load(path, IDENTITY | change, CPU).facts["step"] == 1


@pytest.mark.parametrize("schedule", ["linear", "cosine"])
def test_the_number_of_steps_is_part_of_a_run_whose_learning_rate_falls_with_it(tmp_path, schedule):
    identity = IDENTITY | {"lr_scheduler_type": schedule}
    path = save(tmp_path, checkpoint(identity=identity), keep=1)
    assert load(path, identity, CPU)
    with pytest.raises(CheckpointMismatchError, match="steps was 10 and is 20"):
        load(path, identity | {"steps": 20}, CPU)
    constant = save(tmp_path, checkpoint(2, IDENTITY | {"lr_scheduler_type": "constant"}), keep=1)
    assert load(constant, IDENTITY | {"lr_scheduler_type": "constant", "steps": 20}, CPU)


def test_a_list_and_a_tuple_are_the_same_setting(tmp_path):
    path = save(tmp_path, checkpoint(), keep=1)
    assert json.loads((path / "checkpoint.json").read_text())["identity"]["betas"] == [0.9, 0.95]
    assert load(path, IDENTITY, CPU)


def test_tensors_are_data_and_never_code(tmp_path):
    path = save(tmp_path, checkpoint(), keep=1)
    torch.save({"masters": Evil(tmp_path / "owned")}, path / "state.pt")
    facts = json.loads((path / "checkpoint.json").read_text())
    facts["sha256"] = checkpoints._digest(path / "state.pt")
    (path / "checkpoint.json").write_text(json.dumps(facts))
    with pytest.raises(Exception, match=r"[Ww]eights.only|Unsupported"):
        load(path, IDENTITY, CPU)
    assert not (tmp_path / "owned").exists()


class Evil:
    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return (Path.touch, (self.path,))
