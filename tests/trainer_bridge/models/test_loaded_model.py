"""Models by name and by folder."""

import socket
import subprocess

import huggingface_hub.constants
import pytest
import torch
from transformers import AutoConfig

from trainer_bridge.errors import ModelError, ModelUnreachableError
from trainer_bridge.models import smollm2
from trainer_bridge.models.loaded_model import check_plain_head, load_model
from trainer_bridge.models.saved_model import save_model

CPU = torch.device("cpu")


def load(name, cache, dtype=torch.float32):
    return load_model(str(name), dtype=dtype, device=CPU, cache=cache)


def test_a_saved_model_is_an_ordinary_folder_that_loads_again(tiny, tmp_path):
    folder = save_model(tiny, tmp_path / "model")
    again = load(folder, tmp_path)
    assert all(torch.equal(a, b) for a, b in zip(tiny.model.parameters(), again.model.parameters(), strict=True))
    assert again.eos_ids == tiny.eos_ids
    assert save_model(tiny, tmp_path / "model") == folder
    assert [path.name for path in tmp_path.iterdir()] == ["model"]


def test_what_is_no_model_is_refused_with_the_choices(tmp_path):
    with pytest.raises(ModelError, match="neither smollm2, tiny, OWNER/NAME"):
        load(tmp_path, tmp_path)
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(ModelError, match="transformers cannot load"):
        load(tmp_path, tmp_path)


def test_a_model_without_a_chat_template_is_refused(tiny, tmp_path):
    tiny.tokenizer.chat_template = None
    with pytest.raises(ModelError, match="chat template"):
        load(save_model(tiny, tmp_path / "model"), tmp_path)


def test_shipped_sampling_settings_add_end_tokens_and_nothing_else(tiny, tmp_path):
    tiny.model.generation_config.eos_token_id = [1, 7]
    assert load(save_model(tiny, tmp_path / "model"), tmp_path).eos_ids == (1, 7)


@pytest.fixture
def no_network(monkeypatch):
    """Any attempt to leave this machine, or to start pip, fails the test."""

    def attempted(*given, **_):
        pytest.fail(f"tried to reach {given}")

    for module, name in ((socket.socket, "connect"), (socket, "getaddrinfo"), (subprocess, "run")):
        monkeypatch.setattr(module, name, attempted)


@pytest.mark.parametrize("kind", ["tiny", "a folder", "smollm2", "a model of a hub"])
def test_offline_a_model_of_this_machine_is_loaded_and_nobody_is_asked(kind, tiny, tmp_path, monkeypatch, no_network):
    folder = save_model(tiny, tmp_path / "model")
    cache = tmp_path / "hub" / "models--ours--tiny"
    commit = "0123456789abcdef0123456789abcdef01234567"
    for place in (tmp_path / "models" / smollm2._FOLDER_NAME, cache / "snapshots" / commit):
        place.parent.mkdir(parents=True)
        place.symlink_to(folder)
    (cache / "refs").mkdir()
    (cache / "refs" / "main").write_text(commit)
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    name = {"a folder": str(folder), "a model of a hub": "ours/tiny"}.get(kind, kind)
    loaded = load_model(name, dtype=torch.float32, device=CPU, cache=tmp_path, offline=True)
    assert sum(weight.numel() for weight in loaded.model.parameters()) == sum(
        weight.numel() for weight in tiny.model.parameters()
    )


@pytest.mark.parametrize("name", ["smollm2", "ours/unheard-of"])
def test_offline_a_model_that_was_never_fetched_is_refused_and_nobody_is_asked(name, tmp_path, no_network):
    with pytest.raises(ModelUnreachableError, match=f"{name} .*not fetched before.*--offline forbids"):
        load_model(name, dtype=torch.float32, device=CPU, cache=tmp_path, offline=True)
    assert not (tmp_path / "models").exists()


def test_a_head_that_caps_or_scales_its_logits_is_refused():
    for kind, knob in (("gemma2", {"final_logit_softcapping": 30.0}), ("granite", {"logits_scaling": 2.0})):
        config = AutoConfig.for_model(kind, **knob)
        with pytest.raises(ModelError, match=next(iter(knob))):
            check_plain_head(config)
    check_plain_head(AutoConfig.for_model("llama"))
    check_plain_head(AutoConfig.for_model("granite", logits_scaling=1.0))
