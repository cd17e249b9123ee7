"""Keys and values of every slot in one preallocated tensor pair, which grows when longer sequences come."""

from dataclasses import dataclass, replace

import torch
from torch import Tensor

_ROUND_TO = 64  # attention kernels like even widths, and growing is rare then


@dataclass(frozen=True)
class CacheShape:
    """What a cache is made for. ``length`` counts positions (prompt and completion together)."""

    layers: int
    slots: int
    kv_heads: int
    length: int
    head_dim: int


class StaticCache:
    """``keys`` and ``values`` [layers, slots, kv_heads, length, head_dim]; ``filled_S`` positions in use.

    Running sequences lie in slots ``0 .. running``, so that a decode step works on one contiguous block and never
    computes for empty slots. Behind them lie slots that rest: their sequence may be continued later.
    """

    def __init__(self, shape: CacheShape, dtype: torch.dtype, device: torch.device) -> None:
        sizes = (shape.layers, shape.slots, shape.kv_heads, shape.length, shape.head_dim)
        self.shape = shape
        self.keys = torch.zeros(sizes, dtype=dtype, device=device)
        self.values = torch.zeros(sizes, dtype=dtype, device=device)
        self.filled_S = torch.zeros(shape.slots, dtype=torch.long, device=device)

    def grown(self, slots: int, length: int) -> "StaticCache":
        """A cache of at least these sizes with the same contents: this one where it is large enough."""
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
        """Copy the first ``length`` positions of slot ``source`` to slot ``target``; ``filled_S`` is the caller's."""
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
        """Put new keys and values [S, kv_heads, T, head_dim] of one layer to ``positions_ST`` of ``slots``."""
        rows_S1 = torch.arange(positions_ST.shape[0], device=positions_ST.device)[:, None]
        self.keys[layer, slots][rows_S1, :, positions_ST] = keys.transpose(1, 2)
        self.values[layer, slots][rows_S1, :, positions_ST] = values.transpose(1, 2)


def swap_rows(tensor: Tensor, first: int, second: int) -> None:
    """Exchange two rows of ``tensor`` in place."""
    kept = tensor[first].clone()
    tensor[first] = tensor[second]
    tensor[second] = kept
