"""Computes log-probabilities of a batch in packed micro-batches of limited size, without keeping all logits.

A prompt is computed once for all samples that continue it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional


@dataclass(frozen=True)
class Piece:
    """One token sequence: ``tokens`` are predicted, ``prompt`` is only read."""

    prompt: Sequence[int]
    tokens: Sequence[int]


@dataclass(frozen=True)
class BatchRow:
    """One row of a batch as token ids: a prompt and what follows it. Samples of one group with the same prompt share
    it.

    A rollout has several sequences if its model calls do not continue each other; ``more`` holds the second and later
    ones. Their tokens follow one another on the row's T axis, so that a rollout is always one row.
    """

    group: int
    prompt: Sequence[int]
    tokens: Sequence[int]
    more: tuple[Piece, ...] = ()

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """All sequences, in the order of the T axis."""
        return (Piece(self.prompt, self.tokens), *self.more)

    @property
    def width(self) -> int:
        """Positions on the T axis."""
        return sum(len(piece.tokens) for piece in self.pieces)

    @property
    def size(self) -> int:
        """Tokens of all sequences with their prompts."""
        return sum(len(piece.prompt) + len(piece.tokens) for piece in self.pieces)


@dataclass(frozen=True)
class MicroBatch:
    """R packed rows of length L, and the positions at which the N completion tokens are predicted.

    A row is a prompt followed by several completions. Each completion attends to the prompt and to itself, and its
    positions continue those of the prompt. So every log-probability is the same as for the plain sequence.
    ``samples`` are indices into the whole batch; ``sample_N``/``token_N`` index [len(samples), width].
    """

    samples: tuple[int, ...]
    width: int
    input_ids_RL: Tensor
    position_ids_RL: Tensor
    attention_mask_R1LL: Tensor
    source_row_N: Tensor
    source_position_N: Tensor
    target_N: Tensor
    sample_N: Tensor
    token_N: Tensor


@dataclass(frozen=True)
class _Placed:
    """A sequence and its place in the batch: row ``sample``, from position ``offset``."""

    sample: int
    offset: int
    piece: Piece


@dataclass(frozen=True)
class _Row:
    """One packed row: sequences that share a prompt."""

    placed: tuple[_Placed, ...]
    length: int


def pack(
    samples: Sequence[BatchRow],
    *,
    max_tokens: int,
    max_row_tokens: int = 2048,
    width: int | None = None,
    device: torch.device,
) -> list[MicroBatch]:
    """Cut a batch into micro-batches of at most ``max_tokens`` padded tokens. A single sample may exceed that.

    ``max_row_tokens`` limits a row, because its attention mask is dense. ``width`` is T of the batch (default: its
    widest sample). Rows of similar length are put together. No sample is split, since sequence-level losses need it
    whole. A sample without tokens is in no micro-batch.
    """
    width = width or max(sample.width for sample in samples)
    units = sorted(_units(_rows(samples, max_row_tokens)), key=_longest)
    micro: list[MicroBatch] = []
    pending: list[_Row] = []
    for unit in units:
        if pending and _longest(unit) * (len(pending) + len(unit)) > max_tokens:
            micro.append(_build(pending, width, device))
            pending = []
        pending += unit
    if pending:
        micro.append(_build(pending, width, device))
    return micro


def empty_micro_batch(width: int, device: torch.device) -> MicroBatch:
    """A micro-batch in which one token is read and none is predicted. It has no rows and no loss, and its gradients are
    0.
    """
    one = torch.zeros(1, 1, dtype=torch.long, device=device)
    none = torch.zeros(0, dtype=torch.long, device=device)
    mask = torch.ones(1, 1, 1, 1, dtype=torch.bool, device=device)
    return MicroBatch((), width, one, one, mask, none, none, none, none, none)


def _longest(unit: Sequence[_Row]) -> int:
    return max(row.length for row in unit)


def _rows(samples: Sequence[BatchRow], max_row_tokens: int) -> list[_Row]:
    by_prompt: dict[tuple[int, tuple[int, ...]], list[_Placed]] = {}
    for index, sample in enumerate(samples):
        offset = 0
        for piece in sample.pieces:
            if piece.tokens:
                by_prompt.setdefault((sample.group, tuple(piece.prompt)), []).append(_Placed(index, offset, piece))
            offset += len(piece.tokens)
    rows = []
    for (_, prompt), members in by_prompt.items():
        current: list[_Placed] = []
        length = 0
        for member in members:
            extra = len(member.piece.tokens) - 1  # the last token is only a target, never an input
            if current and length + extra > max_row_tokens:
                rows.append(_Row(tuple(current), length))
                current = []
            length = length + extra if current else len(prompt) + extra
            current.append(member)
        rows.append(_Row(tuple(current), length))
    return rows


def _units(rows: Sequence[_Row]) -> list[list[_Row]]:
    """Groups of rows that must stay together, because they hold sequences of the same samples."""
    unit_of: dict[int, list[_Row]] = {}
    for row in rows:
        joined = [row]
        for unit in {id(unit_of[placed.sample]): unit_of[placed.sample] for placed in row.placed
                     if placed.sample in unit_of}.values():  # fmt: skip
            joined = [*unit, *joined]
        for member in joined:
            unit_of.update(dict.fromkeys((placed.sample for placed in member.placed), joined))
    return list({id(unit): unit for unit in unit_of.values()}.values())


def _build(rows: Sequence[_Row], width: int, device: torch.device) -> MicroBatch:
    length = _longest(rows)
    ids = torch.zeros(len(rows), length, dtype=torch.long)
    positions = torch.zeros(len(rows), length, dtype=torch.long)
    segment = torch.full((len(rows), length), -1, dtype=torch.long)  # 0 prompt, 1.. completions, -1 padding
    order: dict[int, int] = {}
    sources: list[Tensor] = []
    for number, row in enumerate(rows):
        prompt = row.placed[0].piece.prompt
        ids[number, : len(prompt)] = torch.tensor(prompt)
        positions[number, : len(prompt)] = torch.arange(len(prompt))
        segment[number, : len(prompt)] = 0
        start = len(prompt)
        for branch, placed in enumerate(row.placed, start=1):
            tokens = placed.piece.tokens
            fed = len(tokens) - 1
            ids[number, start : start + fed] = torch.tensor(tokens[:fed], dtype=torch.long)
            positions[number, start : start + fed] = torch.arange(len(prompt), len(prompt) + fed)
            segment[number, start : start + fed] = branch
            local = order.setdefault(placed.sample, len(order))
            places = torch.arange(len(tokens))
            source = torch.where(places == 0, len(prompt) - 1, start + places - 1)
            same = torch.ones_like(places)
            target = torch.tensor(tokens, dtype=torch.long)
            sources.append(torch.stack([same * number, source, target, same * local, placed.offset + places]))
            start += fed
    columns = torch.cat(sources, dim=1).to(device).unbind(0)
    return MicroBatch(
        tuple(order), width, ids.to(device), positions.to(device), _branch_mask(segment).to(device), *columns
    )


def _branch_mask(segment_RL: Tensor) -> Tensor:
    """The attention mask: causal, and only within the same completion or the prompt. Padding attends to itself, so that
    no softmax is empty.
    """
    length = segment_RL.shape[1]
    own = segment_RL[:, :, None] == segment_RL[:, None, :]
    prompt = (segment_RL == 0)[:, None, :] & (segment_RL > 0)[:, :, None]
    causal = torch.ones(length, length, dtype=torch.bool).tril()
    return ((own | prompt) & causal).unsqueeze(1)


# Through the model

CHUNK_TOKENS = {"cpu": 256, "cuda": 4096}
"""How many tokens' logits are computed at once: few on a CPU, so that they fit into its cache; many on a GPU."""


