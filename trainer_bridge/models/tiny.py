"""A real but tiny Llama with random weights and a character tokenizer: for tests, and to try a recipe in seconds."""

import string

import torch
from tokenizers import Regex, Tokenizer, decoders, pre_tokenizers
from tokenizers.models import WordLevel
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

_SPECIAL = ["<|pad|>", "<|end|>", "<|user|>", "<|assistant|>", "<|unknown|>"]
_CHARACTERS = string.ascii_letters + string.digits + string.punctuation + " \n"
_CHAT = (
    "{% for message in messages %}<|{{ message['role'] }}|>{{ message['content'] }}<|end|>{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)


def tiny_tokenizer() -> PreTrainedTokenizerFast:
    """One token a printable ASCII character, besides the chat markers; ``<|end|>`` ends a turn."""
    vocabulary = {token: index for index, token in enumerate([*_SPECIAL, *_CHARACTERS])}
    characters = Tokenizer(WordLevel(vocabulary, unk_token="<|unknown|>"))  # noqa: S106 -- not a password
    characters.pre_tokenizer = pre_tokenizers.Split(Regex(r"[\s\S]"), behavior="isolated")
    characters.decoder = decoders.Fuse()
    characters.add_special_tokens(_SPECIAL)
    return PreTrainedTokenizerFast(
        tokenizer_object=characters,
        pad_token="<|pad|>",  # noqa: S106 -- not a password
        eos_token="<|end|>",  # noqa: S106 -- not a password
        unk_token="<|unknown|>",  # noqa: S106 -- not a password
        chat_template=_CHAT,
        clean_up_tokenization_spaces=False,
    )


def tiny_model(tokenizer: PreTrainedTokenizerFast, seed: int = 0) -> LlamaForCausalLM:
    """About 120,000 parameters, two layers, grouped-query attention, tied embeddings; the same for the same seed."""
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=64,
        intermediate_size=128,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=4096,
        tie_word_embeddings=True,
        bos_token_id=None,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return LlamaForCausalLM(config)
