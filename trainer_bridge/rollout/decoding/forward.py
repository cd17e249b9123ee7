"""The forward pass of generation over new tokens, for Llama-like models."""

from typing import Any, Protocol

import torch
from torch import Tensor, nn
from torch.nn import functional

from trainer_bridge.learn.logprobs import wide_linear
from trainer_bridge.rollout.decoding.kv_cache import CacheShape, StaticCache


class Forward(Protocol):
    """Forward passes without autograd on the weights in training."""

    @property
    def dtype(self) -> torch.dtype:
        """The number type of weights and cache."""
        ...

    @property
    def device(self) -> torch.device:
        """Where weights and cache lie."""
        ...

    def cache_shape(self, slots: int, length: int) -> CacheShape:
        """The shape of the cache for this model."""
        ...

    def extend(self, tokens_ST: Tensor, last_S: Tensor, cache: StaticCache, slots: slice, window: int) -> Tensor:
        """Append tokens to the sequences of ``slots`` and return the float32 logits_SV after each row's last one.

        Args:
            tokens_ST: the new tokens, padded on the right. Padding is written behind ``filled_S``, where nothing is
            read and the next tokens overwrite it.
            last_S: the column of each row's last token that is not padding.
            cache: is written to. ``filled_S`` stays unchanged, so that a captured graph can be replayed.
            slots: which slots of the cache.
            window: how many positions to attend to; at least the longest sequence, including new tokens.

        """
        ...

    def release(self) -> None:
        """Free what was computed from the weights. It is computed again when needed."""
        ...


def new_positions(cache: StaticCache, slots: slice, width: int) -> Tensor:
    """positions_ST of ``width`` new tokens for each slot. Padding beyond the end goes to the last position."""
    positions_ST = cache.filled_S[slots, None] + torch.arange(width, device=cache.filled_S.device)
    return positions_ST.clamp(max=cache.shape.length - 1)


def visible(positions_ST: Tensor, window: int, sliding: int | None = None) -> Tensor:
    """Mask [S, 1, T, window]: which cache positions each new token may attend to; at most ``sliding`` back."""
    columns = torch.arange(window, device=positions_ST.device)
    seen = columns <= positions_ST[..., None]
    if sliding is not None:
        seen &= columns > positions_ST[..., None] - sliding
    return seen.unsqueeze(1)


def decode_one(forward: Forward, tokens_S: Tensor, cache: StaticCache, window: int) -> Tensor:
    """Feed one more token to each of the first slots; return logits_SV."""
    last_S = torch.zeros_like(tokens_S)
    return forward.extend(tokens_S[:, None], last_S, cache, slice(0, len(tokens_S)), window)


class Head:
    """A model's output layer. Its logits are float32, whatever the number type of the weights.

    Products of bfloat16 numbers are exact in float32, so only the sums round. Logits rounded to bfloat16 would change
    log-probabilities by up to 0.09, and thereby the importance ratio.

    A CPU cannot multiply bfloat16 matrices into float32, so it needs the weights in float32. The converted weights are
    kept until the weights change: converting 28 million of them for every token took a third of the decoding time.
    """

    def __init__(self, weight_VD: Tensor) -> None:
        self._weight_VD = weight_VD
        self._wide_VD = weight_VD
        self._made_from = (0, 0)

    def logits(self, hidden_ND: Tensor) -> Tensor:
        """logits_NV of hidden states in the weights' number type."""
        if hidden_ND.dtype == torch.float32:
            return functional.linear(hidden_ND, self._weight_VD)
        if hidden_ND.device.type == "cuda":
            return torch.mm(hidden_ND, self._weight_VD.T, out_dtype=torch.float32)
        return wide_linear(hidden_ND.float(), self._in_float32())

    def release(self) -> None:
        """Free the converted weights."""
        self._wide_VD, self._made_from = self._weight_VD, (0, 0)

    def _in_float32(self) -> Tensor:
        # The version number shows writes in place, the address shows other storage.
        now = (self._weight_VD.data_ptr(), self._weight_VD._version)  # noqa: SLF001 -- torch has no public name for it
        if now != self._made_from:
            self._wide_VD, self._made_from = self._weight_VD.detach().float(), now
        return self._wide_VD


