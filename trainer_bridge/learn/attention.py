"""The learner's attention in bfloat16 on a CPU: plain matrix products, for rows of a few hundred tokens.

torch's own kernel is made for long rows. At 226 tokens (9 heads of 64, one thread) it takes 6.9 ms of CPU time for one
layer, forward and backward; the products here take 3.1 ms or less. At 512 tokens both are about equal.

Scores are rounded to bfloat16 before the softmax, which matters where they are in the hundreds. On SmolLM2 nothing is
lost: over five packed rows of text, log-probabilities are 0.025 off those of float32 (0.026 with torch's kernel) and
gradients 3.5 % (3.4 %). Models with biased projections, as Qwen2, have such scores and keep the kernel.
"""

from typing import Any

import torch
from torch import Tensor
from transformers import AttentionInterface
from transformers.integrations.sdpa_attention import sdpa_attention_forward

NAME = "verihub_products"
MOST_TOKENS = 512
"""The longest row, in tokens. Longer ones go to torch's kernel."""


class _Products(torch.autograd.Function):
    """softmax(scale Q K^T) V of query_RKND, key_RKLD and value_RKLD, where mask_R1LL allows.

    N = (heads that share keys) x L, head by head. Softmax and its gradient are float32. What is kept for the backward
    pass has the number type of the inputs.
    """

    @staticmethod
    def forward(
        ctx: Any, query_RKND: Tensor, key_RKLD: Tensor, value_RKLD: Tensor, mask_R1LL: Tensor, scale: float
    ) -> Tensor:
        scores_RKNL = (query_RKND @ key_RKLD.mT).float().mul_(scale)
        length = key_RKLD.shape[2]
        by_head = scores_RKNL.unflatten(2, (-1, length))
        by_head.masked_fill_(~mask_R1LL[:, :, None], float("-inf"))
        weights_RKNL = scores_RKNL.softmax(-1).to(query_RKND.dtype)
        ctx.save_for_backward(query_RKND, key_RKLD, value_RKLD, weights_RKNL)
        ctx.scale = scale
        return weights_RKNL @ value_RKLD

    @staticmethod
    def backward(ctx: Any, grad_RKND: Tensor) -> Any:
        """With the output's gradient G: dV = W^T G, dS = W (G V^T - sum(W G V^T)), dQ = scale dS K, dK = scale dS^T
        Q.
        """
        query_RKND, key_RKLD, value_RKLD, weights_RKNL = ctx.saved_tensors
        wide_RKNL = weights_RKNL.float()
        slope_RKNL = (grad_RKND @ value_RKLD.mT).float().mul_(wide_RKNL)
        slope_RKNL.addcmul_(wide_RKNL, slope_RKNL.sum(-1, keepdim=True), value=-1)
        narrow_RKNL = slope_RKNL.mul_(ctx.scale).to(query_RKND.dtype)
        return narrow_RKNL @ key_RKLD, narrow_RKNL.mT @ query_RKND, weights_RKNL.mT @ grad_RKND, None, None


def products(query_RHLD: Tensor, key_RKLD: Tensor, value_RKLD: Tensor, mask_R1LL: Tensor, scale: float) -> Tensor:
    """Attention output [R, H, L, D]. Heads that share keys are adjacent, as everywhere in transformers."""
    folded_RKND = query_RHLD.reshape(len(query_RHLD), key_RKLD.shape[1], -1, query_RHLD.shape[-1])
    mixed: Tensor = _Products.apply(folded_RKND, key_RKLD, value_RKLD, mask_R1LL, scale)  # type: ignore[no-untyped-call]
    return mixed.view(query_RHLD.shape)


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