KEPT_BYTES = 128 * 2**20
"""Distributions up to this size are kept from the forward pass for the backward pass."""


class _ChunkedHead(torch.autograd.Function):
    """Linear head, log-softmax with temperature, gather, and entropy, for a chunk of tokens at a time.

    Softmax and sums are float32 (float64 in tests): a logit of 20 that is rounded to bfloat16 is wrong by up to 0.06.
    The forward pass keeps its result if that is small (``keeps``). Otherwise the backward pass computes each chunk
    again.
    """

    @staticmethod
    def forward(  # noqa: PLR0917 -- torch passes arguments by position
        ctx: Any, hidden_ND: Tensor, head_VD: Tensor, targets_N: Tensor, temperature: float, chunk: int, keeps: bool
    ) -> Any:
        wide = torch.promote_types(hidden_ND.dtype, torch.float32)
        wide_VD = head_VD.to(wide)  # once for all chunks
        logprobs_N = torch.empty(len(targets_N), dtype=wide, device=hidden_ND.device)
        entropy_N = torch.empty_like(logprobs_N)
        kept = []
        for start in range(0, len(targets_N), chunk):
            part = slice(start, start + chunk)
            logprobs_CV = _wide_logprobs(hidden_ND[part], wide_VD, temperature)
            logprobs_N[part] = logprobs_CV.gather(-1, targets_N[part, None])[:, 0]
            entropy_N[part] = -logprobs_CV.exp().mul_(logprobs_CV).sum(-1)
            if keeps:
                kept.append(logprobs_CV)
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(hidden_ND, head_VD, targets_N, entropy_N)
        ctx.temperature, ctx.chunk, ctx.wide = temperature, chunk, wide
        ctx.kept = kept
        return logprobs_N, entropy_N

    @staticmethod
    def backward(ctx: Any, grad_logprobs_N: Tensor | None, grad_entropy_N: Tensor | None) -> Any:
        """D log p[y] = onehot(y) - p and dH = -p (log p + H), both over the temperature."""
        if grad_logprobs_N is None and grad_entropy_N is None:
            return None, None, None, None, None, None
        hidden_ND, head_VD, targets_N, entropy_N = ctx.saved_tensors
        kept, ctx.kept = ctx.kept, []  # a second pass through the graph computes them again
        wide_VD = head_VD if kept else head_VD.to(ctx.wide)
        grad_hidden_ND = torch.empty_like(hidden_ND)
        # Several narrow products are summed in float32; a single one needs no conversion.
        is_single = 0 < len(targets_N) <= ctx.chunk and hidden_ND.dtype != ctx.wide
        grad_head_VD = head_VD if is_single else torch.zeros_like(head_VD, dtype=ctx.wide)
        for number, start in enumerate(range(0, len(targets_N), ctx.chunk)):
            part = slice(start, start + ctx.chunk)
            logprobs_CV = kept[number] if kept else _wide_logprobs(hidden_ND[part], wide_VD, ctx.temperature)
            if grad_entropy_N is None:  # the usual case: no entropy term in the loss
                slope_CV = logprobs_CV.exp_().mul_(_column(grad_logprobs_N, part).neg())
            else:
                slope_CV = logprobs_CV.exp()
                factor_CV = logprobs_CV.add_(entropy_N[part, None]).mul_(_column(grad_entropy_N, part))
                if grad_logprobs_N is not None:
                    factor_CV.add_(_column(grad_logprobs_N, part))
                slope_CV.mul_(factor_CV.neg_())
            if grad_logprobs_N is not None:
                slope_CV.scatter_add_(-1, targets_N[part, None], _column(grad_logprobs_N, part))
            narrow_CV = slope_CV.div_(ctx.temperature).to(hidden_ND.dtype)
            grad_hidden_ND[part] = narrow_CV @ head_VD
            if is_single:
                grad_head_VD = narrow_CV.T @ hidden_ND
            elif grad_head_VD.dtype == narrow_CV.dtype:
                grad_head_VD.addmm_(narrow_CV.T, hidden_ND[part])  # in place: no temporary tensor of the head's size
            else:
                grad_head_VD += narrow_CV.T @ hidden_ND[part]
        return grad_hidden_ND, grad_head_VD.to(head_VD.dtype), None, None, None, None


def _wide_logprobs(hidden_CD: Tensor, wide_VD: Tensor, temperature: float) -> Tensor:
    return functional.linear(hidden_CD.to(wide_VD.dtype), wide_VD).div_(temperature).log_softmax(-1)


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
    keeps = torch.is_grad_enabled() and len(targets_N) * len(head_VD) * 4 <= KEPT_BYTES
    logprobs_N, entropy_N = _ChunkedHead.apply(hidden_ND, head_VD, targets_N, temperature, chunk, keeps)  # type: ignore[no-untyped-call]
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
