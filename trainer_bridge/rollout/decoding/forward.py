"""Generation on the device: the cache of keys and values, the forward pass over new tokens, and sampling."""

from dataclasses import dataclass, replace
from typing import Any, Protocol

import torch
from torch import Tensor, nn
from torch.nn import functional

# How a token is drawn


@dataclass(frozen=True)
class Sampling:
    """How tokens are drawn. ``temperature`` 0 is greedy; ``top_p`` 1 and ``top_k`` 0 keep the whole vocabulary.

    With ``top_p`` or ``top_k`` the recorded log-probabilities are those of the filtered distribution. The learner uses
    the unfiltered one, so the importance ratio is biased. The defaults filter nothing.
    """

    temperature: float = 1.0
    top_p: float = 1.0
    top_k: int = 0


@dataclass(frozen=True)
class SlotSampling:
    """The settings of each row as tensors on the device: every running request may have its own."""

    temperature_S: Tensor
    top_p_S: Tensor
    top_k_S: Tensor

    @classmethod
    def of(cls, settings: list[Sampling], device: torch.device) -> "SlotSampling":
        """One row for each of ``settings``."""
        return cls(
            torch.tensor([one.temperature for one in settings], dtype=torch.float32, device=device),
            torch.tensor([one.top_p for one in settings], dtype=torch.float32, device=device),
            torch.tensor([one.top_k for one in settings], dtype=torch.long, device=device),
        )


def sample(logits_SV: Tensor, sampling: SlotSampling, uniform_S: Tensor, *, filters: bool) -> tuple[Tensor, Tensor]:
    """Draw one token for each row.

    Args:
        logits_SV: any number type; computed in float32.
        sampling: each row's temperature and filters.
        uniform_S: float64 in [0, 1): the row's random number. With one number for each token, a sample depends only on
        its own seed and not on the other samples.
        filters: whether any row has ``top_p`` or ``top_k``. If not, the vocabulary need not be sorted.

    Returns:
        tokens_S (int64) and their log-probabilities_S (float32), after temperature and filters. Greedy
        log-probabilities are those at temperature 1.

    """
    is_greedy_S = sampling.temperature_S == 0
    scaled_SV = logits_SV.float() / torch.where(is_greedy_S, 1.0, sampling.temperature_S)[:, None]
    if filters:
        scaled_SV = _filtered(scaled_SV, sampling)
    logprobs_SV = scaled_SV.log_softmax(-1)
    # Inverse transform in float64: the first token whose cumulative probability exceeds the random number.
    cumulative_SV = logprobs_SV.exp().cumsum(-1, dtype=torch.float64)
    drawn_S = torch.searchsorted(cumulative_SV, (uniform_S * cumulative_SV[:, -1])[:, None], right=True)[:, 0]
    tokens_S = torch.where(is_greedy_S, logprobs_SV.argmax(-1), drawn_S)
    return tokens_S, logprobs_SV.gather(-1, tokens_S[:, None])[:, 0]


def _filtered(logits_SV: Tensor, sampling: SlotSampling) -> Tensor:
    """Put -inf outside the top k and outside the smallest nucleus of ``top_p`` (which keeps the crossing token)."""
    width = logits_SV.shape[-1]
    ordered_SV, order_SV = logits_SV.sort(dim=-1, descending=True)
    most_S = torch.where(sampling.top_k_S > 0, sampling.top_k_S, width)
    outside_SV = torch.arange(width, device=logits_SV.device) >= most_S[:, None]
    probabilities_SV = ordered_SV.masked_fill(outside_SV, float("-inf")).softmax(-1)
    outside_SV |= probabilities_SV.cumsum(-1) - probabilities_SV >= sampling.top_p_S[:, None]
    outside_SV[:, 0] = False
    return logits_SV.masked_fill(torch.zeros_like(outside_SV).scatter(-1, order_SV, outside_SV), float("-inf"))


# Keys, values and the other data of slots on the device

_ROUND_TO = 64  # attention kernels are faster at round widths, and the cache then grows rarely


@dataclass(frozen=True)
class CacheShape:
    """The sizes of a cache. ``length``: positions of prompt and completion together."""

    layers: int
    slots: int
    kv_heads: int
    length: int
    head_dim: int


