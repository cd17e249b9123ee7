"""Models by name and by folder."""

import pytest
import torch

from trainer_bridge.errors import ModelError
from trainer_bridge.models.loaded_model import load_model
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
