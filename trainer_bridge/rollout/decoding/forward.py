"""What the engine needs of a model, new tokens in and logits out; and the forward pass of the Llama family."""

from typing import Any, Protocol

import torch
from torch import Tensor, nn
from torch.nn import functional

from trainer_bridge.rollout.decoding.slots import CacheShape, StaticCache


class Forward(Protocol):
    """Forward passes without autograd, on the very weights that are being trained."""

    @property
    def dtype(self) -> torch.dtype:
        """The number type of weights and cache."""
        ...

    @property
    def device(self) -> torch.device:
        """Where weights and cache lie."""
        ...

    def cache_shape(self, slots: int, length: int) -> CacheShape:
        """The cache that this model needs."""
        ...

    def extend(self, tokens_ST: Tensor, last_S: Tensor, cache: StaticCache, slots: slice, window: int) -> Tensor:
        """Append tokens to the sequences of ``slots`` and return the float32 logits_SV after each row's last one.

        Args:
            tokens_ST: the new tokens, padded on the right. What padding writes lies behind ``filled_S``, where nothing
                looks and the next tokens overwrite it.
            last_S: the column of each row's last true token.
            cache: written to; ``filled_S`` is left as it was, so that a captured graph can be replayed.
            slots: which slots of the cache.
            window: how many positions to look at: at least the longest sequence, new tokens included.

        """
        ...


def new_positions(cache: StaticCache, slots: slice, width: int) -> Tensor:
    """positions_ST of ``width`` new tokens a slot. Padding that would fall off the end goes to the last position."""
    positions_ST = cache.filled_S[slots, None] + torch.arange(width, device=cache.filled_S.device)
    return positions_ST.clamp(max=cache.shape.length - 1)


def visible(positions_ST: Tensor, window: int, sliding: int | None = None) -> Tensor:
    """Which of ``window`` cache positions each new token may see, [S, 1, T, window]; at most ``sliding`` back."""
    columns = torch.arange(window, device=positions_ST.device)
    seen = columns <= positions_ST[..., None]
    if sliding is not None:
        seen &= columns > positions_ST[..., None] - sliding
    return seen.unsqueeze(1)


def decode_one(forward: Forward, tokens_S: Tensor, cache: StaticCache, window: int) -> Tensor:
    """Logits_SV after one more token for each of the first slots."""
    last_S = torch.zeros_like(tokens_S)
    return forward.extend(tokens_S[:, None], last_S, cache, slice(0, len(tokens_S)), window)


def float32_logits(hidden_ND: Tensor, head_VD: Tensor) -> Tensor:
    """Logits in float32 of hidden states and a head of any number type.

    Products of bfloat16 numbers are exact in float32, so only the sums round. Rounding the logits themselves to
    bfloat16 moves log-probabilities by up to 0.09, which the importance ratio would see.
    """
    if hidden_ND.dtype == torch.float32:
        return functional.linear(hidden_ND, head_VD)
    if hidden_ND.device.type == "cuda":
        return torch.mm(hidden_ND, head_VD.T, out_dtype=torch.float32)
    return functional.linear(hidden_ND.float(), head_VD.float())


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
    """The forward pass of the Llama family, as :class:`Forward` describes it.

    Holds references to the weights, so the trainer's in-place updates are seen at once.
    """

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
