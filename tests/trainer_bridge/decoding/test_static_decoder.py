"""The own decoder against transformers' generate and against the training forward pass."""

import pytest
import torch
from transformers import LlamaConfig, LlamaForCausalLM, Qwen2Config, Qwen2ForCausalLM, Qwen3Config, Qwen3ForCausalLM

from trainer_bridge.decoding.completions import Request
from trainer_bridge.decoding.llama_forward import LlamaForward, is_supported
from trainer_bridge.decoding.sampling import Sampling
from trainer_bridge.decoding.static_decoder import StaticDecoder
from trainer_bridge.decoding.transformers_decoder import TransformersDecoder

PROMPTS = [[5, 6, 7], [8], [9, 10, 11, 12, 13, 14], [20, 21]]
_SIZES = {
    "vocab_size": 60,
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
}


def make_model(kind: str):
    torch.manual_seed(3)
    config_class, model_class = {
        "llama": (LlamaConfig, LlamaForCausalLM),
        "qwen2": (Qwen2Config, Qwen2ForCausalLM),
        "qwen3": (Qwen3Config, Qwen3ForCausalLM),
    }[kind]
    model = model_class(config_class(**_SIZES, bos_token_id=None, eos_token_id=None, pad_token_id=None)).eval()
    for parameter in model.parameters():  # larger weights: logits far apart, and biases and norms that matter
        torch.nn.init.normal_(parameter, std=0.3)
    return model


def decode(decoder, request, seed=0):
    answers = decoder.generate(request, torch.Generator().manual_seed(seed))
    return {(answer.group, answer.member): answer for answer in answers}


@pytest.mark.parametrize("kind", ["llama", "qwen2", "qwen3"])
@pytest.mark.parametrize("slots", [2, 64])
def test_greedy_tokens_equal_transformers_token_for_token(kind, slots):
    model = make_model(kind)
    eos_ids = (7, 33, 41)  # hit by some rows early, by some late, by some never
    request = Request(PROMPTS, copies=3, max_completion_length=12, sampling=Sampling(temperature=0))
    ours = decode(StaticDecoder(LlamaForward(model), eos_ids, slots=slots), request)
    oracle = decode(TransformersDecoder(model, eos_ids), request)
    assert len(ours) == len(PROMPTS) * 3
    assert {key: (row.tokens, row.truncated) for key, row in ours.items()} == {
        key: (row.tokens, row.truncated) for key, row in oracle.items()
    }
    for key, row in ours.items():
        assert row.logprobs == pytest.approx(oracle[key].logprobs, abs=1e-4)


@pytest.mark.parametrize("looks", [1, 4])
@pytest.mark.parametrize("slots", [1, 3, 64])
def test_sampler_logprobs_equal_those_of_a_full_forward_pass(slots, looks):
    model = make_model("llama")
    sampling = Sampling(temperature=0.7)
    decoder = StaticDecoder(LlamaForward(model), (7, 33), slots=slots, steps_between_looks=looks)
    rows = decode(decoder, Request(PROMPTS, copies=4, max_completion_length=9, sampling=sampling))
    assert len(rows) == 16
    for (group, _), row in rows.items():
        ids = torch.tensor([[*PROMPTS[group], *row.tokens]])
        with torch.no_grad():
            logprobs = (model(ids).logits[0] / 0.7).log_softmax(-1)
        expected = [
            logprobs[len(PROMPTS[group]) + position - 1, token].item() for position, token in enumerate(row.tokens)
        ]
        assert row.logprobs == pytest.approx(expected, abs=1e-4)
        assert len(row.tokens) <= 9
        assert row.truncated == (row.tokens[-1] not in (7, 33))


def test_an_end_token_first_gives_a_completion_of_one_token():
    model = make_model("llama")
    with torch.no_grad():
        first = model(torch.tensor([PROMPTS[0]])).logits[0, -1].argmax().item()
    request = Request([PROMPTS[0]], copies=2, max_completion_length=5, sampling=Sampling(temperature=0))
    rows = decode(StaticDecoder(LlamaForward(model), (first,)), request)
    assert [row.tokens for row in rows.values()] == [(first,), (first,)]
    assert not rows[0, 0].truncated


def test_in_place_updates_of_the_weights_are_seen_by_the_next_generation():
    model = make_model("llama")
    decoder = StaticDecoder(LlamaForward(model), (7,))
    request = Request(PROMPTS, copies=1, max_completion_length=8, sampling=Sampling(temperature=0))
    before = decode(decoder, request)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.2)
    after = decode(decoder, request)
    assert before != after
    assert {k: v.tokens for k, v in after.items()} == {
        k: v.tokens for k, v in decode(TransformersDecoder(model, (7,)), request).items()
    }


def test_the_same_seed_gives_the_same_samples_and_another_seed_others():
    model = make_model("llama")
    decoder = StaticDecoder(LlamaForward(model), (7,))
    request = Request(PROMPTS, copies=4, max_completion_length=8, sampling=Sampling(temperature=1.0))
    assert decode(decoder, request, seed=1) == decode(decoder, request, seed=1)
    assert decode(decoder, request, seed=1) != decode(decoder, request, seed=2)


def test_an_empty_prompt_is_refused():
    request = Request([[]], copies=1, max_completion_length=4, sampling=Sampling())
    with pytest.raises(ValueError, match="without tokens"):
        list(StaticDecoder(LlamaForward(make_model("llama")), (7,)).generate(request, torch.Generator()))


def test_architectures_with_other_layers_are_left_to_transformers():
    assert is_supported(make_model("qwen3").config)
    scaled = LlamaConfig(**_SIZES, rope_parameters={"rope_type": "linear", "factor": 2.0, "rope_theta": 1e4})
    assert not is_supported(scaled)
