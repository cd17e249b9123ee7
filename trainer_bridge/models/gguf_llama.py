"""Converts a GGUF file of the Llama family to transformers weights, configuration and tokenizer."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
from gguf import GGUFReader
from gguf.quants import dequantize
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import LlamaConfig, PreTrainedTokenizerFast

from trainer_bridge.errors import ModelError

_CONTROL = 3  # GGUF token type: special tokens such as <|im_end|>
_LAYER_NAMES = {
    "attn_norm": "input_layernorm",
    "ffn_norm": "post_attention_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}
_OUTER_NAMES = {"token_embd": "model.embed_tokens", "output_norm": "model.norm", "output": "lm_head"}


class GgufLlama:
    """One GGUF file of architecture ``llama``, read lazily."""

    def __init__(self, path: Path) -> None:
        self._reader = GGUFReader(path)
        architecture = self._value("general.architecture")
        if architecture != "llama":
            raise ModelError(f"{path.name} holds a {architecture!r} model; only llama is converted here")

    def config(self) -> LlamaConfig:
        """The transformers configuration. Output and input embeddings are tied unless the file has both."""
        heads = int(self._value("llama.attention.head_count"))
        return LlamaConfig(
            vocab_size=len(self._value("tokenizer.ggml.tokens")),
            hidden_size=int(self._value("llama.embedding_length")),
            intermediate_size=int(self._value("llama.feed_forward_length")),
            num_hidden_layers=int(self._value("llama.block_count")),
            num_attention_heads=heads,
            num_key_value_heads=int(self._value("llama.attention.head_count_kv")),
            max_position_embeddings=int(self._value("llama.context_length")),
            rms_norm_eps=float(self._value("llama.attention.layer_norm_rms_epsilon")),
            rope_parameters={"rope_type": "default", "rope_theta": float(self._value("llama.rope.freq_base"))},
            tie_word_embeddings=all(tensor.name != "output.weight" for tensor in self._reader.tensors),
            bos_token_id=int(self._value("tokenizer.ggml.bos_token_id")),
            eos_token_id=int(self._value("tokenizer.ggml.eos_token_id")),
            pad_token_id=int(self._value("tokenizer.ggml.padding_token_id")),
        )

    def tensors(self) -> Iterator[tuple[str, torch.Tensor]]:
        """Yield (transformers name, float32 tensor); quantised blocks are expanded."""
        heads = int(self._value("llama.attention.head_count"))
        kv_heads = int(self._value("llama.attention.head_count_kv"))
        for stored in self._reader.tensors:
            weight = torch.from_numpy(np.array(dequantize(stored.data, stored.tensor_type), dtype=np.float32))
            if stored.name.endswith("attn_q.weight"):
                weight = _unpermute(weight, heads)
            elif stored.name.endswith("attn_k.weight"):
                weight = _unpermute(weight, kv_heads)
            yield _transformers_name(stored.name), weight

    def tokenizer(self) -> PreTrainedTokenizerFast:
        """The byte-level BPE tokenizer with its chat template."""
        tokens: list[str] = self._value("tokenizer.ggml.tokens")
        merges = [tuple(pair.split(" ", 1)) for pair in self._value("tokenizer.ggml.merges")]
        bpe = Tokenizer(models.BPE(vocab={token: index for index, token in enumerate(tokens)}, merges=merges))
        bpe.pre_tokenizer = _pre_tokenizer(self._value("tokenizer.ggml.pre"))
        bpe.decoder = decoders.ByteLevel()
        kinds = self._value("tokenizer.ggml.token_type")
        special = [token for token, kind in zip(tokens, kinds, strict=True) if kind == _CONTROL]
        bpe.add_special_tokens(special)

        def token(role: str) -> str:
            return tokens[int(self._value(f"tokenizer.ggml.{role}_token_id"))]

        return PreTrainedTokenizerFast(
            tokenizer_object=bpe,
            bos_token=token("bos"),
            eos_token=token("eos"),
            unk_token=token("unknown"),
            pad_token=token("padding"),
            chat_template=self._value("tokenizer.chat_template"),
            model_max_length=int(self._value("llama.context_length")),
            clean_up_tokenization_spaces=False,
        )

    def _value(self, key: str) -> Any:
        field = self._reader.get_field(key)
        if field is None:
            raise ModelError(f"the GGUF file lacks {key}: it is damaged, or not a complete llama model")
        return field.contents()


def _transformers_name(name: str) -> str:
    stem, kind = name.rsplit(".", 1)
    if stem.startswith("blk."):
        _, layer, part = stem.split(".")
        return f"model.layers.{layer}.{_LAYER_NAMES[part]}.{kind}"
    return f"{_OUTER_NAMES[stem]}.{kind}"


def _unpermute(weight: torch.Tensor, heads: int) -> torch.Tensor:
    """Reorder rotary weights: GGUF interleaves the two halves of every head, transformers stores them one after the
    other.
    """
    rows, columns = weight.shape
    return weight.view(heads, rows // heads // 2, 2, columns).transpose(1, 2).reshape(rows, columns).contiguous()


def _pre_tokenizer(kind: str) -> pre_tokenizers.PreTokenizer:
    if kind != "smollm":
        raise ModelError(
            f"pre-tokenizer {kind!r} is not known here; only 'smollm' (single digits, then GPT-2's rule) is"
        )
    return pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    )
