"""What the engine needs of a model: new tokens in, keys and values into the cache, logits out."""

from typing import Protocol

import torch
from torch import Tensor
from torch.nn import functional

from trainer_bridge.rollout.decoding.static_cache import CacheShape, StaticCache


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
