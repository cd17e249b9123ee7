"""Log-probabilities without all logits, and without a difference: to the plain head, and to plain sequences."""

from types import SimpleNamespace

import pytest
import torch
from torch.nn import functional
from transformers import AutoConfig, AutoModelForCausalLM

from tests.trainer_bridge.learn.shared_prompts import SAMPLES
from tests.trainer_bridge.rollout.decoding.families import FALLBACK, NATIVE, make_model
from tests.trainer_bridge.rollout.decoding.families import logprobs as plain_logprobs
from trainer_bridge.learn import logprobs as products
from trainer_bridge.learn.logprobs import completion_logprobs, linear_logprobs, wide_linear
from trainer_bridge.learn.micro_batches import BatchRow, pack

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


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("output", [slice(0, 1), slice(1, 2), slice(0, 2)])
def test_what_is_kept_from_the_forward_pass_changes_no_bit(dtype, output, monkeypatch):
    torch.manual_seed(3)
    hidden = torch.randn(9, 16, dtype=dtype, requires_grad=True)
    head = torch.randn(31, 16, dtype=dtype, requires_grad=True)
    targets = torch.randint(0, 31, (9,))
    found = []
    for most in (0, 2**20):
        monkeypatch.setattr(products, "KEPT_BYTES", {"cpu": most})
        loss = sum(one.sum() for one in linear_logprobs(hidden, head, targets, 0.7, chunk=4)[output])
        found.append(torch.autograd.grad(loss, (hidden, head), retain_graph=True))
        found.append(torch.autograd.grad(loss, (hidden, head)))  # nothing is kept any more
    for other in found[1:]:
        assert all(map(torch.equal, found[0], other))


@pytest.mark.parametrize("count", [0, 1, 7, 200])
def test_narrow_numbers_round_once_for_the_slopes_and_once_for_what_scales_them(count):
    draw = torch.Generator().manual_seed(3)
    hidden = torch.randn(count, 8, generator=draw).bfloat16().requires_grad_()
    head = torch.randn(50, 8, generator=draw).bfloat16().requires_grad_()
    targets = torch.randint(50, (count,), generator=draw)
    weights = torch.randn(count, generator=draw)
    (linear_logprobs(hidden, head, targets, 0.7)[0] * weights).sum().backward()
    exact = [one.detach().double().requires_grad_() for one in (hidden, head)]
    (dense(*exact, targets, 0.7)[0] * weights).sum().backward()
    p = (hidden.detach().float() @ head.detach().float().T).div(0.7).softmax(-1)
    slope = p.neg().scatter_add(-1, targets[:, None], torch.ones(count, 1)).bfloat16()
    scaled = hidden.detach() * (weights / 0.7)[:, None]
    summed = slope.T.float() @ scaled.bfloat16().float()
    torch.testing.assert_close(head.grad.float(), summed, rtol=2**-7, atol=1e-5)
    for one, true in zip((hidden, head), exact, strict=True):
        assert (one.grad - true.grad).norm() <= 2**-8 * true.grad.norm() * 1.2 + 1e-12


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("output", [0, 1])
def test_one_product_for_each_chunk_adds_up_to_that_of_all(dtype, output, monkeypatch):
    """What is too large for one product is multiplied chunk by chunk, and words are widened some at a time."""
    draw = torch.Generator().manual_seed(4)
    hidden = torch.randn(9, 16, generator=draw).to(dtype).requires_grad_()
    head = torch.randn(31, 16, generator=draw).to(dtype).requires_grad_()
    targets, factors = torch.randint(0, 31, (9,), generator=draw), torch.randn(9, generator=draw)
    found = []
    for most, words in ((2**20, 8192), (0, 7)):
        monkeypatch.setattr(products, "PRODUCT_BYTES", {"cpu": most})
        monkeypatch.setattr(products, "_WORDS", {"cpu": words})
        values = linear_logprobs(hidden, head, targets, 0.7, chunk=4)[output]
        found.append((values.detach(), *torch.autograd.grad((values * factors).sum(), (hidden, head))))
    for one, other in zip(*found, strict=True):
        assert (one - other).norm() <= (1e-5 if dtype == torch.float32 else 1e-2) * one.norm()


def test_a_window_that_is_switched_off_is_none():
    assert products.sliding_window(SimpleNamespace(sliding_window=4, use_sliding_window=False)) is None
    assert products.sliding_window(SimpleNamespace(sliding_window=4)) == 4


def test_gradcheck_of_the_chunked_head():
    torch.manual_seed(1)
    hidden = torch.randn(5, 3, dtype=torch.float64, requires_grad=True)
    head = torch.randn(6, 3, dtype=torch.float64, requires_grad=True)
    targets = torch.tensor([0, 5, 2, 2, 1])
    assert torch.autograd.gradcheck(lambda h, w: linear_logprobs(h, w, targets, 0.8, chunk=2), (hidden, head))


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
        expected = plain_logprobs(model, prompt, answers[sample], 0.9)
        assert found[row, : len(expected)].tolist() == pytest.approx(expected, abs=1e-4)


def test_a_short_last_chunk_that_is_kept_where_a_longer_one_was_not_changes_no_slope() -> None:
    torch.manual_seed(0)
    head, targets = torch.randn(11, 4), torch.randint(0, 11, (9,))
    slopes = []
    for most_kept in (0, 4 * 11 * 4 + 11 * 4, 10**6):  # of chunks of 4, 4 and 1 tokens: none; the first and last; all
        hidden = torch.randn(9, 4, generator=torch.Generator().manual_seed(1)).requires_grad_()
        logprobs, _ = products._ChunkedHead.apply(hidden, head, targets, 1.0, 4, most_kept)
        logprobs.sum().backward()
        slopes.append(hidden.grad)
    assert torch.equal(slopes[0], slopes[1])
    assert torch.equal(slopes[0], slopes[2])


@pytest.mark.parametrize("rows", [0, 1, 7])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
def test_it_is_torchs_product_in_the_same_number_type(rows, dtype):
    draw = torch.Generator().manual_seed(rows)
    inputs = torch.randn(rows, 2 * 33, generator=draw).to(dtype)[:, ::2]  # not contiguous
    weight = torch.randn(50, 33, generator=draw).to(dtype)
    found = wide_linear(inputs, weight)
    assert found.dtype == dtype
    exact = inputs.double() @ weight.double().T
    error, of_torch = ((one.double() - exact).norm() for one in (found, functional.linear(inputs, weight)))
    assert error <= 1.5 * of_torch + 1e-6 * exact.norm()


def test_where_the_operation_is_missing_torchs_own_computes(monkeypatch):
    monkeypatch.setattr(products, "_ONEDNN", None)
    inputs, weight = torch.ones(2, 3), torch.ones(4, 3)
    assert torch.equal(wide_linear(inputs, weight), functional.linear(inputs, weight))
