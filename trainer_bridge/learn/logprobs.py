"""Log-probabilities of the completion tokens of a micro-batch, through the model's head, without keeping all logits."""

from collections.abc import Iterator, Mapping
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from trainer_bridge.learn.micro_batches import MicroBatch

_ONEDNN = getattr(torch.ops.mkldnn, "_linear_pointwise", None) if torch.backends.mkldnn.is_available() else None


def wide_linear(inputs_ND: Tensor, weight_VD: Tensor) -> Tensor:
    """``inputs_ND @ weight_VD.T``, without a gradient.

    On a CPU torch gives float32 products to MKL, which takes twice the CPU time of oneDNN on an AMD EPYC: 171 and 85 ms
    for 256 tokens of 576 numbers and a vocabulary of 49,152, 30 and 13 ms for 32 tokens (one thread, torch 2.13). Both
    sum in float32. The operation is that of torch's compiler and may go from a later torch: then MKL computes again.
    """
    is_plain = inputs_ND.device.type == "cpu" and inputs_ND.dtype == weight_VD.dtype == torch.float32
    if _ONEDNN is None or not is_plain or not inputs_ND.numel():
        return functional.linear(inputs_ND, weight_VD)
    found: Tensor = _ONEDNN(inputs_ND.contiguous(), weight_VD, None, "none", [], "")
    return found


CHUNK_TOKENS = {"cpu": 256, "cuda": 4096}
"""How many tokens' logits are computed at once: few on a CPU, to take little memory; many on a GPU."""

KEPT_BYTES = {"cpu": 128 * 2**20, "cuda": 2 * 2**30}
"""Slopes of a micro-batch's first tokens, up to this size together, are kept from the forward for the backward pass."""

PRODUCT_BYTES = {"cpu": 128 * 2**20, "cuda": 2 * 2**30}
"""Slopes up to this size together get one product with the hidden states; larger ones one for each chunk."""

_ROWS, _WORDS = {"cpu": 16}, {"cpu": 8192}
"""Tokens whose softmax is computed at a time, and words whose weights are widened at a time: what fits into a cache."""


class _ChunkedHead(torch.autograd.Function):
    """Linear head, log-softmax with temperature, gather, and entropy, for a chunk of tokens at a time.

    Softmax and sums are float32 (float64 in tests): a logit of 20 that is rounded to bfloat16 is wrong by up to 0.06.

    With the token y and the distribution p, d log p[y] = onehot(y) - p by the logits. These *slopes* do not depend on
    what follows: the loss's gradient only scales each row. So the forward pass keeps them for the first tokens, in
    the number type of the hidden states, up to ``most_kept`` bytes. The backward pass computes those of the others
    again, and all if the entropy has a gradient, since dH = -p (log p + H) by the logits.
    """

    @staticmethod
    def forward(  # noqa: PLR0917 -- torch passes arguments by position
        ctx: Any, hidden_ND: Tensor, head_VD: Tensor, targets_N: Tensor, temperature: float, chunk: int, most_kept: int
    ) -> Any:
        count, words = len(targets_N), len(head_VD)
        logprobs_N = hidden_ND.new_empty(count, dtype=_wide_type(hidden_ND))
        entropy_N = torch.empty_like(logprobs_N)
        fitting = most_kept // (words * hidden_ND.element_size())
        kept = count if count <= fitting else fitting // chunk * chunk
        slopes_KV = hidden_ND.new_empty(kept, words)
        for part in _parts(count, chunk):
            logits_CV = _wide_logits(hidden_ND[part], head_VD, temperature)
            found = _log_softmax(logits_CV, targets_N[part], slopes_KV[part] if part.start < kept else None)
            logprobs_N[part], entropy_N[part] = found
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(hidden_ND, head_VD, targets_N)
        ctx.temperature, ctx.chunk, ctx.slopes_KV = temperature, chunk, slopes_KV
        return logprobs_N, entropy_N

    @staticmethod
    def backward(ctx: Any, grad_logprobs_N: Tensor | None, grad_entropy_N: Tensor | None) -> Any:
        """Products of the slopes, scaled by the gradients, with the weights and with the hidden states."""
        if grad_logprobs_N is None and grad_entropy_N is None:
            return None, None, None, None, None, None
        hidden_ND, head_VD, targets_N = ctx.saved_tensors
        count, words = len(targets_N), len(head_VD)
        slopes_KV, ctx.slopes_KV = ctx.slopes_KV, ctx.slopes_KV[:0]  # a second pass computes them again
        is_single = count * words * hidden_ND.element_size() <= _by_device(PRODUCT_BYTES, hidden_ND)
        grad_hidden_ND = torch.empty_like(hidden_ND)
        grad_head_VD = None if is_single else torch.zeros_like(head_VD, dtype=_wide_type(hidden_ND))
        for part in [slice(0, count)] if is_single else _parts(count, ctx.chunk):
            if grad_entropy_N is None:
                assert grad_logprobs_N is not None
                slopes_CV, factor_C1 = _slopes(slopes_KV, part, ctx), grad_logprobs_N[part, None] / ctx.temperature
            else:
                slopes_CV = _slopes_with_entropy(part, ctx, grad_logprobs_N, grad_entropy_N)
                factor_C1 = grad_entropy_N.new_tensor(1 / ctx.temperature)
            grad_hidden_ND[part] = (slopes_CV @ head_VD).mul(factor_C1)
            product_VD = slopes_CV.T @ hidden_ND[part].mul(factor_C1).to(hidden_ND.dtype)
            grad_head_VD = product_VD if grad_head_VD is None else grad_head_VD.add_(product_VD)
        assert grad_head_VD is not None
        return grad_hidden_ND, grad_head_VD.to(head_VD.dtype), None, None, None, None


