"""Norms and gates of a training step on a GPU: one kernel where torch launches five to nine. Needs Triton.

A small model's step is limited by reading and writing its states: of 0.48 s on an H200 (SmolLM2-135M's shape, 65,536
tokens) such operations took 0.2 s, and matrix products less than 0.1 s. The functions are those of
:class:`lean_layers.PlainLayers`, with the same arguments and results. Each kernel rounds to the states' number type
where the plain operations do; only sums differ in their order.
"""

# mypy: ignore-errors
# ruff: noqa: ANN001, ANN202, PLR0913, PLR0917

import torch
import triton
import triton.language as tl
from torch import Tensor

_BLOCK = 1024
_ROWS_A_PROGRAM = 16
"""Rows whose slopes of the weight are summed in one program: 512 numbers and more to add up later would cost as much as
the rows themselves.
"""


@triton.jit
def _norm(states, weight, out, scales, eps, width, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    columns = tl.arange(0, BLOCK)
    inside = columns < width
    kind = out.dtype.element_ty
    wide = tl.load(states + row * width + columns, inside, 0.0).to(tl.float32)
    scale = tl.rsqrt(tl.sum(wide * wide, 0) / width + eps)
    normed = (wide * scale).to(kind).to(tl.float32) * tl.load(weight + columns, inside, 0.0).to(tl.float32)
    tl.store(out + row * width + columns, normed.to(kind), inside)
    tl.store(scales + row, scale)


@triton.jit
def _norm_slopes(grad, states, weight, scales, slopes, parts, rows, width, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    program = tl.program_id(0).to(tl.int64)
    columns = tl.arange(0, BLOCK)
    inside = columns < width
    kind = slopes.dtype.element_ty
    factors = tl.load(weight + columns, inside, 0.0).to(tl.float32)
    total = tl.zeros([BLOCK], tl.float32)
    for row in range(program * ROWS, tl.minimum(program * ROWS + ROWS, rows)):
        place = row * width + columns
        scale = tl.load(scales + row)
        above = tl.load(grad + place, inside, 0.0).to(tl.float32)
        normed = tl.load(states + place, inside, 0.0).to(tl.float32) * scale
        total += (above * normed.to(kind).to(tl.float32)).to(kind).to(tl.float32)
        slope = (above * factors).to(kind).to(tl.float32)
        slope = (slope - normed * (tl.sum(slope * normed, 0) / width)) * scale
        tl.store(slopes + place, slope.to(kind), inside)
    tl.store(parts + program * width + columns, total, inside)


def norm(states: Tensor, weight_D: Tensor, eps: float) -> tuple[Tensor, Tensor]:
    """See :meth:`PlainLayers.norm`."""
    states, width = states.contiguous(), states.shape[-1]
    out, scale = torch.empty_like(states), states.new_empty((*states.shape[:-1], 1), dtype=torch.float32)
    if out.numel():
        _norm[(scale.numel(),)](states, weight_D, out, scale, eps, width, BLOCK=triton.next_power_of_2(width),
                                num_warps=_warps(width))  # fmt: skip
    return out, scale


def norm_slopes(grad: Tensor, states: Tensor, weight_D: Tensor, scale: Tensor) -> tuple[Tensor, Tensor]:
    """See :meth:`PlainLayers.norm_slopes`."""
    grad, states, width, rows = grad.contiguous(), states.contiguous(), states.shape[-1], scale.numel()
    programs = triton.cdiv(rows, _ROWS_A_PROGRAM)
    slopes, parts = torch.empty_like(states), states.new_empty((programs, width), dtype=torch.float32)
    if programs:
        _norm_slopes[(programs,)](grad, states, weight_D, scale, slopes, parts, rows, width, ROWS=_ROWS_A_PROGRAM,
                                  BLOCK=triton.next_power_of_2(width), num_warps=_warps(width))  # fmt: skip
    return slopes, parts.sum(0).to(weight_D.dtype)


def _warps(width: int) -> int:
    return max(1, min(8, triton.next_power_of_2(width) // 128))


@triton.jit
def _gate(gate, up, out, count, BLOCK: tl.constexpr):
    place = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = place < count
    kind = out.dtype.element_ty
    wide = tl.load(gate + place, inside, 0.0).to(tl.float32)
    opened = (wide * tl.sigmoid(wide)).to(kind).to(tl.float32)
    tl.store(out + place, (opened * tl.load(up + place, inside, 0.0).to(tl.float32)).to(kind), inside)


@triton.jit
def _gate_slopes(slope, gate, up, of_gate, of_up, product, count, WITH_PRODUCT: tl.constexpr, BLOCK: tl.constexpr):
    place = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = place < count
    kind = of_gate.dtype.element_ty
    above = tl.load(slope + place, inside, 0.0).to(tl.float32)
    wide = tl.load(gate + place, inside, 0.0).to(tl.float32)
    other = tl.load(up + place, inside, 0.0).to(tl.float32)
    share = tl.sigmoid(wide)
    opened = (wide * share).to(kind).to(tl.float32)
    through = (above * other).to(kind).to(tl.float32)
    tl.store(of_gate + place, (through * share * (1 + wide * (1 - share))).to(kind), inside)
    tl.store(of_up + place, (above * opened).to(kind), inside)
    if WITH_PRODUCT:
        tl.store(product + place, (opened * other).to(kind), inside)


def gate(gate: Tensor, up: Tensor) -> Tensor:
    """See :meth:`PlainLayers.gate`."""
    gate, up = gate.contiguous(), up.contiguous()
    out = torch.empty_like(gate)
    if out.numel():
        _gate[(triton.cdiv(out.numel(), _BLOCK),)](gate, up, out, out.numel(), BLOCK=_BLOCK)
    return out


def gate_slopes(slope: Tensor, gate: Tensor, up: Tensor, *, with_product: bool) -> tuple[Tensor, Tensor, Tensor | None]:
    """See :meth:`PlainLayers.gate_slopes`."""
    slope, gate, up = slope.contiguous(), gate.contiguous(), up.contiguous()
    of_gate, of_up = torch.empty_like(gate), torch.empty_like(up)
    product = torch.empty_like(gate) if with_product else None
    if gate.numel():
        _gate_slopes[(triton.cdiv(gate.numel(), _BLOCK),)](
            slope, gate, up, of_gate, of_up, of_gate if product is None else product, gate.numel(),
            WITH_PRODUCT=with_product, BLOCK=_BLOCK,
        )  # fmt: skip
    return of_gate, of_up, product
