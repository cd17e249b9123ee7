"""Norms and gates that keep less for the backward pass: their inputs, and not what lies between input and output.

transformers writes a norm as six operations and a gated layer as three, and autograd keeps what each of them needs.
What is computed again here are products of single numbers, which are cheap; matrix products are never repeated.
"""

import warnings
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from types import MethodType
from typing import Any, Protocol

import torch
from torch import Tensor, nn
from torch.nn import functional


class Layers(Protocol):
    """How norms and gates are computed: by torch's operations, or by one kernel each."""

    def norm(self, states: Tensor, weight_D: Tensor, eps: float) -> tuple[Tensor, Tensor]:
        """(weight * states / RMS, 1 / RMS in float32 with a last axis of 1)."""
        ...

    def norm_slopes(self, grad: Tensor, states: Tensor, weight_D: Tensor, scale: Tensor) -> tuple[Tensor, Tensor]:
        """(slope by the states, slope by the weight)."""
        ...

    def gate(self, gate: Tensor, up: Tensor) -> Tensor:
        """silu(gate) * up."""
        ...

    def gate_slopes(
        self, slope: Tensor, gate: Tensor, up: Tensor, *, with_product: bool
    ) -> tuple[Tensor, Tensor, Tensor | None]:
        """(slope by the gate, slope by ``up``, silu(gate) * up again if asked for). ``slope`` may be written to."""
        ...


class PlainLayers:
    """By torch's operations, on any device."""

    def norm(self, states: Tensor, weight_D: Tensor, eps: float) -> tuple[Tensor, Tensor]:
        """In float32 up to the product with the weight."""
        wide = states.float()
        scale = torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + eps)
        return weight_D * (wide * scale).to(states.dtype), scale

    def norm_slopes(self, grad: Tensor, states: Tensor, weight_D: Tensor, scale: Tensor) -> tuple[Tensor, Tensor]:
        """With n = s x and the output's gradient G: dW = sum(G n), dx = s (W G - n mean(n W G))."""
        wide = states.float()
        normed = wide * scale if wide is states else wide.mul_(scale)  # float32 states are others' too
        grad_weight = (grad * normed.to(states.dtype)).flatten(0, -2).sum(0)
        slope = (grad * weight_D).float()
        slope.sub_(normed.mul_((slope * normed).mean(-1, keepdim=True))).mul_(scale)
        return slope.to(states.dtype), grad_weight

    def gate(self, gate: Tensor, up: Tensor) -> Tensor:
        """See :meth:`Layers.gate`."""
        return functional.silu(gate).mul_(up)

    def gate_slopes(
        self, slope: Tensor, gate: Tensor, up: Tensor, *, with_product: bool
    ) -> tuple[Tensor, Tensor, Tensor | None]:
        """See :meth:`Layers.gate_slopes`."""
        opened = functional.silu(gate)
        of_gate, of_up = torch.ops.aten.silu_backward(slope * up, gate), slope.mul_(opened)
        return of_gate, of_up, opened.mul_(up) if with_product else None


PLAIN = PlainLayers()
_TOLERANCES = {torch.bfloat16: 1e-2, torch.float16: 2e-3, torch.float32: 1e-5}
"""How far a kernel's results may be from the plain ones, by their norms: a few roundings. Others have no kernel."""
_TRIED_ROWS = 40  # more than one program's share


class _Norm(torch.autograd.Function):
    """RMSNorm: weight * (x / sqrt(mean(x^2) + eps)), in float32 up to the product with the weight."""

    @staticmethod
    def forward(ctx: Any, states: Tensor, weight: Tensor, eps: float, layers: Layers) -> Tensor:
        normed, scale = layers.norm(states, weight, eps)
        ctx.save_for_backward(states, weight, scale)
        ctx.layers = layers
        return normed

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        """Slopes by states and weight."""
        return *ctx.layers.norm_slopes(grad, *ctx.saved_tensors), None, None


class _Gate(torch.autograd.Function):
    """(silu(gate) * up) W^T, with the output layer's weight W."""

    @staticmethod
    def forward(ctx: Any, gate: Tensor, up: Tensor, weight: Tensor, layers: Layers) -> Tensor:
        ctx.save_for_backward(gate, up, weight)
        ctx.layers = layers
        return functional.linear(layers.gate(gate, up), weight)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        gate, up, weight = ctx.saved_tensors
        found = ctx.layers.gate_slopes(grad @ weight, gate, up, with_product=ctx.needs_input_grad[2])
        grad_gate, grad_up, product = found
        grad_weight = None if product is None else grad.flatten(0, -2).T @ product.flatten(0, -2)
        return grad_gate, grad_up, grad_weight, None


