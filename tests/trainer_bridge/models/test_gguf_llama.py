"""A GGUF file read as transformers has it: weights to the bit, rotary rows in order, tokenizer and template."""

import gguf
import pytest
import torch

from trainer_bridge.errors import ModelError
from trainer_bridge.models.gguf_llama import GgufLlama


def test_weights_come_under_transformers_names_and_unrounded_but_for_quantised_blocks(original, gguf_file):
    expected = original.state_dict()
    found = dict(GgufLlama(gguf_file).tensors())
    assert set(found) == set(expected) - {"lm_head.weight"}, "the head is tied to the embeddings"
    for name, weight in found.items():
        if name.endswith("up_proj.weight"):
            assert torch.allclose(weight, expected[name], atol=0.01), "eight bits a weight"
        else:
            assert torch.equal(weight, expected[name]), name


def test_the_configuration_is_that_of_the_model(original, gguf_file):
    found, expected = GgufLlama(gguf_file).config(), original.config
    for name in ("vocab_size", "hidden_size", "intermediate_size", "num_hidden_layers", "num_attention_heads",
                 "num_key_value_heads", "max_position_embeddings", "tie_word_embeddings", "head_dim"):  # fmt: skip
        assert getattr(found, name) == getattr(expected, name), name
    assert found.rms_norm_eps == pytest.approx(1e-5)
    assert found.rope_parameters["rope_theta"] == 1e5
    assert (found.bos_token_id, found.eos_token_id, found.pad_token_id) == (1, 2, 2)


def test_the_tokenizer_splits_digits_merges_and_knows_its_special_tokens(gguf_file):
    tokenizer = GgufLlama(gguf_file).tokenizer()
    assert tokenizer.tokenize("hey 12") == ["hey", "Ġ", "1", "2"]
    assert tokenizer.decode(tokenizer("hé 12\n")["input_ids"]) == "hé 12\n"
    chat = tokenizer.apply_chat_template([{"role": "user", "content": "hey"}], tokenize=True, return_dict=True)[
        "input_ids"
    ]
    assert chat[0] == 1
    assert chat[-1] == tokenizer.eos_token_id == tokenizer.pad_token_id == 2
    assert tokenizer.decode(chat, skip_special_tokens=True) == "user hey"
    assert tokenizer.model_max_length == 128


def written(path, architecture, **values):
    """A GGUF file with nothing but these values."""
    writer = gguf.GGUFWriter(path, architecture)
    for key, value in values.items():
        writer.add_string(f"tokenizer.ggml.{key}", value)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def test_a_file_of_another_architecture_is_refused(tmp_path):
    with pytest.raises(ModelError, match="'mamba'"):
        GgufLlama(written(tmp_path / "other.gguf", "mamba"))


def test_a_file_that_lacks_something_says_what(tmp_path):
    model = GgufLlama(written(tmp_path / "bare.gguf", "llama"))
    with pytest.raises(ModelError, match=r"lacks llama\.attention\.head_count"):
        model.config()
    with pytest.raises(ModelError, match=r"lacks tokenizer\.ggml\.tokens"):
        model.tokenizer()


def test_another_way_to_cut_words_is_refused_and_not_guessed(gguf_file, monkeypatch):
    model = GgufLlama(gguf_file)
    read = model._value
    monkeypatch.setattr(model, "_value", lambda key: "llama-bpe" if key == "tokenizer.ggml.pre" else read(key))
    with pytest.raises(ModelError, match="pre-tokenizer 'llama-bpe' is not known"):
        model.tokenizer()
