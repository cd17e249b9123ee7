"""The Llama-family forward pass over a static cache, on the very weights that are being trained."""

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from trainer_bridge.decoding.static_cache import StaticCache

SUPPORTED = ("llama", "qwen2", "qwen3", "mistral")
"""``model_type`` of the transformers configurations whose layers are exactly what is computed here."""


@dataclass(frozen=True)
class Prefilled:
    """Keys and values [layers, kv_heads, prompt, head_dim] of one prompt, and the logits [V] after it."""

    keys: Tensor
    values: Tensor
    logits: Tensor


def is_supported(config: Any) -> bool:
    """Whether a model of this configuration can be decoded here (else: transformers' own generate)."""
    rope = getattr(config, "rope_parameters", None) or {}
    plain = rope.get("rope_type", "default") == "default" and rope.get("partial_rotary_factor", 1.0) == 1.0
    return config.model_type in SUPPORTED and plain and not getattr(config, "sliding_window", None)


class LlamaForward:
    """Forward passes without autograd. Holds references, so the trainer's in-place updates are seen at once."""

    def __init__(self, model: nn.Module) -> None:
        config: Any = model.config
        inner: Any = model.model
        self._inner = inner
        self._head: Tensor = model.get_output_embeddings().weight  # type: ignore[operator]
        self._eps: float = config.rms_norm_eps
        self.heads: int = config.num_attention_heads
        self.kv_heads: int = config.num_key_value_heads or self.heads
        self.head_dim: int = getattr(config, "head_dim", None) or config.hidden_size // self.heads
        self.layers: int = config.num_hidden_layers
        theta = config.rope_parameters["rope_theta"]
        exponents = torch.arange(0, self.head_dim, 2, dtype=torch.float32, device=self._head.device) / self.head_dim
        self._frequencies = 1.0 / theta**exponents

    @property
    def dtype(self) -> torch.dtype:
        """The number type of weights and cache."""
        return self._head.dtype

    @property
    def device(self) -> torch.device:
        """Where weights and cache lie."""
        return self._head.device

    def prefill(self, prompt: Tensor) -> Prefilled:
        """Run one prompt [T] and return its keys, values and the logits after its last token."""
        length = prompt.shape[0]
        rotation = self._rotation(torch.arange(length, device=prompt.device).unsqueeze(0))
        hidden = self._inner.embed_tokens(prompt.unsqueeze(0))
        keys, values = [], []
        for layer in self._inner.layers:
            query, key, value = self._project(layer, hidden, rotation)
            keys.append(key[0])
            values.append(value[0])
            mixed = functional.scaled_dot_product_attention(
                query, key, value, is_causal=True, enable_gqa=self.kv_heads != self.heads
            )
            hidden = self._finish(layer, hidden, mixed)
        return Prefilled(torch.stack(keys), torch.stack(values), self._logits(hidden[:, -1])[0])

    def decode(self, tokens: Tensor, cache: StaticCache, window: int) -> Tensor:
        """Append one token [S] to each of the first S slots and return the logits [S, V] after it.

        ``window`` is how many cache positions to look at: at least the longest running sequence plus this token.
        ``cache.filled`` is left as it was, so that a captured graph can be replayed; the caller advances it.
        """
        running = tokens.shape[0]
        positions = cache.filled[:running]
        rows = torch.arange(running, device=tokens.device)
        mask = (torch.arange(window, device=tokens.device) <= positions[:, None])[:, None, None, :]
        rotation = self._rotation(positions.unsqueeze(1))
        hidden = self._inner.embed_tokens(tokens.unsqueeze(1))
        for index, layer in enumerate(self._inner.layers):
            query, key, value = self._project(layer, hidden, rotation)
            keys, values = cache.keys[index, :running], cache.values[index, :running]
            keys[rows, :, positions] = key[:, :, 0]
            values[rows, :, positions] = value[:, :, 0]
            mixed = self._attend(query, keys[:, :, :window], values[:, :, :window], mask)
            hidden = self._finish(layer, hidden, mixed)
        return self._logits(hidden[:, 0])

    def _attend(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor) -> Tensor:
        """One query a slot [S, H, 1, D]: the heads that share keys are folded into the query axis."""
        slots, _, _, dim = query.shape
        folded = query.view(slots, self.kv_heads, self.heads // self.kv_heads, dim)
        mixed = functional.scaled_dot_product_attention(folded, keys, values, attn_mask=mask)
        return mixed.view(slots, self.heads, 1, dim)

    def _rotation(self, positions: Tensor) -> tuple[Tensor, Tensor]:
        """Cosines and sines [S, 1, T, head_dim] of the rotary embedding at ``positions`` [S, T]."""
        angles = positions[:, None, :, None].float() * self._frequencies
        angles = torch.cat((angles, angles), dim=-1)
        return angles.cos().to(self.dtype), angles.sin().to(self.dtype)

    def _project(self, layer: Any, hidden: Tensor, rotation: tuple[Tensor, Tensor]) -> tuple[Tensor, Tensor, Tensor]:
        """Query [S, H, T, D], key and value [S, KV, T, D], rotated."""
        attention = layer.self_attn
        normed = self._norm(hidden, layer.input_layernorm.weight)
        shape = (*hidden.shape[:2], -1, self.head_dim)
        query, key = attention.q_proj(normed).view(shape), attention.k_proj(normed).view(shape)
        if hasattr(attention, "q_norm"):  # qwen3 norms every head
            query = self._norm(query, attention.q_norm.weight)
            key = self._norm(key, attention.k_norm.weight)
        value = attention.v_proj(normed).view(shape).transpose(1, 2)
        return _rotate(query.transpose(1, 2), rotation), _rotate(key.transpose(1, 2), rotation), value

    def _finish(self, layer: Any, hidden: Tensor, mixed: Tensor) -> Tensor:
        """Output projection, residual, feed-forward."""
        hidden = hidden + layer.self_attn.o_proj(mixed.transpose(1, 2).flatten(2))
        normed = self._norm(hidden, layer.post_attention_layernorm.weight)
        gate = functional.silu(layer.mlp.gate_proj(normed))
        fed: Tensor = layer.mlp.down_proj(gate * layer.mlp.up_proj(normed))
        return hidden + fed

    def _norm(self, hidden: Tensor, weight: Tensor) -> Tensor:
        return functional.rms_norm(hidden.float(), (hidden.shape[-1],), None, self._eps).to(hidden.dtype) * weight

    def _logits(self, hidden: Tensor) -> Tensor:
        return functional.linear(self._norm(hidden, self._inner.norm.weight), self._head)


def _rotate(states: Tensor, rotation: tuple[Tensor, Tensor]) -> Tensor:
    """Rotary position embedding of ``states`` [S, heads, T, D]."""
    cosines, sines = rotation
    first, second = states.chunk(2, dim=-1)
    return states * cosines + torch.cat((-second, first), dim=-1) * sines
