"""Norms and gates that keep less for the backward pass: their inputs, and not what lies between input and output.

transformers writes a norm as six operations and a gated layer as three, and autograd keeps what each of them needs.
What is computed again here are products of single numbers, which are cheap; matrix products are never repeated.
"""

from collections.abc import Callable
from types import MethodType
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional


class _Norm(torch.autograd.Function):
    """RMSNorm: weight * (x / sqrt(mean(x^2) + eps)), in float32 up to the product with the weight."""

    @staticmethod
    def forward(ctx: Any, states: Tensor, weight: Tensor, eps: float) -> Tensor:
        wide = states.float()
        scale = torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + eps)
        ctx.save_for_backward(states, weight, scale)
        return weight * (wide * scale).to(states.dtype)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        """With n = s x and the output's gradient G: dW = sum(G n), dx = s (W G - n mean(n W G))."""
        states, weight, scale = ctx.saved_tensors
        normed = states.float().mul_(scale)
        grad_weight = (grad * normed.to(states.dtype)).flatten(0, -2).sum(0)
        slope = (grad * weight).float()
        slope.sub_(normed.mul_((slope * normed).mean(-1, keepdim=True))).mul_(scale)
        return slope.to(states.dtype), grad_weight, None


class _Gate(torch.autograd.Function):
    """(silu(gate) * up) W^T, with the output layer's weight W."""

    @staticmethod
    def forward(ctx: Any, gate: Tensor, up: Tensor, weight: Tensor) -> Tensor:
        ctx.save_for_backward(gate, up, weight)
        return functional.linear(functional.silu(gate).mul_(up), weight)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        gate, up, weight = ctx.saved_tensors
        opened = functional.silu(gate)
        slope = grad @ weight
        grad_gate, grad_up = torch.ops.aten.silu_backward(slope * up, gate), slope.mul_(opened)
        grad_weight = None
        if ctx.needs_input_grad[2]:
            grad_weight = grad.flatten(0, -2).T @ opened.mul_(up).flatten(0, -2)
        return grad_gate, grad_up, grad_weight


def _norm_forward(module: Any, hidden_states: Tensor) -> Tensor:
    found: Tensor = _Norm.apply(hidden_states, module.weight, module.variance_epsilon)  # type: ignore[no-untyped-call]
    return found


def _gate_forward(module: Any, x: Tensor) -> Tensor:
    gate, up, weight = module.gate_proj(x), module.up_proj(x), module.down_proj.weight
    found: Tensor = _Gate.apply(gate, up, weight)  # type: ignore[no-untyped-call]
    return found


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

    Each is tried on random numbers. So a norm that adds 1 to its weight, or another activation, stays as it is.
    """
    for module in model.modules():
        found = _lean_forward(module)
        if found is None:
            continue
        lean, width = found
        parameter = next(module.parameters())
        draw = torch.Generator().manual_seed(width)
        states = torch.randn(2, 3, width, generator=draw).to(parameter)
        if torch.equal(module(states), lean(module, states)):
            module.forward = MethodType(lean, module)
