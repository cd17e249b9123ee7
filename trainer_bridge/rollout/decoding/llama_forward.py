"""The Llama-family forward pass over a static cache, on the very weights that are being trained."""

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from trainer_bridge.rollout.decoding.forward import float32_logits, new_positions, visible
from trainer_bridge.rollout.decoding.static_cache import CacheShape, StaticCache

SUPPORTED = ("llama", "qwen2", "qwen3", "mistral", "smollm3")
"""``model_type`` of the transformers configurations whose layers are exactly what is computed here."""

_FIXED_ROPES = ("default", "linear", "llama3")
"""Rotary embeddings whose frequencies do not depend on the length of the sequence."""


def is_supported(config: Any) -> bool:
    """Whether a model of this configuration can be decoded here (else: transformers' own modules).

    Everything that changes the arithmetic is asked for: the activation, the rotary embedding, windows of attention.
    """
    rope = getattr(config, "rope_parameters", None) or {}
    windows = "sliding_attention" in (getattr(config, "layer_types", None) or ())
    return (
        config.model_type in SUPPORTED
        and config.hidden_act == "silu"
        and rope.get("rope_type", "default") in _FIXED_ROPES
        and rope.get("partial_rotary_factor", 1.0) == 1.0
        and not windows
        and not (getattr(config, "sliding_window", None) and getattr(config, "use_sliding_window", True))
    )


class LlamaForward:
    """Holds references, so the trainer's in-place updates are seen at once. See :class:`~.forward.Forward`."""

    def __init__(self, model: nn.Module) -> None:
        config: Any = model.config
        self._inner: Any = model.get_decoder()  # type: ignore[operator]
        self._head: Tensor = model.get_output_embeddings().weight  # type: ignore[operator]
        self._eps: float = config.rms_norm_eps
        self._layers: int = config.num_hidden_layers
        self.heads: int = config.num_attention_heads
        self.kv_heads: int = config.num_key_value_heads or self.heads
        self.head_dim: int = getattr(config, "head_dim", None) or config.hidden_size // self.heads
        ropes = getattr(config, "no_rope_layers", None) or [1] * self._layers  # SmolLM3 leaves out every fourth
        self._rotates = [bool(rope) for rope in ropes]

    @property
    def dtype(self) -> torch.dtype:
        """The number type of weights and cache."""
        return self._head.dtype

    @property
    def device(self) -> torch.device:
        """Where weights and cache lie."""
        return self._head.device

    def cache_shape(self, slots: int, length: int) -> CacheShape:
        """The cache that this model needs."""
        return CacheShape(self._layers, slots, self.kv_heads, length, self.head_dim)

    def extend(self, tokens_ST: Tensor, last_S: Tensor, cache: StaticCache, slots: slice, window: int) -> Tensor:
        """See :meth:`Forward.extend`."""
        rows, width = tokens_ST.shape
        positions_ST = new_positions(cache, slots, width)
        # One query axis holds all heads that share keys, so nothing is repeated: [S, KV, G x T, D].
        mask = visible(positions_ST, window).repeat(1, 1, self.heads // self.kv_heads, 1)
        rotation = self._rotation(positions_ST)
        hidden = self._inner.embed_tokens(tokens_ST)
        for index, layer in enumerate(self._inner.layers):
            query, key, value = self._project(layer, hidden, rotation if self._rotates[index] else None)
            cache.write(index, slots, positions_ST, key, value)
            keys, values = cache.keys[index, slots, :, :window], cache.values[index, slots, :, :window]
            folded = query.reshape(rows, self.kv_heads, -1, self.head_dim)
            mixed = functional.scaled_dot_product_attention(folded, keys, values, attn_mask=mask)
            hidden = self._finish(layer, hidden, mixed.view(rows, self.heads, width, self.head_dim))
        last = hidden[torch.arange(rows, device=hidden.device), last_S]
        return float32_logits(self._norm(last, self._inner.norm.weight), self._head)

    def _rotation(self, positions_ST: Tensor) -> tuple[Tensor, Tensor]:
        """Cosines and sines [S, 1, T, head_dim] of the model's own rotary frequencies, which the learner uses too."""
        rotary = self._inner.rotary_emb
        angles = positions_ST[:, None, :, None].float() * rotary.inv_freq.float()
        angles = torch.cat((angles, angles), dim=-1)
        scale = rotary.attention_scaling
        return (angles.cos() * scale).to(self.dtype), (angles.sin() * scale).to(self.dtype)

    def _project(
        self, layer: Any, hidden: Tensor, rotation: tuple[Tensor, Tensor] | None
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Query [S, H, T, D], key and value [S, KV, T, D], rotated."""
        attention = layer.self_attn
        normed = self._norm(hidden, layer.input_layernorm.weight)
        shape = (*hidden.shape[:2], -1, self.head_dim)
        query, key = attention.q_proj(normed).view(shape), attention.k_proj(normed).view(shape)
        if hasattr(attention, "q_norm"):  # qwen3 norms every head
            query = self._norm(query, attention.q_norm.weight)
            key = self._norm(key, attention.k_norm.weight)
        query, key = query.transpose(1, 2), key.transpose(1, 2)
        value = attention.v_proj(normed).view(shape).transpose(1, 2)
        if rotation is None:
            return query, key, value
        return _rotate(query, rotation), _rotate(key, rotation), value

    def _finish(self, layer: Any, hidden: Tensor, mixed: Tensor) -> Tensor:
        """Output projection, residual, feed-forward."""
        hidden = hidden + layer.self_attn.o_proj(mixed.transpose(1, 2).flatten(2))
        normed = self._norm(hidden, layer.post_attention_layernorm.weight)
        gate = functional.silu(layer.mlp.gate_proj(normed))
        fed: Tensor = layer.mlp.down_proj(gate * layer.mlp.up_proj(normed))
        return hidden + fed

    def _norm(self, hidden: Tensor, weight: Tensor) -> Tensor:
        return functional.rms_norm(hidden.float(), (hidden.shape[-1],), None, self._eps).to(hidden.dtype) * weight


def _rotate(states: Tensor, rotation: tuple[Tensor, Tensor]) -> Tensor:
    """Rotary position embedding of ``states`` [S, heads, T, D]."""
    cosines, sines = rotation
    first, second = states.chunk(2, dim=-1)
    return states * cosines + torch.cat((-second, first), dim=-1) * sines
