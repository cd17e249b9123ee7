"""The learner's attention in bfloat16 on a CPU: plain matrix products of the pairs that may see each other.

torch's own kernel multiplies all pairs and masks afterwards. For one layer (9 heads of 64, one thread, forward and
backward) it takes 27 ms of CPU time for four rows of a prompt of 56 tokens and eight completions of 24, the products
here 11 ms; for one row of 1,000 tokens 85 ms and 52 ms.

Scores are rounded to bfloat16 before the softmax, which matters where they are in the hundreds. On SmolLM2 nothing is
lost: over five packed rows of text, log-probabilities are 0.025 off those of float32 (0.026 with torch's kernel) and
gradients 3.5 % (3.4 %). Models with biased projections, as Qwen2, have such scores and keep the kernel.
"""

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor
from transformers import AttentionInterface
from transformers.integrations.sdpa_attention import sdpa_attention_forward

NAME = "verihub_products"
MOST_TOKENS = 2048
"""The longest row, in tokens. Longer ones go to torch's kernel."""


QUERIES = 64
"""Positions whose scores are computed at a time. Fewer see fewer keys in common, and their scores fit into a cache."""


def _blocks(mask_R1LL: Tensor) -> Iterator[tuple[slice, Tensor]]:
    """(positions, the keys that any of them may attend to), QUERIES positions at a time.

    In a packed row a completion sees its prompt and itself: with eight of them, a third of all pairs.
    """
    for start in range(0, mask_R1LL.shape[2], QUERIES):
        block = slice(start, start + QUERIES)
        yield block, mask_R1LL[:, 0, block].flatten(0, 1).any(0).nonzero()[:, 0]


class _Products(torch.autograd.Function):
    """softmax(scale Q K^T) V of query_RKGLD, key_RKLD and value_RKLD, where mask_R1LL allows.

    G heads share keys. Only keys that a block of positions sees are multiplied. Softmax and its gradient are float32,
    and so are the sums over blocks. The weights are computed again in the backward pass: they would be a third of what
    a layer keeps for it.
    """

    @staticmethod
    def forward(
        ctx: Any, query_RKGLD: Tensor, key_RKLD: Tensor, value_RKLD: Tensor, mask_R1LL: Tensor, scale: float
    ) -> Tensor:
        ctx.save_for_backward(query_RKGLD, key_RKLD, value_RKLD, mask_R1LL)
        ctx.scale, ctx.blocks = scale, list(_blocks(mask_R1LL))
        mixed_RKGLD = torch.empty_like(query_RKGLD, memory_format=torch.contiguous_format)
        for block, keys in ctx.blocks:
            query_RKND = query_RKGLD[:, :, :, block].flatten(2, 3)
            seen = mask_R1LL[:, :, block, keys]
            weights_RKNC = _weights(query_RKND, key_RKLD[:, :, keys], seen, scale)
            mixed_RKND = weights_RKNC @ value_RKLD[:, :, keys]
            mixed_RKGLD[:, :, :, block] = mixed_RKND.unflatten(2, (query_RKGLD.shape[2], -1))
        return mixed_RKGLD

    @staticmethod
    def backward(ctx: Any, grad_RKGLD: Tensor) -> Any:
        """With the output's gradient G: dV = W^T G, dS = W (G V^T - sum(W G V^T)), dQ = scale dS K, dK = scale dS^T
        Q.
        """
        query_RKGLD, key_RKLD, value_RKLD, mask_R1LL = ctx.saved_tensors
        wide = torch.promote_types(key_RKLD.dtype, torch.float32)
        slopes = torch.empty_like(query_RKGLD, memory_format=torch.contiguous_format)
        key_slopes, value_slopes = (torch.zeros_like(one, dtype=wide) for one in (key_RKLD, value_RKLD))
        for block, keys in ctx.blocks:
            query_RKND, grad_RKND = (one[:, :, :, block].flatten(2, 3) for one in (query_RKGLD, grad_RKGLD))
            key_RKCD, value_RKCD = key_RKLD[:, :, keys], value_RKLD[:, :, keys]
            weights_RKNC = _weights(query_RKND, key_RKCD, mask_R1LL[:, :, block, keys], ctx.scale)
            wide_RKNC = weights_RKNC.to(wide)
            slope_RKNC = (grad_RKND @ value_RKCD.mT).to(wide).mul_(wide_RKNC)
            slope_RKNC.addcmul_(wide_RKNC, slope_RKNC.sum(-1, keepdim=True), value=-1)
            narrow_RKNC = slope_RKNC.mul_(ctx.scale).to(query_RKND.dtype)
            slopes[:, :, :, block] = (narrow_RKNC @ key_RKCD).unflatten(2, (query_RKGLD.shape[2], -1))
            key_slopes.index_add_(2, keys, (narrow_RKNC.mT @ query_RKND).to(wide))
            value_slopes.index_add_(2, keys, (weights_RKNC.mT @ grad_RKND).to(wide))
        return slopes, key_slopes.to(key_RKLD.dtype), value_slopes.to(value_RKLD.dtype), None, None


