"""The chunked head and shared-prompt packing against the plain computation."""

import pytest
import torch
from transformers import AutoConfig, AutoModelForCausalLM

from tests.trainer_bridge.rollout.decoding.families import FALLBACK, NATIVE, logprobs, make_model
from trainer_bridge.errors import ModelError
from trainer_bridge.learn.logprobs import completion_logprobs, linear_logprobs
from trainer_bridge.learn.micro_batches import BatchRow, pack
from trainer_bridge.models.loaded_model import check_plain_head

CPU = torch.device("cpu")


def dense(hidden, head, targets, temperature):
    logprobs = (hidden @ head.T / temperature).log_softmax(-1)
    return logprobs.gather(-1, targets[:, None])[:, 0], -(logprobs.exp() * logprobs).sum(-1)


@pytest.mark.parametrize("chunk", [1, 4, 7, 100])
@pytest.mark.parametrize("temperature", [1.0, 0.6])
def test_chunked_head_equals_the_dense_one_forward_and_backward(chunk, temperature):
    torch.manual_seed(0)
    hidden = torch.randn(7, 5, dtype=torch.float64, requires_grad=True)
    head = torch.randn(11, 5, dtype=torch.float64, requires_grad=True)
    targets = torch.randint(0, 11, (7,))
    weights = torch.randn(2, 7, dtype=torch.float64)
    results = []
    for function in (lambda *a: linear_logprobs(*a, chunk=chunk), dense):
        logprobs, entropy = function(hidden, head, targets, temperature)
        gradients = torch.autograd.grad((weights[0] * logprobs + weights[1] * entropy).sum(), (hidden, head))
        results.append((logprobs, entropy, *gradients))
    for ours, expected in zip(*results, strict=True):
        assert torch.allclose(ours, expected, atol=1e-12)


@pytest.mark.parametrize("output", [0, 1])
def test_the_gradient_of_one_output_alone(output):
    torch.manual_seed(2)
    hidden = torch.randn(5, 3, dtype=torch.float64, requires_grad=True)
    head = torch.randn(6, 3, dtype=torch.float64, requires_grad=True)
    targets = torch.tensor([0, 5, 2, 2, 1])
    ours, expected = linear_logprobs(hidden, head, targets, 0.8, chunk=2), dense(hidden, head, targets, 0.8)
    for one, two in zip(
        torch.autograd.grad(ours[output].sum(), (hidden, head)),
        torch.autograd.grad(expected[output].sum(), (hidden, head)),
        strict=True,
    ):
        assert torch.allclose(one, two)


def test_gradcheck_of_the_chunked_head():
    torch.manual_seed(1)
    hidden = torch.randn(5, 3, dtype=torch.float64, requires_grad=True)
    head = torch.randn(6, 3, dtype=torch.float64, requires_grad=True)
    targets = torch.tensor([0, 5, 2, 2, 1])
    assert torch.autograd.gradcheck(lambda h, w: linear_logprobs(h, w, targets, 0.8, chunk=2), (hidden, head))


SAMPLES = [
    BatchRow(0, [5, 6, 7], [8, 9, 10, 11]),
    BatchRow(0, [5, 6, 7], [12]),
    BatchRow(0, [5, 6, 7], [13, 14, 1]),
    BatchRow(1, [20, 21, 22, 23, 24, 25], [30, 31]),
    BatchRow(1, [20, 21, 22, 23, 24, 25], [32, 33, 34, 35, 1]),
    BatchRow(2, [40], [41, 42, 43]),
]


def gather(model, samples, temperature, **budget):
    logprobs = torch.zeros(len(samples), max(len(sample.tokens) for sample in samples))
    entropy = torch.zeros_like(logprobs)
    for micro in pack(samples, device=CPU, **budget):
        rows = torch.tensor(micro.samples)
        chosen, uncertain = completion_logprobs(model, micro, temperature)
        logprobs = logprobs.index_add(0, rows, chosen)
        entropy = entropy.index_add(0, rows, uncertain)
    return logprobs, entropy


@pytest.mark.parametrize(
    "budget", [{"max_tokens": 1}, {"max_tokens": 24}, {"max_tokens": 500}, {"max_tokens": 500, "max_row_tokens": 8}]
)
def test_packed_logprobs_equal_those_of_each_sequence_alone(tiny, budget):
    with torch.no_grad():
        logprobs, entropy = gather(tiny.model, SAMPLES, 0.8, **budget)
        for row, sample in enumerate(SAMPLES):
            ids = torch.tensor([[*sample.prompt, *sample.tokens]])
            plain = (tiny.model(ids).logits[0] / 0.8).log_softmax(-1)[len(sample.prompt) - 1 : -1]
            expected = plain.gather(-1, torch.tensor(sample.tokens)[:, None])[:, 0]
            assert torch.allclose(logprobs[row, : len(sample.tokens)], expected, atol=1e-5)
            assert torch.allclose(entropy[row, : len(sample.tokens)], -(plain.exp() * plain).sum(-1), atol=1e-5)
            assert logprobs[row, len(sample.tokens) :].abs().sum() == 0


