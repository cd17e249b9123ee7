"""Kernels of one decode step on a GPU. Triton comes with torch's builds for GPUs; the functions here need it.

A small model's step is limited by how many kernels it launches, and a large batch's by how often it reads keys, values
and logits. So here attention rotates, stores and reads in one kernel and reads no position that is not filled, and a
token is drawn in one pass over its logits. Each kernel rounds to the model's number type where the plain operations
of :mod:`forward` do. The axis suffixes are those of the callers: S slots, D numbers of a state, V words.
"""

# mypy: ignore-errors
# ruff: noqa: ANN001, ANN202, PLR0913, PLR0917, PLR0915

import torch
import triton
import triton.language as tl
from torch import Tensor


@triton.jit
def _add_norm(hidden, delta, weight, normed, eps, width, HAS_DELTA: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    columns = tl.arange(0, BLOCK)
    inside = columns < width
    kind = hidden.dtype.element_ty
    states = tl.load(hidden + row * width + columns, inside, 0.0).to(tl.float32)
    if HAS_DELTA:
        more = tl.load(delta + row * width + columns, inside, 0.0).to(tl.float32)
        states = (states + more).to(kind).to(tl.float32)
        tl.store(hidden + row * width + columns, states.to(kind), inside)
    scale = tl.rsqrt(tl.sum(states * states, 0) / width + eps)
    scaled = (states * scale).to(kind).to(tl.float32) * tl.load(weight + columns, inside, 0.0).to(tl.float32)
    tl.store(normed + row * width + columns, scaled.to(kind), inside)


def add_norm(hidden_SD: Tensor, delta_SD: Tensor | None, weight_D: Tensor, eps: float) -> Tensor:
    """Add ``delta_SD`` to ``hidden_SD`` in place, and return weight * RMSNorm of the sum."""
    rows, width = hidden_SD.shape
    normed_SD = torch.empty_like(hidden_SD)
    _add_norm[(rows,)](
        hidden_SD, hidden_SD if delta_SD is None else delta_SD, weight_D, normed_SD, eps, width,
        HAS_DELTA=delta_SD is not None, BLOCK=triton.next_power_of_2(width),
    )  # fmt: skip
    return normed_SD


@triton.jit
def _gate(gate_up, out, width, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    columns = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside = columns < width
    kind = out.dtype.element_ty
    gate = tl.load(gate_up + row * 2 * width + columns, inside, 0.0).to(tl.float32)
    up = tl.load(gate_up + row * 2 * width + width + columns, inside, 0.0).to(tl.float32)
    opened = (gate / (1 + tl.exp(-gate))).to(kind).to(tl.float32)
    tl.store(out + row * width + columns, (opened * up).to(kind), inside)


def gated(gate_up_SF: Tensor) -> Tensor:
    """silu(gate) * up, of gate and up side by side."""
    rows, both = gate_up_SF.shape
    out = gate_up_SF.new_empty(rows, both // 2)
    _gate[(rows, triton.cdiv(both // 2, 1024))](gate_up_SF, out, both // 2, BLOCK=1024)
    return out


@triton.jit
def _rotated(first, second, cosines, sines, kind: tl.constexpr):
    """Both halves of rotated states, rounded after each operation as torch does."""
    one = (first * cosines).to(kind).to(tl.float32) - (second * sines).to(kind).to(tl.float32)
    two = (second * cosines).to(kind).to(tl.float32) + (first * sines).to(kind).to(tl.float32)
    return one.to(kind), two.to(kind)


@triton.jit
def _half_norms(first, second, weight, half_columns, eps, HALF: tl.constexpr, kind: tl.constexpr):
    """RMSNorm over each head's two halves [rows, HALF]."""
    scale = tl.rsqrt((tl.sum(first * first, 1) + tl.sum(second * second, 1)) / (2 * HALF) + eps)[:, None]
    low = tl.load(weight + half_columns).to(tl.float32)[None, :]
    high = tl.load(weight + HALF + half_columns).to(tl.float32)[None, :]
    one = (first * scale).to(kind).to(tl.float32) * low
    two = (second * scale).to(kind).to(tl.float32) * high
    return one.to(kind).to(tl.float32), two.to(kind).to(tl.float32)


@triton.jit
def _attend(
    qkv, keys, values, filled, frequencies, out, query_norm, key_norm,
    softmax_scale, rope_scale, eps, length, slot_stride, head_stride,
    HEADS: tl.constexpr, KV: tl.constexpr, GROUP: tl.constexpr, ROWS: tl.constexpr, HALF: tl.constexpr,
    BLOCK: tl.constexpr, ROTATES: tl.constexpr, NORMS: tl.constexpr,
):  # fmt: skip
    slot, head = tl.program_id(0).to(tl.int64), tl.program_id(1)
    kind = out.dtype.element_ty
    position = tl.minimum(tl.load(filled + slot), length - 1).to(tl.int32)
    half, whole, row = tl.arange(0, HALF), tl.arange(0, 2 * HALF), tl.arange(0, ROWS)
    mine = qkv + slot * (HEADS + 2 * KV) * 2 * HALF
    queries = mine + (head * GROUP + row)[:, None] * 2 * HALF
    real = (row < GROUP)[:, None]
    first = tl.load(queries + half[None, :], real, 0.0).to(tl.float32)
    second = tl.load(queries + HALF + half[None, :], real, 0.0).to(tl.float32)
    key = mine + (HEADS + head) * 2 * HALF + tl.zeros([1], tl.int32)[:, None]
    key_first = tl.load(key + half[None, :]).to(tl.float32)
    key_second = tl.load(key + HALF + half[None, :]).to(tl.float32)
    if NORMS:
        first, second = _half_norms(first, second, query_norm, half, eps, HALF, kind)
        key_first, key_second = _half_norms(key_first, key_second, key_norm, half, eps, HALF, kind)
    if ROTATES:
        angles = position.to(tl.float32) * tl.load(frequencies + half)
        cosines = (tl.cos(angles) * rope_scale).to(kind).to(tl.float32)[None, :]
        sines = (tl.sin(angles) * rope_scale).to(kind).to(tl.float32)[None, :]
        first, second = _rotated(first, second, cosines, sines, kind)
        key_first, key_second = _rotated(key_first, key_second, cosines, sines, kind)
    first, second, key_first, key_second = first.to(kind), second.to(kind), key_first.to(kind), key_second.to(kind)
    value = tl.load(mine + (HEADS + KV + head) * 2 * HALF + whole)
    place = slot * slot_stride + head * head_stride
    own = keys + place + position * 2 * HALF + tl.zeros([1], tl.int32)[:, None]
    tl.store(own + half[None, :], key_first)
    tl.store(own + HALF + half[None, :], key_second)
    tl.store(values + place + position * 2 * HALF + whole, value)

    # The new token's own pair begins the running softmax; then come the filled positions, block by block.
    own_score = tl.sum(first.to(tl.float32) * key_first.to(tl.float32), 1)
    own_score += tl.sum(second.to(tl.float32) * key_second.to(tl.float32), 1)
    # Both halves of a query become one row by way of the place of its result: then a key is read in one piece.
    target = out + slot * HEADS * 2 * HALF + (head * GROUP + row)[:, None] * 2 * HALF
    tl.store(target + half[None, :], first, real)
    tl.store(target + HALF + half[None, :], second, real)
    tl.debug_barrier()
    query = tl.load(target + whole[None, :], real, 0.0)
    highest = own_score * softmax_scale
    total = tl.full([ROWS], 1.0, tl.float32)
    mixed = tl.zeros([ROWS, 2 * HALF], tl.float32) + value.to(tl.float32)[None, :]
    for start in range(0, position, BLOCK):
        columns = start + tl.arange(0, BLOCK)
        inside = columns < position
        old = tl.load(keys + place + columns[:, None] * 2 * HALF + whole[None, :], inside[:, None], 0.0)
        scores = tl.dot(query, tl.trans(old), input_precision="ieee")
        scores = tl.where(inside[None, :], scores * softmax_scale, float("-inf"))
        higher = tl.maximum(highest, tl.max(scores, 1))
        weights = tl.exp(scores - higher[:, None])
        shrink = tl.exp(highest - higher)
        total = total * shrink + tl.sum(weights, 1)
        seen = tl.load(values + place + columns[:, None] * 2 * HALF + whole[None, :], inside[:, None], 0.0)
        mixed = mixed * shrink[:, None] + tl.dot(weights.to(kind), seen, input_precision="ieee")
        highest = higher
    tl.store(target + whole[None, :], (mixed / total[:, None]).to(kind), real)


ATTEND = {"BLOCK": 64, "num_warps": 4, "num_stages": 2}
"""Positions that a block of attention reads at once, and how the kernel is compiled."""


def attend(
    qkv_SN: Tensor, keys: Tensor, values: Tensor, filled_S: Tensor, frequencies: Tensor | None, *,
    heads: int, rope_scale: float, softmax_scale: float, norms: tuple[Tensor, Tensor] | None, eps: float,
) -> Tensor:  # fmt: skip
    """Attention of one new token for each slot: [S, heads x head_dim].

    Args:
        qkv_SN: query, key and value heads side by side, neither normed nor rotated.
        keys: one layer's cache [slots, KV, length, head_dim]; the new key is written behind what is filled.
        values: likewise.
        filled_S: positions in use.
        frequencies: of the rotary embedding [head_dim / 2], float32; None: no rotation.
        heads: of queries.
        rope_scale: factor of cosines and sines.
        softmax_scale: factor of scores.
        norms: weights of query's and key's norm (Qwen3).
        eps: of these norms.

    """
    slots, (_, kv, length, size) = len(qkv_SN), keys.shape
    out = qkv_SN.new_empty(slots, heads * size)
    none = qkv_SN
    query_norm, key_norm = norms or (none, none)
    _attend[(slots, kv)](
        qkv_SN, keys, values, filled_S, none if frequencies is None else frequencies, out, query_norm, key_norm,
        softmax_scale, rope_scale, eps, length, keys.stride(0), keys.stride(1),
        HEADS=heads, KV=kv, GROUP=heads // kv, ROWS=max(16, triton.next_power_of_2(heads // kv)), HALF=size // 2,
        ROTATES=frequencies is not None, NORMS=norms is not None, **ATTEND,
    )  # fmt: skip
    return out


@triton.jit
def _draw(
    logits, temperature, uniforms, tokens, logprobs, written, limits, ended, current, eos,
    words, room, EOS: tl.constexpr, BLOCK: tl.constexpr, BLOCKS: tl.constexpr,
):  # fmt: skip
    row = tl.program_id(0).to(tl.int64)
    warmth = tl.load(temperature + row)
    is_greedy = warmth == 0
    divisor = tl.where(is_greedy, 1.0, warmth)
    mine = logits + row * words
    lanes = tl.arange(0, BLOCK)
    best = tl.full([BLOCK], float("-inf"), tl.float32)
    where = tl.zeros([BLOCK], tl.int32)
    numbers = tl.arange(0, BLOCKS)
    sums = tl.zeros([BLOCKS], tl.float32)
    peaks = tl.full([BLOCKS], float("-inf"), tl.float32)
    # Each block's weights are first to its own likeliest word, so that the row is read once.
    for start in range(0, words, BLOCK):
        columns = start + lanes
        found = tl.load(mine + columns, columns < words, float("-inf"))
        where = tl.where(found > best, columns, where)
        best = tl.maximum(best, found)
        peak = tl.max(found, 0) / divisor
        inside = tl.where(found == float("-inf"), 0.0, tl.exp(found / divisor - peak))
        sums = tl.where(numbers == start // BLOCK, tl.sum(inside, 0), sums)
        peaks = tl.where(numbers == start // BLOCK, peak, peaks)
    likeliest, at = tl.max(best, 0), tl.argmax(best, 0)
    highest = likeliest / divisor
    greedy = tl.sum(tl.where(lanes == at, where, 0), 0)
    ends = tl.cumsum((sums * tl.exp(peaks - highest)).to(tl.float64), 0)
    whole = tl.sum(tl.where(numbers == BLOCKS - 1, ends, 0.0), 0)
    place = tl.load(written + row)
    column = tl.minimum(place, room - 1)
    target = tl.load(uniforms + row * room + column) * whole
    block = tl.minimum(tl.sum((ends <= target).to(tl.int32), 0), (words - 1) // BLOCK)
    before = tl.sum(tl.where(numbers == block - 1, ends, 0.0), 0)
    columns = block * BLOCK + lanes
    weights = tl.exp(tl.load(mine + columns, columns < words, float("-inf")) / divisor - highest)
    inside = tl.cumsum(weights.to(tl.float64), 0)
    last = tl.sum(tl.where(lanes == BLOCK - 1, inside, 0.0), 0)
    rest = tl.minimum(target - before, last * (1 - 1.1102230246251565e-16))
    token = tl.where(is_greedy, greedy, block * BLOCK + tl.sum((inside <= rest).to(tl.int32), 0))
    logprob = tl.load(mine + token) / divisor - highest - tl.log(whole).to(tl.float32)
    tl.store(tokens + row * room + column, token.to(tl.int64))
    tl.store(logprobs + row * room + column, logprob)
    tl.store(current + row, token.to(tl.int64))
    was_ended = tl.load(ended + row) != 0
    count = place + tl.where(was_ended, 0, 1)
    is_end = count >= tl.load(limits + row)
    for number in tl.static_range(EOS):
        is_end = is_end | (token == tl.load(eos + number))
    tl.store(written + row, count)
    tl.store(ended + row, (was_ended | is_end).to(tl.int8))


def draw(
    logits_SV: Tensor, temperature_S: Tensor, uniforms_SL: Tensor, tokens_SL: Tensor, logprobs_SL: Tensor,
    written_S: Tensor, limit_S: Tensor, ended_S: Tensor, current_S: Tensor, eos_E: Tensor,
) -> None:  # fmt: skip
    """Draw a token for each row, and store it as :meth:`Engine._draw` does. No filters.

    ``logits_SV`` are float32. The token is the one of :func:`sampling.sample`, except where sums round differently.
    """
    rows, words = logits_SV.shape
    block = 1024 if words <= 1 << 16 else 2048
    _draw[(rows,)](
        logits_SV, temperature_S, uniforms_SL, tokens_SL, logprobs_SL, written_S, limit_S, ended_S.view(torch.int8),
        current_S, eos_E, words, tokens_SL.shape[1], EOS=len(eos_E), BLOCK=block,
        BLOCKS=triton.next_power_of_2(triton.cdiv(words, block)), num_warps=8,
    )  # fmt: skip
