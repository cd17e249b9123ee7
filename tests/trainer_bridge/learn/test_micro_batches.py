"""Micro-batches within a budget, and log-probabilities without all logits."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from transformers import AutoConfig, AutoModelForCausalLM

from tests.trainer_bridge.rollout.decoding.families import FALLBACK, NATIVE, logprobs, make_model
from trainer_bridge.errors import ModelError
from trainer_bridge.learn import micro_batches
from trainer_bridge.learn.micro_batches import BatchRow, Piece, completion_logprobs, linear_logprobs, pack
from trainer_bridge.models.loaded_model import check_plain_head

# Packing


CPU = torch.device("cpu")
TOKENS = st.lists(st.integers(1, 9), min_size=1, max_size=5)
BATCH = st.lists(st.tuples(TOKENS, st.lists(TOKENS, min_size=1, max_size=3)), min_size=1, max_size=4).map(
    lambda groups: [
        BatchRow(number, prompt, tokens) for number, (prompt, answers) in enumerate(groups) for tokens in answers
    ]
)


def context_of(micro, number):
    """The tokens that the number-th prediction may see, by position: what a plain sequence would hold there."""
    row, source = int(micro.source_row_N[number]), int(micro.source_position_N[number])
    seen = micro.attention_mask_R1LL[row, 0, source].nonzero()[:, 0]
    positions = micro.position_ids_RL[row, seen].tolist()
    assert positions == sorted(set(positions)), "no position is seen twice"
    assert positions == list(range(len(positions))), "positions go on without a gap"
    return micro.input_ids_RL[row, seen].tolist()


@settings(deadline=None, max_examples=60)
@given(BATCH, st.integers(1, 60), st.integers(1, 30))
def test_each_token_is_predicted_once_from_the_plain_sequence_before_it(samples, max_tokens, max_row_tokens):
    seen = set()
    for micro in pack(samples, max_tokens=max_tokens, max_row_tokens=max_row_tokens, device=CPU):
        for number, (local, place) in enumerate(zip(micro.sample_N.tolist(), micro.token_N.tolist(), strict=True)):
            sample = samples[micro.samples[local]]
            assert int(micro.target_N[number]) == sample.tokens[place]
            assert context_of(micro, number) == [*sample.prompt, *sample.tokens[:place]]
            seen.add((micro.samples[local], place))
    assert seen == {(row, place) for row, sample in enumerate(samples) for place in range(len(sample.tokens))}


@settings(deadline=None, max_examples=60)
@given(BATCH, st.integers(1, 60))
def test_a_micro_batch_keeps_the_budget_unless_one_row_alone_exceeds_it(samples, max_tokens):
    micros = pack(samples, max_tokens=max_tokens, device=CPU)
    assert sorted(row for micro in micros for row in micro.samples) == list(range(len(samples)))
    for micro in micros:
        rows, length = micro.input_ids_RL.shape
        assert rows == 1 or rows * length <= max_tokens
        assert micro.width == max(len(sample.tokens) for sample in samples)


def test_a_prompt_is_computed_once_for_all_that_continue_it():
    samples = [BatchRow(0, [1, 2, 3], [4, 5]), BatchRow(0, [1, 2, 3], [6]), BatchRow(0, [1, 2, 3], [7, 8, 9])]
    (micro,) = pack(samples, max_tokens=100, device=CPU)
    assert micro.input_ids_RL.tolist() == [[1, 2, 3, 4, 7, 8]]
    assert micro.position_ids_RL.tolist() == [[0, 1, 2, 3, 3, 4]]


def test_the_same_prompt_of_another_group_is_another_row():
    (micro,) = pack([BatchRow(0, [1], [2, 3]), BatchRow(1, [1], [4, 5])], max_tokens=100, device=CPU)
    assert len(micro.input_ids_RL) == 2


def test_padding_sees_only_itself_so_that_no_softmax_is_empty():
    (micro,) = pack([BatchRow(0, [1], [2]), BatchRow(1, [1, 2, 3], [4, 5])], max_tokens=100, device=CPU)
    assert micro.attention_mask_R1LL.any(-1).all()
    short = micro.input_ids_RL.shape[1] - 1
    padded = next(row for row in range(2) if int(micro.input_ids_RL[row, short]) == 0)
    assert not micro.attention_mask_R1LL[padded, 0, 0, 1:].any()


@pytest.mark.parametrize("width", [None, 3, 10])
def test_the_width_is_the_batch_s_or_the_longest_completion(width):
    for micro in pack([BatchRow(0, [1], [2, 3, 4]), BatchRow(1, [1], [2])], max_tokens=1, width=width, device=CPU):
        assert micro.width == (width or 3)


PIECES = st.lists(st.builds(Piece, TOKENS, st.lists(st.integers(1, 9), max_size=4)), min_size=1, max_size=3)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(st.integers(0, 2), PIECES), min_size=1, max_size=6), st.integers(1, 60), st.integers(1, 30))
def test_a_sample_of_several_sequences_is_one_row_whose_tokens_see_their_own_sequence(made, budget, max_row_tokens):
    samples = [BatchRow(group, pieces[0].prompt, pieces[0].tokens, tuple(pieces[1:])) for group, pieces in made]
    if not any(sample.width for sample in samples):
        return
    seen, homes = set(), set()
    for micro in pack(samples, max_tokens=budget, max_row_tokens=max_row_tokens, device=CPU):
        assert not homes & set(micro.samples), "a sample is whole in one micro-batch"
        homes |= set(micro.samples)
        for number, (local, place) in enumerate(zip(micro.sample_N.tolist(), micro.token_N.tolist(), strict=True)):
            before = place
            for piece in samples[micro.samples[local]].pieces:
                if before < len(piece.tokens):
                    break
                before -= len(piece.tokens)
            assert int(micro.target_N[number]) == piece.tokens[before]
            assert context_of(micro, number) == [*piece.prompt, *piece.tokens[:before]]
            seen.add((micro.samples[local], place))
    assert seen == {(row, place) for row, sample in enumerate(samples) for place in range(sample.width)}


# Through the model


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
        monkeypatch.setattr(micro_batches, "KEPT_BYTES", most)
        loss = sum(one.sum() for one in linear_logprobs(hidden, head, targets, 0.7, chunk=4)[output])
        found.append(torch.autograd.grad(loss, (hidden, head), retain_graph=True))
        found.append(torch.autograd.grad(loss, (hidden, head)))  # nothing is kept any more
    for other in found[1:]:
        assert all(map(torch.equal, found[0], other))


@pytest.mark.parametrize("count", [0, 1, 7])
def test_one_chunk_of_narrow_numbers_has_the_heads_gradient_of_float32_sums_to_the_bit(count):
    draw = torch.Generator().manual_seed(3)
    hidden = torch.randn(count, 8, generator=draw).bfloat16().requires_grad_()
    head = torch.randn(50, 8, generator=draw).bfloat16().requires_grad_()
    targets = torch.randint(50, (count,), generator=draw)
    weights = torch.randn(count, generator=draw)
    (linear_logprobs(hidden, head, targets, 0.7)[0] * weights).sum().backward()
    table = (hidden.detach().float() @ head.detach().float().T).div(0.7).log_softmax(-1)
    slope = table.exp().mul(-weights[:, None]).scatter_add(-1, targets[:, None], weights[:, None]).div(0.7).bfloat16()
    summed = torch.zeros(50, 8) + slope.T @ hidden.detach()
    assert torch.equal(head.grad, summed.bfloat16())


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