def test_gradients_do_not_depend_on_how_the_batch_is_cut(tiny):
    gradients = []
    for budget in ({"max_tokens": 1}, {"max_tokens": 500}, {"max_tokens": 500, "max_row_tokens": 7}):
        logprobs, entropy = gather(tiny.model, SAMPLES, 1.0, **budget)
        loss = (logprobs * torch.arange(1, logprobs.numel() + 1).view_as(logprobs)).sum() + entropy.sum()
        gradients.append(torch.autograd.grad(loss, list(tiny.model.parameters())))
    for other in gradients[1:]:
        for one, two in zip(gradients[0], other, strict=True):
            assert torch.allclose(one, two, rtol=1e-4, atol=1e-4)


def test_every_sample_appears_exactly_once_and_rows_keep_the_budget():
    for max_tokens in (5, 16, 40):
        batches = pack(SAMPLES, max_tokens=max_tokens, device=CPU)
        assert sorted(index for micro in batches for index in micro.samples) == list(range(len(SAMPLES)))
        for micro in batches:
            rows, length = micro.input_ids_RL.shape
            assert rows == 1 or rows * length <= max_tokens


@pytest.mark.parametrize("kind", ["gpt_neox", "gpt2", "qwen3"])
def test_packing_is_exact_for_other_architectures_too(kind):
    torch.manual_seed(0)
    sizes = {
        "vocab_size": 60,
        "hidden_size": 32,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
    }
    config = AutoConfig.for_model(kind, **sizes, intermediate_size=64, bos_token_id=None, eos_token_id=None)
    model = AutoModelForCausalLM.from_config(config).eval()
    with torch.no_grad():
        logprobs, _ = gather(model, SAMPLES, 1.0, max_tokens=500)
        for row, sample in enumerate(SAMPLES):
            ids = torch.tensor([[*sample.prompt, *sample.tokens]])
            plain = model(ids).logits[0].log_softmax(-1)[len(sample.prompt) - 1 : -1]
            expected = plain.gather(-1, torch.tensor(sample.tokens)[:, None])[:, 0]
            assert torch.allclose(logprobs[row, : len(sample.tokens)], expected, atol=1e-5)


def test_a_head_that_caps_or_scales_its_logits_is_refused(tmp_path):
    for kind, knob in (("gemma2", {"final_logit_softcapping": 30.0}), ("granite", {"logits_scaling": 2.0})):
        config = AutoConfig.for_model(kind, **knob)
        with pytest.raises(ModelError, match=next(iter(knob))):
            check_plain_head(config)
    check_plain_head(AutoConfig.for_model("llama"))
    check_plain_head(AutoConfig.for_model("granite", logits_scaling=1.0))


def test_logits_of_a_bfloat16_model_are_not_rounded_to_bfloat16():
    draw = torch.Generator().manual_seed(0)
    hidden = torch.randn(16, 64, generator=draw).mul(3).bfloat16()
    head = torch.randn(500, 64, generator=draw).bfloat16()
    targets = torch.randint(0, 500, (16,), generator=draw)
    found, _ = linear_logprobs(hidden, head, targets)
    exact = (hidden.double() @ head.double().T).log_softmax(-1).gather(-1, targets[:, None])[:, 0]
    assert (found - exact).abs().max() < 1e-4


@pytest.mark.parametrize("kind", [*NATIVE, *FALLBACK])
def test_every_family_has_the_logprobs_of_its_plain_sequences(kind):
    """Longer than the windows of those that have one, three samples behind one prompt."""
    model = make_model(kind)
    prompt, answers = (5, 6, 7, 8, 9, 10), [(11, 12, 13, 14, 15, 16, 17), (18, 19, 20), (21, 22, 23, 24, 25)]
    (micro,) = pack([BatchRow(0, prompt, answer) for answer in answers], max_tokens=4096, device=CPU)
    found, _ = completion_logprobs(model, micro, 0.9)
    for row, sample in enumerate(micro.samples):
        expected = logprobs(model, prompt, answers[sample], 0.9)
        assert found[row, : len(expected)].tolist() == pytest.approx(expected, abs=1e-4)
