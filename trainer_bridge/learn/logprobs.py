"""Log-probability and entropy of given tokens, without holding all logits in memory."""

from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from trainer_bridge.learn.micro_batches import MicroBatch

CHUNK_TOKENS = {"cpu": 256, "cuda": 4096}
"""Tokens whose logits are held at once: few on a CPU, so that they stay in its cache; many on a GPU, to fill it."""


class _ChunkedHead(torch.autograd.Function):
    """Linear head, tempered log-softmax, gather and entropy, a chunk of tokens at a time.

    Forward keeps no logits; backward computes each chunk's again. Softmax and sums are float32 (float64 in tests).
    """

    @staticmethod
    def forward(ctx: Any, hidden_ND: Tensor, head_VD: Tensor, targets_N: Tensor, temperature: float, chunk: int) -> Any:
        wide = torch.promote_types(hidden_ND.dtype, torch.float32)
        logprobs_N = torch.empty(len(targets_N), dtype=wide, device=hidden_ND.device)
        entropy_N = torch.empty_like(logprobs_N)
        for start in range(0, len(targets_N), chunk):
            part = slice(start, start + chunk)
            logprobs_CV = _wide_logits(hidden_ND[part], head_VD, wide).div_(temperature).log_softmax(-1)
            logprobs_N[part] = logprobs_CV.gather(-1, targets_N[part, None])[:, 0]
            entropy_N[part] = -(logprobs_CV.exp() * logprobs_CV).sum(-1)
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(hidden_ND, head_VD, targets_N, entropy_N)
        ctx.temperature, ctx.chunk, ctx.wide = temperature, chunk, wide
        return logprobs_N, entropy_N

    @staticmethod
    def backward(ctx: Any, grad_logprobs_N: Tensor | None, grad_entropy_N: Tensor | None) -> Any:
        """D log p[y] = onehot(y) - p and dH = -p (log p + H), both over the temperature."""
        if grad_logprobs_N is None and grad_entropy_N is None:
            return None, None, None, None, None
        hidden_ND, head_VD, targets_N, entropy_N = ctx.saved_tensors
        grad_hidden_ND = torch.empty_like(hidden_ND)
        grad_head_VD = torch.zeros_like(head_VD, dtype=ctx.wide)
        for start in range(0, len(targets_N), ctx.chunk):
            part = slice(start, start + ctx.chunk)
            logits_CV = _wide_logits(hidden_ND[part], head_VD, ctx.wide)
            logprobs_CV = logits_CV.div_(ctx.temperature).log_softmax(-1)
            slope_CV = logprobs_CV.exp()
            if grad_entropy_N is None:  # the usual case: no entropy term in the loss
                slope_CV.mul_(_column(grad_logprobs_N, part).neg())
            else:
                factor_CV = logprobs_CV.add_(entropy_N[part, None]).mul_(_column(grad_entropy_N, part))
                if grad_logprobs_N is not None:
                    factor_CV.add_(_column(grad_logprobs_N, part))
                slope_CV.mul_(factor_CV.neg_())
            if grad_logprobs_N is not None:
                slope_CV.scatter_add_(-1, targets_N[part, None], _column(grad_logprobs_N, part))
            narrow_CV = slope_CV.div_(ctx.temperature).to(hidden_ND.dtype)
            grad_hidden_ND[part] = narrow_CV @ head_VD
            if grad_head_VD.dtype == narrow_CV.dtype:
                grad_head_VD.addmm_(narrow_CV.T, hidden_ND[part])  # in place: no temporary tensor of the head's size
            else:
                grad_head_VD += narrow_CV.T @ hidden_ND[part]
        return grad_hidden_ND, grad_head_VD.to(head_VD.dtype), None, None, None


def _wide_logits(hidden_CD: Tensor, head_VD: Tensor, wide: torch.dtype) -> Tensor:
    """Logits that are summed in ``wide``. Rounded to bfloat16 they would be off by up to 0.06 at a size of 20."""
    return functional.linear(hidden_CD.to(wide), head_VD.to(wide))


def _column(values_N: Tensor | None, part: slice) -> Tensor:
    assert values_N is not None
    return values_N[part, None]


def linear_logprobs(
    hidden_ND: Tensor, head_VD: Tensor, targets_N: Tensor, temperature: float = 1.0, chunk: int = 0
) -> tuple[Tensor, Tensor]:
    """Return log pi(target) [N] and the entropy of the whole next-token distribution [N], in nats, differentiable.

    ``chunk`` tokens at a time (0: by device).
    """
    chunk = chunk or CHUNK_TOKENS.get(hidden_ND.device.type, 1024)
    logprobs_N, entropy_N = _ChunkedHead.apply(hidden_ND, head_VD, targets_N, temperature, chunk)  # type: ignore[no-untyped-call]
    return logprobs_N, entropy_N


def sliding_window(config: Any) -> int | None:
    """How many positions back, itself included, layers with a window see; None where the model has no window."""
    window: int | None = getattr(config, "sliding_window", None)
    return window if getattr(config, "use_sliding_window", True) else None


def layer_kinds(config: Any) -> frozenset[str]:
    """What kinds of layers there are, by transformers' names."""
    return frozenset(getattr(config, "layer_types", None) or ("full_attention",))


def masks_by_layer(config: Any, full: Tensor, windowed: Tensor) -> Tensor | dict[str, Tensor]:
    """The masks as transformers' models take them: one for each kind of layer, or a plain one where there is one kind.

    Given a plain mask, a model of two kinds would use it for both, and the layers with a window would see too much,
    without an error.
    """
    if layer_kinds(config) == {"full_attention"}:
        return full if hasattr(config, "layer_types") else windowed  # Mistral has a window and names no kinds
    return {"full_attention": full, "sliding_attention": windowed}


def _masks(config: Any, micro: MicroBatch) -> Tensor | dict[str, Tensor]:
    """The packed rows' mask, and the same within the model's window. Distances are those of the plain sequences."""
    full_R1LL, window = micro.attention_mask_R1LL, sliding_window(config)
    if window is None:
        return masks_by_layer(config, full_R1LL, full_R1LL)
    position_RL = micro.position_ids_RL
    near_RLL = position_RL[:, :, None] - position_RL[:, None, :] < window
    return masks_by_layer(config, full_R1LL, full_R1LL & near_RLL[:, None])


def completion_logprobs(model: Any, micro: MicroBatch, temperature: float) -> tuple[Tensor, Tensor]:
    """Log-probabilities_BT and entropy_BT of a micro-batch's completion tokens, 0 outside them.

    ``model`` is any transformers causal language model that takes a four-dimensional attention mask.
    """
    hidden_RLD = model.get_decoder()(
        input_ids=micro.input_ids_RL,
        attention_mask=_masks(model.config, micro),
        position_ids=micro.position_ids_RL,
        use_cache=False,
    ).last_hidden_state
    hidden_ND = hidden_RLD[micro.source_row_N, micro.source_position_N]
    logprobs_N, entropy_N = linear_logprobs(
        hidden_ND, model.get_output_embeddings().weight, micro.target_N, temperature
    )
    shape = (len(micro.samples), micro.width)
    where = (micro.sample_N, micro.token_N)
    empty_BT = torch.zeros(shape, dtype=logprobs_N.dtype, device=logprobs_N.device)
    return empty_BT.index_put(where, logprobs_N), empty_BT.index_put(where, entropy_N)