def _norm_forward(module: Any, hidden_states: Tensor, layers: Layers = PLAIN) -> Tensor:
    found: Tensor = _Norm.apply(hidden_states, module.weight, module.variance_epsilon, layers)  # type: ignore[no-untyped-call]
    return found


def _gate_forward(module: Any, x: Tensor, layers: Layers = PLAIN) -> Tensor:
    gate, up, weight = module.gate_proj(x), module.up_proj(x), module.down_proj.weight
    found: Tensor = _Gate.apply(gate, up, weight, layers)  # type: ignore[no-untyped-call]
    return found


def _norm_by_kernels(module: Any, hidden_states: Tensor) -> Tensor:
    return _norm_forward(module, hidden_states, _kernels())


def _gate_by_kernels(module: Any, x: Tensor) -> Tensor:
    return _gate_forward(module, x, _kernels())


_BY_KERNELS: dict[Callable[..., Tensor], Callable[..., Tensor]] = {
    _norm_forward: _norm_by_kernels,
    _gate_forward: _gate_by_kernels,
}


def _kernels() -> Layers:
    found: Any = import_module("trainer_bridge.learn.layer_kernels")  # Triton is where there is a GPU
    return found  # type: ignore[no-any-return]


def _is_plain(layer: Any) -> bool:
    """Whether ``layer`` is a product with its weight: no bias, and no adapters beside it."""
    return type(layer) is nn.Linear and layer.bias is None


def _lean_forward(module: nn.Module) -> tuple[Callable[..., Tensor], int] | None:
    """The forward pass that may stand in for ``module``'s own, and the width of its input."""
    if isinstance(getattr(module, "variance_epsilon", None), float) and isinstance(module.weight, nn.Parameter):
        return _norm_forward, len(module.weight)
    if set(dict(module.named_children())) == {"gate_proj", "up_proj", "down_proj", "act_fn"} and _is_plain(
        module.down_proj
    ):
        return _gate_forward, int(module.gate_proj.in_features)  # type: ignore[union-attr, arg-type]
    return None


@torch.no_grad()
def use_lean_layers(model: nn.Module) -> None:
    """Let norms and gates of ``model`` be computed here, where that gives their own outputs to the bit.

    Each is tried on random numbers. So a norm that adds 1 to its weight, or another activation, stays as it is. On a
    GPU with Triton the kernels compute it, where they in turn give the same numbers up to rounding.
    """
    tried: dict[Any, bool] = {}
    for module in model.modules():
        found = _lean_forward(module)
        if found is None:
            continue
        lean, width = found
        parameter = next(module.parameters())
        draw = torch.Generator().manual_seed(width)
        states = torch.randn(2, 3, width, generator=draw).to(parameter)
        if not torch.equal(module(states), lean(module, states)):
            continue
        key = (lean, width, parameter.dtype, parameter.device)
        if key not in tried:
            tried[key] = _kernels_agree(width, parameter)
        module.forward = MethodType(_BY_KERNELS[lean] if tried[key] else lean, module)


def _kernels_agree(width: int, like: Tensor) -> bool:
    """Whether the kernels can be used for states of this width, number type and device. Warns where they fail."""
    if like.device.type != "cuda" or like.dtype not in _TOLERANCES or find_spec("triton") is None:
        return False
    try:
        if are_as_plain(_kernels(), width, like):
            return True
        why = "their numbers differ from the plain ones"
    except Exception as error:  # noqa: BLE001 -- Triton and its C compiler raise what they like
        why = str(error)
    warnings.warn(f"norms and gates are computed without kernels of our own: {why}", RuntimeWarning, stacklevel=3)
    return False


def are_as_plain(layers: Layers, width: int, like: Tensor) -> bool:
    """Whether ``layers`` give what :class:`PlainLayers` do on random states of this width, but for rounding."""
    most = _TOLERANCES[like.dtype]
    pairs = zip(_tried(layers, width, like), _tried(PLAIN, width, like), strict=True)
    return all(bool((one.float() - two.float()).norm() <= most * two.float().norm()) for one, two in pairs)


def _tried(layers: Layers, width: int, like: Tensor) -> list[Tensor]:
    """All results on random states, the same at each call."""
    draw = torch.Generator().manual_seed(width)
    states, grad, other, weight = (torch.randn(_TRIED_ROWS, width, generator=draw).to(like) for _ in range(4))
    normed, scale = layers.norm(states, weight[0], 1e-6)
    slopes = layers.norm_slopes(grad, states, weight[0], scale)
    gated = layers.gate(states, other)
    of_gate, of_up, product = layers.gate_slopes(grad.clone(), states, other, with_product=True)
    assert product is not None
    return [normed, scale, *slopes, gated, of_gate, of_up, product]
