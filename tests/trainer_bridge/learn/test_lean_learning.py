"""Packing, shared prompts, the chunked head and kept results, all together on random batches, beside a plain loop.

The loop takes one sequence at a time through the same model in float64, with all logits, and nothing is shared.
"""

import copy

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from trainer_bridge.learn import logprobs as through_head
from trainer_bridge.learn.attention import use_products
from trainer_bridge.learn.lean_layers import use_lean_layers
from trainer_bridge.learn.master_weights import MasterWeights
from trainer_bridge.learn.micro_batches import BatchRow, Piece, pack
from trainer_bridge.models.tiny import tiny_model, tiny_tokenizer
from trainer_bridge.settings import TrainSettings

WORDS = 60
TEMPERATURE = 0.8

tokens = st.integers(0, WORDS - 1)
pieces = st.builds(Piece, st.lists(tokens, min_size=1, max_size=9).map(tuple), st.lists(tokens, max_size=9).map(tuple))
prompts = st.sampled_from([(1,), (1, 2, 3), tuple(range(20))])
rows = st.builds(
    BatchRow,
    group=st.integers(0, 2),
    prompt=prompts,  # few, so that they are often shared; one of a single token
    tokens=st.lists(tokens, max_size=9).map(tuple),
    more=st.lists(pieces, max_size=2).map(tuple),
)
batches = st.lists(rows, min_size=1, max_size=7).filter(lambda found: any(row.width for row in found))


@pytest.fixture(scope="module")
def model():
    torch.manual_seed(0)
    made = tiny_model(tiny_tokenizer())
    for parameter in made.parameters():  # larger than at the start, so that mistakes are
        parameter.data.mul_(3)
    return made


def plain(model, samples, slopes, dtype=torch.float64):
    """(log-probabilities, gradients) of sum(slopes x log-probabilities), sequence by sequence."""
    model = copy.deepcopy(model).to(dtype)
    logprobs_found = torch.zeros(slopes.shape, dtype=torch.float64)
    for number, sample in enumerate(samples):
        offset = 0
        for piece in sample.pieces:
            if not piece.tokens:
                continue
            whole = torch.tensor([*piece.prompt, *piece.tokens])
            logits = model(input_ids=whole[None, :-1]).logits[0, len(piece.prompt) - 1 :].double() / TEMPERATURE
            logprobs = logits.log_softmax(-1).gather(-1, whole[len(piece.prompt) :, None])[:, 0]
            part = slice(offset, offset + len(piece.tokens))
            (logprobs * slopes[number, part]).sum().backward()
            logprobs_found[number, part] = logprobs.detach()
            offset += len(piece.tokens)
    return logprobs_found, [parameter.grad for parameter in model.parameters()]


def learnt(model, samples, slopes, max_tokens):
    """The same by the trainer's own parts, micro-batch by micro-batch."""
    model = copy.deepcopy(model)
    use_products(model)
    use_lean_layers(model)
    weights = MasterWeights(model, TrainSettings.make({"targets": ("al/a",), "output": "run"}))
    logprobs_found = torch.zeros(slopes.shape)
    for micro in pack(samples, max_tokens=max_tokens, width=slopes.shape[1], device=torch.device("cpu")):
        values, _ = weights.logprobs(micro, TEMPERATURE)
        chosen = list(micro.samples)
        weights.backward((values * slopes[chosen]).sum())
        logprobs_found[chosen] = values.detach().float()
    return logprobs_found, weights.gradients


def slopes_of(samples, seed):
    """Random, with holes in the mask."""
    draw = torch.Generator().manual_seed(seed)
    shape = (len(samples), max(sample.width for sample in samples))
    return torch.randn(shape, generator=draw) * (torch.rand(shape, generator=draw) < 0.7)


def error(found, exact):
    """Of all gradients together, to their length."""
    pairs = [
        (torch.zeros_like(true) if one is None else one.double(), true) for one, true in zip(found, exact, strict=True)
    ]
    distance = sum(float((one - true).square().sum()) for one, true in pairs) ** 0.5
    return distance / max(sum(float(true.square().sum()) for _, true in pairs) ** 0.5, 1e-9)


@settings(max_examples=6, deadline=None)
@given(
    samples=batches,
    max_tokens=st.integers(1, 80),
    chunk=st.integers(1, 12),
    kept=st.integers(0, 12),
    seed=st.integers(0, 99),
)
def test_any_batch_learns_as_one_sequence_at_a_time_in_float64(model, samples, max_tokens, chunk, kept, seed):
    slopes = slopes_of(samples, seed)
    exact, gradients = plain(model, samples, slopes.double())
    words = len(model.get_output_embeddings().weight)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(through_head, "CHUNK_TOKENS", {"cpu": chunk})
        patch.setattr(through_head, "KEPT_BYTES", {"cpu": kept * words * 4})
        logprobs_found, found = learnt(model, samples, slopes, max_tokens)
    torch.testing.assert_close(logprobs_found.double(), exact, atol=2e-5, rtol=0)
    assert error(found, gradients) < 1e-4


@settings(max_examples=4, deadline=None)
@given(samples=batches, max_tokens=st.integers(1, 80), chunk=st.integers(1, 12), seed=st.integers(0, 99))
def test_any_batch_in_bfloat16_is_off_by_its_rounding_alone(model, samples, max_tokens, chunk, seed):
    narrow = copy.deepcopy(model).bfloat16()
    slopes = slopes_of(samples, seed)
    exact, gradients = plain(narrow, samples, slopes.double())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(through_head, "CHUNK_TOKENS", {"cpu": chunk})
        logprobs_found, found = learnt(narrow, samples, slopes, max_tokens)
    others, their_gradients = plain(narrow, samples, slopes.double(), torch.bfloat16)
    assert (logprobs_found - exact).abs().mean() <= 1.5 * (others - exact).abs().mean() + 0.01
    assert error(found, gradients) <= 1.5 * error(their_gradients, gradients) + 0.01


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_a_chunk_may_end_at_any_token_and_any_number_of_chunks_be_kept(dtype, monkeypatch):
    draw = torch.Generator().manual_seed(5)
    hidden = torch.randn(9, 8, generator=draw).to(dtype).requires_grad_()
    head = torch.randn(40, 8, generator=draw).to(dtype).requires_grad_()
    targets, slopes = torch.randint(40, (9,), generator=draw), torch.randn(2, 9, generator=draw)

    def gradients(head, hidden, outputs):
        loss = sum((one * slope).sum() for one, slope in zip(outputs, slopes, strict=True))
        return torch.autograd.grad(loss, (hidden, head))

    wide = [one.detach().double().requires_grad_() for one in (head, hidden)]
    logprobs = (wide[1] @ wide[0].T / TEMPERATURE).log_softmax(-1)
    dense = logprobs.gather(-1, targets[:, None])[:, 0], -(logprobs.exp() * logprobs).sum(-1)
    exact = gradients(*wide, dense)
    for chunk in range(1, 11):
        for kept in range(10):
            monkeypatch.setattr(through_head, "KEPT_BYTES", {"cpu": kept * 40 * 4})
            outputs = through_head.linear_logprobs(hidden, head, targets, TEMPERATURE, chunk=chunk)
            found = gradients(head, hidden, outputs)
            assert error(found, exact) < (1e-6 if dtype == torch.float32 else 0.01), (chunk, kept)