def _weights(query_RKND: Tensor, key_RKCD: Tensor, mask_R1QC: Tensor, scale: float) -> Tensor:
    """weights_RKNC, in the number type of the inputs. N = heads that share keys x positions Q, head by head."""
    scores_RKNC = query_RKND @ key_RKCD.mT
    scores_RKNC = scores_RKNC.to(torch.promote_types(scores_RKNC.dtype, torch.float32)).mul_(scale)
    by_head = scores_RKNC.unflatten(2, (-1, mask_R1QC.shape[2]))
    by_head.masked_fill_(~mask_R1QC[:, :, None], float("-inf"))
    return scores_RKNC.softmax(-1).to(query_RKND.dtype)


def products(query_RHLD: Tensor, key_RKLD: Tensor, value_RKLD: Tensor, mask_R1LL: Tensor, scale: float) -> Tensor:
    """Attention output [R, H, L, D]. Heads that share keys are adjacent, as everywhere in transformers."""
    grouped_RKGLD = query_RHLD.unflatten(1, (key_RKLD.shape[1], -1))
    mixed: Tensor = _Products.apply(grouped_RKGLD, key_RKLD, value_RKLD, mask_R1LL, scale)  # type: ignore[no-untyped-call]
    return mixed.flatten(1, 2)


def use_products(model: Any) -> None:
    """Let ``model`` compute its attention here instead of by torch's kernel, if it is in bfloat16 on a CPU.

    A model with biases keeps the kernel: see above.
    """
    is_narrow_on_cpu = model.device.type == "cpu" and model.dtype == torch.bfloat16
    if any(name.endswith("bias") for name, _ in model.named_parameters()):
        return
    if is_narrow_on_cpu and model.config._attn_implementation == "sdpa":  # noqa: SLF001 -- there is no public name
        model.set_attn_implementation(NAME)


def _attend(
    module: Any, query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None, **more: Any
) -> tuple[Tensor, None]:
    """The attention function that transformers calls. Only packed rows up to MOST_TOKENS are computed here.

    A position that sees nothing (its softmax would be NaN here and is 0 there) and dropout go to the kernel as well.
    """
    is_packed = (
        attention_mask is not None
        and attention_mask.dtype == torch.bool
        and query.shape[2] == key.shape[2] <= MOST_TOKENS
        and query.shape[-1] == value.shape[-1]
        and bool(attention_mask.any(-1).all())
    )
    if attention_mask is None or not is_packed or more.get("dropout"):
        found: tuple[Tensor, None] = sdpa_attention_forward(module, query, key, value, attention_mask, **more)
        return found
    scale = more.get("scaling") or query.shape[-1] ** -0.5
    return products(query, key, value, attention_mask, scale).transpose(1, 2).contiguous(), None


AttentionInterface.register(NAME, _attend)
