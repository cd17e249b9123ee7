"""The forward pass of any other architecture, by transformers' own modules, with the same cache."""

import inspect
from typing import Any

import torch
from torch import Tensor
from transformers import Cache

from trainer_bridge.errors import ModelError
from trainer_bridge.learn.logprobs import layer_kinds, masks_by_layer, sliding_window
from trainer_bridge.rollout.decoding.forward import Head, new_positions, visible
from trainer_bridge.rollout.decoding.kv_cache import CacheShape, StaticCache


class TransformersForward:
    """The forward pass by transformers. Slower than our own, but for every model whose cache is plain keys and
    values.
    """

    def __init__(self, model: Any) -> None:
        self._decoder = model.get_decoder()
        self._head_VD: Tensor = model.get_output_embeddings().weight
        self._head = Head(self._head_VD)
        # renamed in transformers 5.24, which warns of the old name until 5.40
        names = inspect.signature(self._decoder.forward).parameters
        self._cache_name = "cache" if "cache" in names else "past_key_values"
        config = model.config
        self._config = config
        self._heads: int = getattr(config, "num_key_value_heads", None) or config.num_attention_heads
        self._head_dim: int = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
        if getattr(config, "is_encoder_decoder", False) or layer_kinds(config) - {
            "full_attention",
            "sliding_attention",
        }:
            raise ModelError(
                f"a {config.model_type} model keeps another state than keys and values; it cannot be sampled from here"
            )

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
        return CacheShape(self._config.num_hidden_layers, slots, self._heads, length, self._head_dim)

    def extend(self, tokens_ST: Tensor, last_S: Tensor, cache: StaticCache, slots: slice, window: int) -> Tensor:
        """See :meth:`Forward.extend`."""
        rows, width = tokens_ST.shape
        positions_ST = new_positions(cache, slots, width)
        hidden = self._decoder(
            input_ids=tokens_ST,
            attention_mask=self._masks(positions_ST, window),
            position_ids=positions_ST,
            use_cache=True,
            **{self._cache_name: _SlotCache(cache, slots, positions_ST, window)},
        ).last_hidden_state
        return self._head.logits(hidden[torch.arange(rows, device=hidden.device), last_S])

    def release(self) -> None:
        """See :meth:`Forward.release`."""
        self._head.release()

    def _masks(self, positions_ST: Tensor, window: int) -> Any:
        """One additive mask for each kind of layer, in the form that the model takes; a plain tensor for a model of one
        kind.
        """
        full = self._additive(visible(positions_ST, window))
        windowed = self._additive(visible(positions_ST, window, sliding_window(self._config)))
        return masks_by_layer(self._config, full, windowed)

    def _additive(self, seen: Tensor) -> Tensor:
        hidden = torch.full(seen.shape, torch.finfo(self.dtype).min, dtype=self.dtype, device=seen.device)
        return hidden.masked_fill_(seen, 0.0)


class _SlotCache(Cache):  # type: ignore[misc]
    """The cache interface of transformers for a block of our slots."""

    def __init__(self, cache: StaticCache, slots: slice, positions_ST: Tensor, window: int) -> None:
        super().__init__(layers=[])
        self._cache, self._slots, self._positions_ST, self._window = cache, slots, positions_ST, window

    def update(
        self, key_states: Tensor, value_states: Tensor, layer_idx: int, *args: Any, **kwargs: Any
    ) -> tuple[Tensor, Tensor]:
        """Write the new keys and values; return all of the window."""
        del args, kwargs
        shape = self._cache.shape
        if key_states.shape[1::2] != (shape.kv_heads, shape.head_dim):
            raise ModelError("this model's layers differ in the size of their keys; it cannot be sampled from here")
        self._cache.write(layer_idx, self._slots, self._positions_ST, key_states, value_states)
        keys, values = self._cache.keys[layer_idx, self._slots], self._cache.values[layer_idx, self._slots]
        return keys[:, :, : self._window], values[:, :, : self._window]

    def get_seq_length(self, layer_idx: int = 0) -> int:
        """The length of the longest row. transformers does not use it when positions and masks are given."""
        del layer_idx
        return int(self._positions_ST[:, 0].max())