SUPPORTED = ("llama", "qwen2", "qwen3", "mistral", "smollm3")
"""``model_type`` of the transformers configurations whose layers are computed exactly by this module."""

_FIXED_ROPES = ("default", "linear", "llama3")
"""Rotary embeddings whose frequencies do not depend on the length of the sequence."""


def is_supported(config: Any) -> bool:
    """Whether this module can decode a model of this configuration. If not, transformers' own modules are used.

    Checks everything that changes the arithmetic: activation, rotary embedding, attention windows.
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

    It holds references to the weights, so the trainer's in-place updates take effect at once.
    """

    def __init__(self, model: nn.Module) -> None:
        config: Any = model.config
        self.decoder: Any = model.get_decoder()  # type: ignore[operator]
        self._head_VD: Tensor = model.get_output_embeddings().weight  # type: ignore[operator]
        self.head = Head(self._head_VD)
        self.eps: float = config.rms_norm_eps
        self._layers: int = config.num_hidden_layers
        self.heads: int = config.num_attention_heads
        self.kv_heads: int = config.num_key_value_heads or self.heads
        self.head_dim: int = getattr(config, "head_dim", None) or config.hidden_size // self.heads
        # SmolLM3 uses no rotary embedding in every fourth layer
        ropes = getattr(config, "no_rope_layers", None) or [1] * self._layers
        self.rotates = [bool(rope) for rope in ropes]

    @property
    def dtype(self) -> torch.dtype:
        """The number type of weights and cache."""
        return self._head_VD.dtype

    @property
    def device(self) -> torch.device:
        """Where weights and cache lie."""
        return self._head_VD.device

    def cache_shape(self, slots: int, length: int) -> CacheShape:
        """The shape of the cache for this model."""
        return CacheShape(self._layers, slots, self.kv_heads, length, self.head_dim)

    def extend(self, tokens_ST: Tensor, last_S: Tensor, cache: StaticCache, slots: slice, window: int) -> Tensor:
        """See :meth:`Forward.extend`."""
        rows, width = tokens_ST.shape
        positions_ST = new_positions(cache, slots, width)
        # One query axis has all heads that share keys, so keys need not be repeated: [S, KV, G x T, D].
        seen = visible(positions_ST, window).repeat(1, 1, self.heads // self.kv_heads, 1)
        # Additive, as the attention of each layer would otherwise make it anew.
        mask = torch.zeros(seen.shape, dtype=self.dtype, device=self.device).masked_fill_(~seen, float("-inf"))
        rotation = self._rotation(positions_ST)
        hidden = self.decoder.embed_tokens(tokens_ST)
        for index, layer in enumerate(self.decoder.layers):
            query, key, value = self._project(layer, hidden, rotation if self.rotates[index] else None)
            cache.write(index, slots, positions_ST, key, value)
            keys, values = cache.keys[index, slots, :, :window], cache.values[index, slots, :, :window]
            folded = query.reshape(rows, self.kv_heads, -1, self.head_dim)
            mixed = functional.scaled_dot_product_attention(folded, keys, values, attn_mask=mask)
            hidden = self._finish(layer, hidden, mixed.reshape(rows, self.heads, width, self.head_dim))
        last = hidden[torch.arange(rows, device=hidden.device), last_S]
        return self.head.logits(self._norm(last, self.decoder.norm.weight))

    def release(self) -> None:
        """See :meth:`Forward.release`."""
        self.head.release()

    def _rotation(self, positions_ST: Tensor) -> tuple[Tensor, Tensor]:
        """Cosines and sines [S, 1, T, head_dim] of the model's own rotary frequencies, which the learner uses too."""
        rotary = self.decoder.rotary_emb
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
        if hasattr(attention, "q_norm"):  # qwen3 normalises every head
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
        return functional.rms_norm(hidden.float(), (hidden.shape[-1],), None, self.eps).to(hidden.dtype) * weight


def _rotate(states: Tensor, rotation: tuple[Tensor, Tensor]) -> Tensor:
    """Rotary position embedding of ``states`` [S, heads, T, D]."""
    cosines, sines = rotation
    first, second = states.chunk(2, dim=-1)
    return states * cosines + torch.cat((-second, first), dim=-1) * sines
