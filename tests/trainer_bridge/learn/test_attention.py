"""Attention by plain products: that of torch's kernel, no less precise, in both directions, whatever the mask."""

import pytest
import torch
from torch.nn import functional
from transformers import AttentionInterface, Qwen2Config, Qwen2ForCausalLM

from trainer_bridge.learn.attention import MOST_TOKENS, NAME, QUERIES, products, use_products
from trainer_bridge.learn.logprobs import completion_logprobs
from trainer_bridge.learn.micro_batches import BatchRow, pack
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


def test_keys_that_no_position_of_a_block_sees_are_not_multiplied():
    """They may hold anything: a plain product of all pairs would make NaN of what is masked."""
    length, cut = 3 * QUERIES, 2 * QUERIES
    query, key, value, slope = drawn(4, 2, length, torch.bfloat16)
    value[:, :, QUERIES:cut] = float("nan")
    mixed, *slopes = both_ways(
        lambda *qkv: products(*qkv, packed_mask(length, QUERIES, cut), 0.25), query, key, value, slope
    )
    seen = torch.cat((mixed[:, :, :QUERIES], mixed[:, :, cut:]), dim=2)
    assert seen.isfinite().all()
    assert slopes[0][:, :, cut:].isfinite().all()


@pytest.mark.parametrize("tokens", [6, QUERIES, MOST_TOKENS - 60])
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


def test_a_model_with_biased_projections_keeps_its_own():
    """Its scores are in the hundreds, and bfloat16 would round them by one."""
    given = {"vocab_size": 50, "hidden_size": 32, "intermediate_size": 32, "num_hidden_layers": 1}
    model = Qwen2ForCausalLM(Qwen2Config(**given, num_attention_heads=2, num_key_value_heads=1)).to(torch.bfloat16)
    use_products(model)
    assert model.config._attn_implementation == "sdpa"


@pytest.mark.parametrize(
    ("rows", "heads", "kv_heads", "length", "size"),
    [(1, 9, 3, 1, 64), (1, 9, 3, 2, 7), (2, 14, 2, 33, 5), (1, 5, 1, 257, 3), (4, 3, 3, 65, 1), (2, 4, 2, 129, 8)],
)
def test_odd_shapes_and_random_masks_are_as_exact(rows, heads, kv_heads, length, size):
    draw = torch.Generator().manual_seed(length)
    sizes = (heads, kv_heads, kv_heads, heads)
    given = [torch.randn(rows, count, length, size, generator=draw).bfloat16() for count in sizes]
    mask = torch.rand(rows, 1, length, length, generator=draw) < 0.5
    mask = (mask | torch.eye(length, dtype=torch.bool)).tril()

    def kernel(query, key, value):
        return functional.scaled_dot_product_attention(query, key, value, attn_mask=mask, enable_gqa=True)

    exact = both_ways(kernel, *(one.double() for one in given))
    found = both_ways(lambda *qkv: products(*qkv, mask, size**-0.5), *given)
    for true, one in zip(exact, found, strict=True):
        assert (one.double() - true).norm() <= 0.01 * true.norm() + 1e-6


def attended(mask, heads=4, kv_heads=2, value_size=16, **more):
    query, key, value, _ = drawn(heads, kv_heads, 12, torch.bfloat16)
    module = torch.nn.Module()
    module.num_key_value_groups, module.is_causal = heads // kv_heads, True
    return AttentionInterface()[NAME](module, query, key, value[..., :value_size], mask, scaling=0.25, **more)[0]


def test_what_the_products_cannot_do_is_left_to_the_kernel():
    mask = torch.ones(2, 1, 12, 12, dtype=torch.bool).tril()
    blind = mask.clone()
    blind[0, 0, 3] = False
    found = attended(blind)
    assert torch.isfinite(found).all(), "a position that sees nothing"
    assert (found[0, 3] == 0).all()
    assert attended(mask, value_size=8).shape == (2, 12, 4, 8)
    torch.manual_seed(1)
    assert not torch.equal(attended(mask, dropout=0.5), attended(mask))
    with pytest.raises(RuntimeError):
        attended(mask, heads=5)


def test_a_model_that_is_saved_does_not_ask_for_it(tmp_path):
    model = tiny_model(tiny_tokenizer()).to(torch.bfloat16)
    use_products(model)
    model.save_pretrained(tmp_path)
    assert NAME not in (tmp_path / "config.json").read_text()
