"""One decode step on a GPU in a quarter of the kernels, for models whose layers are plain products."""

from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from trainer_bridge.rollout.decoding.forward import LlamaForward
from trainer_bridge.rollout.decoding.kv_cache import StaticCache


def _join(layers: list[nn.Linear]) -> tuple[Tensor, Tensor | None]:
    """Weight and bias of several layers with the same input, one under the other. The layers keep views of them.

    So there is one copy of each weight, and updates in place are seen on both sides.
    """
    weight = _one_above_the_other([layer.weight for layer in layers])
    biases: list[Tensor | None] = [layer.bias for layer in layers]
    given = [bias for bias in biases if bias is not None]
    return weight, _one_above_the_other(given) if given else None


def _one_above_the_other(parts: Sequence[Tensor]) -> Tensor:
    whole = torch.cat([part.data for part in parts])
    for part, view in zip(parts, whole.split([len(part) for part in parts]), strict=True):
        part.data = view
    return whole


class _Layer:
    """One layer's joined weights."""

    def __init__(self, layer: Any) -> None:
        attention, feed = layer.self_attn, layer.mlp
        self._sources = [attention.q_proj, attention.k_proj, attention.v_proj, feed.gate_proj, feed.up_proj]
        self.layer = layer
        self.join()

    def join(self) -> None:
        """Make the layers' weights views of joined ones, unless they are."""
        self.query_key_value, self.gate_up = _join(self._sources[:3]), _join(self._sources[3:])
        self._addresses = self._read()

    @property
    def is_joined(self) -> bool:
        """Whether the layers still have the views. Whoever replaces a parameter's storage ends that."""
        return self._read() == self._addresses

    def _read(self) -> list[int]:
        held = [tensor for layer in self._sources for tensor in (layer.weight, layer.bias) if tensor is not None]
        return [tensor.data_ptr() for tensor in held]


class FusedDecode:
    """Feeds one more token to each of the first slots. Reads no position of the cache that is not filled.

    The results are those of :class:`LlamaForward`, except where sums round differently.
    """

    def __init__(self, forward: LlamaForward) -> None:
        self._forward, self._inner = forward, forward.decoder
        rotary = self._inner.rotary_emb
        self._frequencies = rotary.inv_freq.float().contiguous()
        self._rope_scale = float(rotary.attention_scaling)
        self._layers = [_Layer(layer) for layer in self._inner.layers]

    @staticmethod
    def suits(forward: Any) -> bool:
        """Whether this model's decode step can be computed here: on a GPU with Triton, without adapters or shards."""
        if not isinstance(forward, LlamaForward) or forward.device.type != "cuda" or find_spec("triton") is None:
            return False
        return is_plain(forward)

    def has_moved(self) -> bool:
        """Whether any weight's storage was replaced. Then this object must not be used again before :meth:`join`."""
        return not all(layer.is_joined for layer in self._layers)

    def join(self) -> None:
        """Take the weights' present storage. A graph that was captured before reads the old one."""
        for layer in self._layers:
            if not layer.is_joined:
                layer.join()

    def __call__(self, tokens_S: Tensor, cache: StaticCache) -> Tensor:
        """logits_SV after each of ``tokens_S``, float32."""
        from trainer_bridge.rollout.decoding import triton_kernels  # noqa: PLC0415 -- only where there is a GPU

        forward, eps = self._forward, self._forward.eps
        hidden_SD, delta_SD = self._inner.embed_tokens(tokens_S), None
        for index, one in enumerate(self._layers):
            attention = one.layer.self_attn
            normed_SD = triton_kernels.add_norm(hidden_SD, delta_SD, one.layer.input_layernorm.weight, eps)
            norms = (attention.q_norm.weight, attention.k_norm.weight) if hasattr(attention, "q_norm") else None
            mixed_SN = triton_kernels.attend(
                functional.linear(normed_SD, *one.query_key_value),
                cache.keys[index],
                cache.values[index],
                cache.filled_S,
                self._frequencies if forward.rotates[index] else None,
                heads=forward.heads,
                rope_scale=self._rope_scale,
                softmax_scale=forward.head_dim**-0.5,
                norms=norms,
                eps=eps,
            )
            delta_SD = attention.o_proj(mixed_SN)
            normed_SD = triton_kernels.add_norm(hidden_SD, delta_SD, one.layer.post_attention_layernorm.weight, eps)
            delta_SD = one.layer.mlp.down_proj(triton_kernels.gated(functional.linear(normed_SD, *one.gate_up)))
        return forward.head.logits(triton_kernels.add_norm(hidden_SD, delta_SD, self._inner.norm.weight, eps))


def is_plain(forward: LlamaForward) -> bool:
    """Whether every product is one with a plain weight, and heads have a size that a kernel takes."""
    size = forward.head_dim
    layers = [
        module
        for layer in forward.decoder.layers
        for module in (
            layer.self_attn.q_proj, layer.self_attn.k_proj, layer.self_attn.v_proj, layer.self_attn.o_proj,
            layer.mlp.gate_proj, layer.mlp.up_proj, layer.mlp.down_proj,
        )
    ]  # fmt: skip
    plain = all(type(module) is nn.Linear and type(module.weight) is nn.Parameter for module in layers)
    # half a head is one side of a product, which takes 16 at least
    return plain and size >= 32 and size & (size - 1) == 0
