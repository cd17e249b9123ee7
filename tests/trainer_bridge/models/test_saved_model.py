"""A model's folder is whole whenever the process ends: the older one, the newer one, or none."""

import os
import shutil

import pytest
import torch
from safetensors import SafetensorError
from safetensors.torch import load_file

from tests.making.altered_library import alter_library
from trainer_bridge.errors import NotWrittenError
from trainer_bridge.models import saved_model
from trainer_bridge.models.saved_model import save_model


class Killed(BaseException):
    """Nothing catches it, and nothing is cleaned up."""


def files(folder):
    return {path.name for path in folder.iterdir()}


def test_a_full_disk_leaves_the_older_model_and_is_told(tiny, tmp_path, monkeypatch):
    save_model(tiny, tmp_path / "best")

    def full(*_, **__):
        raise SafetensorError("Error while serializing: No space left on device")

    monkeypatch.setattr(tiny.model, "save_pretrained", full)
    with pytest.raises(NotWrittenError, match=r"MB are free: .*No space left"):
        save_model(tiny, tmp_path / "best")
    assert [path.name for path in tmp_path.iterdir()] == ["best"]


def test_others_may_read_a_model_as_any_folder_of_its_user(tiny, tmp_path):
    (tmp_path / "plain").mkdir()
    for _ in range(2):  # also one that replaces another
        folder = save_model(tiny, tmp_path / "best")
        assert folder.stat().st_mode == (tmp_path / "plain").stat().st_mode
    assert files(tmp_path) == {"plain", "best"}


@pytest.mark.parametrize(("module", "name", "call"), [(os, "replace", 1), (os, "replace", 2), (shutil, "rmtree", 1)])
def test_a_save_that_is_killed_leaves_a_whole_model_or_none_and_the_next_clears_up(
    module, name, call, tiny, tmp_path, monkeypatch
):
    folder = tmp_path / "best"
    save_model(tiny, folder)
    whole = files(folder)
    old = load_file(folder / "model.safetensors")
    with torch.no_grad():
        next(tiny.model.parameters()).add_(1.0)
    plain, calls = getattr(module, name), iter(range(1, 100))

    def dying(*given, **named):
        if next(calls) >= call:
            raise Killed
        return plain(*given, **named)

    with monkeypatch.context() as patched:
        alter_library(patched, saved_model, "shutil", rmtree=lambda *_, **__: None)
        alter_library(patched, saved_model, module.__name__, **{name: dying})
        with pytest.raises(Killed):
            save_model(tiny, folder)
    if folder.exists():
        assert files(folder) == whole
    else:
        assert (module, call) == (os, 2)
    save_model(tiny, folder)
    assert [path.name for path in tmp_path.iterdir()] == ["best"]
    new = load_file(folder / "model.safetensors")
    assert any(not torch.equal(old[key], value) for key, value in new.items())