def _by_device(limits: Mapping[str, int], tensor: Tensor) -> int:
    return limits.get(tensor.device.type, limits["cpu"])


def _wide_type(hidden_ND: Tensor) -> torch.dtype:
    return torch.promote_types(hidden_ND.dtype, torch.float32)


def _parts(count: int, size: int) -> Iterator[slice]:
    for start in range(0, count, max(size, 1)):
        yield slice(start, min(start + size, count))


def _wide_logits(hidden_CD: Tensor, head_VD: Tensor, temperature: float) -> Tensor:
    """logits_CV over the temperature, at least in float32.

    A GPU multiplies bfloat16 numbers into float32 sums, twelve times faster than float32 numbers and as exactly.
    """
    if hidden_CD.device.type == "cuda" and hidden_CD.dtype == head_VD.dtype == torch.bfloat16:
        return torch.mm(hidden_CD, head_VD.T, out_dtype=torch.float32).div_(temperature)
    wide_CD = hidden_CD.to(_wide_type(hidden_CD))
    kind, words = hidden_CD.device.type, len(head_VD)
    logits_CV = wide_CD.new_empty(len(hidden_CD), words)
    for part in _parts(words, words if head_VD.dtype == wide_CD.dtype else _WORDS.get(kind, words)):
        logits_CV[:, part] = wide_linear(wide_CD, head_VD[part].to(wide_CD.dtype))
    return logits_CV.div_(temperature)


def _log_softmax(logits_CV: Tensor, targets_C: Tensor, slopes_CV: Tensor | None) -> tuple[Tensor, Tensor]:
    """Log-probabilities_C of the targets and entropy_C. Writes onehot - p to ``slopes_CV``, and over the logits."""
    count = len(targets_C)
    logprobs_C, entropy_C = logits_CV.new_empty(count), logits_CV.new_empty(count)
    for rows in _parts(count, _ROWS.get(logits_CV.device.type, count)):
        logprobs_RV = logits_CV[rows].log_softmax(-1)
        logprobs_C[rows] = logprobs_RV.gather(-1, targets_C[rows, None])[:, 0]
        p_RV = torch.exp(logprobs_RV, out=logits_CV[rows])
        entropy_C[rows] = logprobs_RV.mul_(p_RV).sum(-1).neg_()
        if slopes_CV is not None:
            slopes_CV[rows] = _minus_p(p_RV, targets_C[rows])
    return logprobs_C, entropy_C


def _minus_p(p_RV: Tensor, targets_R: Tensor) -> Tensor:
    """The slopes of one row each, written over p."""
    return p_RV.neg_().scatter_add_(-1, targets_R[:, None], p_RV.new_ones(len(targets_R), 1))


