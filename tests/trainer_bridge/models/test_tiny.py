"""The tiny model that tests and first tries stand on: real, small, the same every time."""

import pytest
import torch

from trainer_bridge.models.tiny import tiny_model, tiny_tokenizer


@pytest.fixture(scope="module")
def tokenizer():
    return tiny_tokenizer()


def weights(model):
    return torch.cat([parameter.flatten() for parameter in model.parameters()])


def test_it_is_the_same_for_a_seed_and_leaves_the_global_one_alone(tokenizer):
    torch.manual_seed(5)
    expected = torch.rand(1)
    torch.manual_seed(5)
    one, two, other = (weights(tiny_model(tokenizer, seed)) for seed in (0, 0, 1))
    assert torch.rand(1) == expected
    assert torch.equal(one, two)
    assert not torch.equal(one, other)
    assert 50_000 < len(one) < 200_000


def test_it_has_what_real_models_have(tokenizer):
    config = tiny_model(tokenizer).config
    assert config.num_key_value_heads < config.num_attention_heads
    assert config.tie_word_embeddings
    assert config.eos_token_id == tokenizer.eos_token_id
    assert config.vocab_size == len(tokenizer)


def test_every_printable_character_is_a_token_and_comes_back(tokenizer):
    text = "".join(map(chr, range(32, 127))) + "\n  a"
    ids = tokenizer(text)["input_ids"]
    assert len(ids) == len(text)
    assert tokenizer.unk_token_id not in ids
    assert tokenizer.decode(ids) == text


def test_what_it_does_not_know_is_one_token_of_its_own(tokenizer):
    assert tokenizer("aéb")["input_ids"][1] == tokenizer.unk_token_id


def test_the_template_marks_who_speaks_and_ends_each_turn(tokenizer):
    chat = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "12"}]
    assert tokenizer.apply_chat_template(chat, tokenize=False) == "<|user|>hi<|end|><|assistant|>12<|end|>"
    opened = tokenizer.apply_chat_template(chat[:1], tokenize=False, add_generation_prompt=True)
    assert opened == "<|user|>hi<|end|><|assistant|>"
    ids = tokenizer(opened)["input_ids"]
    assert len(ids) == 5, "a marker is one token"
    assert tokenizer.decode(ids) == opened