class StaticCache:
    """``keys`` and ``values`` [layers, slots, kv_heads, length, head_dim]; ``filled_S`` positions in use.

    Running sequences are in slots ``0 .. running``, so that a decode step works on one contiguous block without empty
    slots. The resting slots after them keep sequences that may be continued later.
    """

    def __init__(self, shape: CacheShape, dtype: torch.dtype, device: torch.device) -> None:
        sizes = (shape.layers, shape.slots, shape.kv_heads, shape.length, shape.head_dim)
        self.shape = shape
        self.keys = torch.zeros(sizes, dtype=dtype, device=device)
        self.values = torch.zeros(sizes, dtype=dtype, device=device)
        self.filled_S = torch.zeros(shape.slots, dtype=torch.long, device=device)

    def grown(self, slots: int, length: int) -> "StaticCache":
        """A cache of at least these sizes with the same contents. This one if it is large enough."""
        length = -(-length // _ROUND_TO) * _ROUND_TO
        if slots <= self.shape.slots and length <= self.shape.length:
            return self
        shape = replace(self.shape, slots=max(slots, self.shape.slots), length=max(length, self.shape.length))
        larger = StaticCache(shape, self.keys.dtype, self.keys.device)
        larger.keys[:, : self.shape.slots, :, : self.shape.length] = self.keys
        larger.values[:, : self.shape.slots, :, : self.shape.length] = self.values
        larger.filled_S[: self.shape.slots] = self.filled_S
        return larger

    def copy_prefix(self, source: int, target: int, length: int) -> None:
        """Copy the first ``length`` positions of slot ``source`` to slot ``target``. The caller sets ``filled_S``."""
        self.keys[:, target, :, :length] = self.keys[:, source, :, :length]
        self.values[:, target, :, :length] = self.values[:, source, :, :length]

    def swap(self, first: int, second: int, length: int) -> None:
        """Exchange two slots, whose sequences have at most ``length`` positions."""
        for tensor in (self.keys, self.values):
            kept = tensor[:, first, :, :length].clone()
            tensor[:, first, :, :length] = tensor[:, second, :, :length]
            tensor[:, second, :, :length] = kept
        swap_rows(self.filled_S, first, second)

    def write(self, layer: int, slots: slice, positions_ST: Tensor, keys: Tensor, values: Tensor) -> None:
        """Write new keys and values [S, kv_heads, T, head_dim] of one layer to ``positions_ST`` of ``slots``."""
        rows_S1 = torch.arange(positions_ST.shape[0], device=positions_ST.device)[:, None]
        self.keys[layer, slots][rows_S1, :, positions_ST] = keys.transpose(1, 2)
        self.values[layer, slots][rows_S1, :, positions_ST] = values.transpose(1, 2)


def swap_rows(tensor: Tensor, first: int, second: int) -> None:
    """Exchange two rows of ``tensor`` in place."""
    kept = tensor[first].clone()
    tensor[first] = tensor[second]
    tensor[second] = kept


@dataclass
class SlotStates:
    """The device's part of slots, one row for each. ``tokens_SL`` and similar tensors have a column for each token to
    write.
    """

    current_S: Tensor
    written_S: Tensor
    limit_S: Tensor
    ended_S: Tensor
    temperature_S: Tensor
    top_p_S: Tensor
    top_k_S: Tensor
    tokens_SL: Tensor
    logprobs_SL: Tensor
    uniforms_SL: Tensor

    @classmethod
    def empty(cls, slots: int, room: int, device: torch.device) -> "SlotStates":
        """All zeros."""
        whole = torch.zeros(slots, dtype=torch.long, device=device)
        real = torch.zeros(slots, dtype=torch.float32, device=device)
        wide = torch.zeros(slots, room, dtype=torch.long, device=device)
        return cls(
            current_S=whole.clone(),
            written_S=whole.clone(),
            limit_S=whole.clone(),
            ended_S=torch.zeros(slots, dtype=torch.bool, device=device),
            temperature_S=real.clone(),
            top_p_S=real + 1,
            top_k_S=whole.clone(),
            tokens_SL=wide,
            logprobs_SL=wide.to(torch.float32),
            uniforms_SL=wide.to(torch.float64),
        )

    def grown(self, slots: int, room: int) -> "SlotStates":
        """The same contents in tensors of at least these sizes."""
        old_slots, old_room = self.tokens_SL.shape
        if slots <= old_slots and room <= old_room:
            return self
        larger = SlotStates.empty(max(slots, old_slots), max(room, old_room), self.tokens_SL.device)
        for name, tensor in vars(self).items():
            target = vars(larger)[name]
            (target[:old_slots] if tensor.ndim == 1 else target[:old_slots, :old_room]).copy_(tensor)
        return larger

    def swap(self, first: int, second: int) -> None:
        """Exchange two rows."""
        for tensor in vars(self).values():
            swap_rows(tensor, first, second)

    def sampling(self, slots: slice) -> SlotSampling:
        """The sampling settings of these slots."""
        return SlotSampling(self.temperature_S[slots], self.top_p_S[slots], self.top_k_S[slots])

    def begin(self, slot: int, sampling: Sampling, *, limit: int, seed: int) -> None:
        """Prepare a slot for at most ``limit`` tokens. All their random numbers are drawn now, from ``seed``."""
        self.written_S[slot] = 0
        self.limit_S[slot] = limit
        self.ended_S[slot] = False
        self.temperature_S[slot] = sampling.temperature
        self.top_p_S[slot] = sampling.top_p
        self.top_k_S[slot] = sampling.top_k
        if sampling.temperature > 0:
            source = torch.Generator().manual_seed(seed % (1 << 63))
            self.uniforms_SL[slot, :limit] = torch.rand(limit, dtype=torch.float64, generator=source)


# The forward pass


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
        return functional.linear(hidden_ND.float(), self._in_float32())

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
        self._inner: Any = model.get_decoder()  # type: ignore[operator]
        self._head_VD: Tensor = model.get_output_embeddings().weight  # type: ignore[operator]
        self._head = Head(self._head_VD)
        self._eps: float = config.rms_norm_eps
        self._layers: int = config.num_hidden_layers
        self.heads: int = config.num_attention_heads
        self.kv_heads: int = config.num_key_value_heads or self.heads
        self.head_dim: int = getattr(config, "head_dim", None) or config.hidden_size // self.heads
        # SmolLM3 uses no rotary embedding in every fourth layer
        ropes = getattr(config, "no_rope_layers", None) or [1] * self._layers
        self._rotates = [bool(rope) for rope in ropes]

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
        return self._head.logits(self._norm(last, self._inner.norm.weight))

    def release(self) -> None:
        """See :meth:`Forward.release`."""
        self._head.release()

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
        return functional.rms_norm(hidden.float(), (hidden.shape[-1],), None, self._eps).to(hidden.dtype) * weight


def _rotate(states: Tensor, rotation: tuple[Tensor, Tensor]) -> Tensor:
    """Rotary position embedding of ``states`` [S, heads, T, D]."""
    cosines, sines = rotation
    first, second = states.chunk(2, dim=-1)
    return states * cosines + torch.cat((-second, first), dim=-1) * sines