def _slopes(slopes_KV: Tensor, part: slice, ctx: Any) -> Tensor:
    """Slopes of some tokens: those that were kept, and the others computed again."""
    if part.stop <= len(slopes_KV):
        return slopes_KV[part]
    hidden_ND, head_VD, targets_N = ctx.saved_tensors
    found_CV: Tensor = hidden_ND.new_empty(part.stop - part.start, len(head_VD))
    for inner in _parts(part.stop, ctx.chunk):
        if inner.stop <= part.start:
            continue
        place = slice(inner.start - part.start, inner.stop - part.start)
        if inner.stop <= len(slopes_KV):
            found_CV[place] = slopes_KV[inner]
        else:
            _log_softmax(_wide_logits(hidden_ND[inner], head_VD, ctx.temperature), targets_N[inner], found_CV[place])
    return found_CV


def _slopes_with_entropy(part: slice, ctx: Any, grad_logprobs_N: Tensor | None, grad_entropy_N: Tensor) -> Tensor:
    """Both outputs' slopes of some tokens, scaled by their gradients, in the number type of the hidden states."""
    hidden_ND, head_VD, targets_N = ctx.saved_tensors
    found_CV: Tensor = hidden_ND.new_empty(part.stop - part.start, len(head_VD))
    for inner in _parts(part.stop, ctx.chunk):
        if inner.stop <= part.start:
            continue
        logprobs_CV = _wide_logits(hidden_ND[inner], head_VD, ctx.temperature).log_softmax(-1)
        p_CV = logprobs_CV.exp()
        entropy_C1 = (p_CV * logprobs_CV).sum(-1, keepdim=True).neg_()
        slope_CV = logprobs_CV.add_(entropy_C1).mul_(p_CV).mul_(grad_entropy_N[inner, None].neg())
        if grad_logprobs_N is not None:
            slope_CV.addcmul_(_minus_p(p_CV, targets_N[inner]), grad_logprobs_N[inner, None])
        found_CV[inner.start - part.start : inner.stop - part.start] = slope_CV
    return found_CV


def linear_logprobs(
    hidden_ND: Tensor, head_VD: Tensor, targets_N: Tensor, temperature: float = 1.0, chunk: int = 0
) -> tuple[Tensor, Tensor]:
    """Return log pi(target) [N] and the entropy of the whole next-token distribution [N], in nats, differentiable.

    ``chunk`` tokens at a time (0: by device).
    """
    chunk = chunk or CHUNK_TOKENS.get(hidden_ND.device.type, 1024)
    most_kept = _by_device(KEPT_BYTES, hidden_ND) if torch.is_grad_enabled() else 0
    logprobs_N, entropy_N = _ChunkedHead.apply(hidden_ND, head_VD, targets_N, temperature, chunk, most_kept)  # type: ignore[no-untyped-call]
    return logprobs_N, entropy_N


def sliding_window(config: Any) -> int | None:
    """To how many positions, itself included, layers with a window attend; None if the model has no window."""
    window: int | None = getattr(config, "sliding_window", None)
    return window if getattr(config, "use_sliding_window", True) else None


def layer_kinds(config: Any) -> frozenset[str]:
    """The kinds of layers of a model, by transformers' names."""
    return frozenset(getattr(config, "layer_types", None) or ("full_attention",))


def masks_by_layer(config: Any, full: Tensor, windowed: Tensor) -> Tensor | dict[str, Tensor]:
    """Masks in the form that transformers' models take: one for each kind of layer, or a single one for a model of one
    kind.

    A model of two kinds would use a single mask for both without an error, and its layers with a window would attend to
    too much.
    """
    if layer_kinds(config) == {"full_attention"}:
        # Mistral has a window but does not name its kinds of layers
        return full if hasattr(config, "layer_types") else windowed
    return {"full_attention": full, "sliding_attention": windowed}


def _masks(config: Any, micro: MicroBatch) -> Tensor | dict[str, Tensor]:
    """The mask of the packed rows, and the same limited to the model's window. Distances are those of the plain
    sequences.
    """
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
