"""A small Llama, and the same as a GGUF file."""

import gguf
import numpy as np
import pytest
import torch
from tokenizers import pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM

TOKENS = ["<|unknown|>", "<|im_start|>", "<|im_end|>", *sorted(pre_tokenizers.ByteLevel.alphabet()), "he", "hey"]
MERGES = ["h e", "he y"]
CHAT = "{% for m in messages %}<|im_start|>{{ m['role'] }} {{ m['content'] }}<|im_end|>{% endfor %}"


def interleaved(weight, heads):
    """The order in which llama.cpp keeps rotary rows."""
    rows, columns = weight.shape
    return weight.reshape(heads, 2, rows // heads // 2, columns).swapaxes(1, 2).reshape(rows, columns)


@pytest.fixture
def original():
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=len(TOKENS), hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4,
        num_key_value_heads=2, tie_word_embeddings=True, rope_parameters={"rope_type": "default", "rope_theta": 1e5},
        max_position_embeddings=128, rms_norm_eps=1e-5,
    )  # fmt: skip
    model = LlamaForCausalLM(config).eval()
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.2)
    return model


@pytest.fixture
def gguf_file(original, tmp_path):
    """The model as a GGUF file, as llama.cpp would write it."""
    path = tmp_path / "model.gguf"
    writer = gguf.GGUFWriter(path, "llama")
    for name, value in (
        ("embedding_length", 32), ("feed_forward_length", 64), ("block_count", 2), ("attention.head_count", 4),
        ("attention.head_count_kv", 2), ("context_length", 128),
    ):  # fmt: skip
        writer.add_uint32(f"llama.{name}", value)
    writer.add_float32("llama.attention.layer_norm_rms_epsilon", 1e-5)
    writer.add_float32("llama.rope.freq_base", 1e5)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("smollm")
    writer.add_token_list(TOKENS)
    writer.add_token_types([3, 3, 3, *[1] * (len(TOKENS) - 3)])
    writer.add_token_merges(MERGES)
    for role, index in (("bos", 1), ("eos", 2), ("unknown", 0), ("padding", 2)):
        writer.add_uint32(f"tokenizer.ggml.{role}_token_id", index)
    writer.add_chat_template(CHAT)
    names = {"self_attn.q_proj": "attn_q", "self_attn.k_proj": "attn_k", "self_attn.v_proj": "attn_v",
             "self_attn.o_proj": "attn_output", "mlp.gate_proj": "ffn_gate", "mlp.up_proj": "ffn_up",
             "mlp.down_proj": "ffn_down", "input_layernorm": "attn_norm", "post_attention_layernorm": "ffn_norm"}  # fmt: skip
    state = original.state_dict()
    writer.add_tensor("token_embd.weight", state["model.embed_tokens.weight"].numpy())
    writer.add_tensor("output_norm.weight", state["model.norm.weight"].numpy())
    for layer in range(2):
        for ours, theirs in names.items():
            weight = state[f"model.layers.{layer}.{ours}.weight"].numpy()
            weight = (
                interleaved(weight, {"attn_q": 4, "attn_k": 2}[theirs]) if theirs in ("attn_q", "attn_k") else weight
            )
            if theirs == "ffn_up":  # a quantised block type, as the real file has
                packed = gguf.quants.quantize(weight, gguf.GGMLQuantizationType.Q8_0)
                writer.add_tensor(f"blk.{layer}.{theirs}.weight", packed, raw_dtype=gguf.GGMLQuantizationType.Q8_0)
            else:
                writer.add_tensor(f"blk.{layer}.{theirs}.weight", np.ascontiguousarray(weight))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path
