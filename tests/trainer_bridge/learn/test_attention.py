"""Attention by plain products: that of torch's kernel, no less precise, in both directions, whatever the mask."""

import pytest
import torch
from torch.nn import functional

from trainer_bridge.learn.attention import MOST_TOKENS, NAME, products, use_products
from trainer_bridge.learn.micro_batches import BatchRow, completion_logprobs, pack
from trainer_bridge.models.tiny import tiny_model, tiny_tokenizer


def packed_mask(length, prompt, cut):
    """Two branches behind one prompt."""
    place = torch.arange(length)
    branch = (place >= prompt).long() + (place >= cut).long()
    same = branch[:, None] == branch[None]
    return ((same | (branch[None] == 0)) & (place[None] <= place[:, None]))[None, None]


def drawn(heads, kv_heads, length, dtype):
    draw = torch.Generator().manual_seed(0)
    sizes = ((heads, "q"), (kv_heads, "k"), (kv_heads, "v"), (heads, "g"))
    return [torch.randn(2, count, length, 16, generator=draw).to(dtype) for count, _ in sizes]


def both_ways(attend, query, key, value, slope):
    query, key, value = (one.detach().clone().requires_grad_() for one in (query, key, value))
    mixed = attend(query, key, value)
    mixed.backward(slope)
    return [mixed.detach(), query.grad, key.grad, value.grad]


@pytest.mark.parametrize(("heads", "kv_heads"), [(4, 4), (6, 2), (4, 1)])
def test_values_and_slopes_are_those_of_torchs_kernel_and_no_less_precise(heads, kv_heads):
    mask = packed_mask(40, 11, 27)

    def kernel(query, key, value):
        return functional.scaled_dot_product_attention(query, key, value, attn_mask=mask, enable_gqa=True)

    def ours(query, key, value):
        return products(query, key, value, mask, 16**-0.5)

    given = drawn(heads, kv_heads, 40, torch.bfloat16)
    exact = both_ways(kernel, *(one.double() for one in given))
    for true, one, other in zip(exact, both_ways(ours, *given), both_ways(kernel, *given), strict=True):
        error, kernels = ((found.double() - true).norm() / true.norm() for found in (one, other))
        assert error < 0.01
        assert error < 2 * kernels
    wide = [one.float() for one in given]
    for true, one in zip(exact, both_ways(ours, *wide), strict=True):
        assert (one.double() - true).norm() < 1e-6 * true.norm(), "rounding is all that differs"


def test_where_nothing_is_masked_wrongly_nothing_leaks_between_branches():
    query, key, value, _ = drawn(4, 2, 30, torch.bfloat16)
    mask = packed_mask(30, 10, 20)
    before = products(query, key, value, mask, 0.25)
    value[:, :, 10:20], key[:, :, 10:20] = 100.0, 100.0
    after = products(query, key, value, mask, 0.25)
    assert torch.equal(before[:, :, 20:], after[:, :, 20:])
    assert torch.equal(before[:, :, :10], after[:, :, :10])


@pytest.mark.parametrize("tokens", [6, MOST_TOKENS])
def test_a_model_gives_the_same_log_probabilities_within_bfloat16s_rounding(tokens):
    model = tiny_model(tiny_tokenizer())
    rows = [BatchRow(0, (5, 6, 7), tuple(range(10, 10 + tokens % 50))), BatchRow(0, (5, 6, 7), (30,) * tokens)]
    [micro] = pack(rows, max_tokens=4096, device=torch.device("cpu"))
    with torch.no_grad():
        exact, _ = completion_logprobs(model.double(), micro, 1.0)
        model.to(torch.bfloat16)
        kernels, _ = completion_logprobs(model, micro, 1.0)
        use_products(model)
        ours, _ = completion_logprobs(model, micro, 1.0)
    assert model.config._attn_implementation == NAME
    assert (ours - exact).abs().mean() < 2 * (kernels - exact).abs().mean() + 1e-6


def test_other_models_and_number_types_keep_their_own_attention():
    model = tiny_model(tiny_tokenizer())
    use_products(model)
    assert model.config._attn_implementation == "sdpa"
    model.to(torch.bfloat16).set_attn_implementation("eager")
    use_products(model)
    assert model.config._attn_implementation == "eager"


def test_a_model_that_is_saved_does_not_ask_for_it(tmp_path):
    model = tiny_model(tiny_tokenizer()).to(torch.bfloat16)
    use_products(model)
    model.save_pretrained(tmp_path)
    assert NAME not in (tmp_path / "config.json").read_text()
