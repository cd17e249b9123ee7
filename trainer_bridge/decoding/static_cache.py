"""Keys and values of every running sequence in one preallocated tensor pair, one row a slot."""

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True)
class CacheShape:
    """What a cache is made for. ``length`` counts positions (prompt and completion together)."""

    layers: int
    slots: int
    kv_heads: int
    length: int
    head_dim: int


class StaticCache:
    """``keys`` and ``values`` [layers, slots, kv_heads, length, head_dim]; ``filled`` [slots] positions in use.

    Running sequences lie in slots ``0 .. running``: a finished one is overwritten by the last, so that a decode
    step always works on one contiguous block and never computes for empty slots.
    """

    def __init__(self, shape: CacheShape, dtype: torch.dtype, device: torch.device) -> None:
        sizes = (shape.layers, shape.slots, shape.kv_heads, shape.length, shape.head_dim)
        self.shape = shape
        self.keys = torch.zeros(sizes, dtype=dtype, device=device)
        self.values = torch.zeros(sizes, dtype=dtype, device=device)
        self.filled = torch.zeros(shape.slots, dtype=torch.long, device=device)

    def place(self, slots: slice, keys: Tensor, values: Tensor) -> None:
        """Copy a prompt's keys and values [layers, kv_heads, prompt, head_dim] into every slot of ``slots``."""
        prompt = keys.shape[2]
        self.keys[:, slots, :, :prompt] = keys.unsqueeze(1)
        self.values[:, slots, :, :prompt] = values.unsqueeze(1)
        self.filled[slots] = prompt

    def move(self, source: int, target: int) -> None:
        """Overwrite slot ``target`` by slot ``source``."""
        self.keys[:, target] = self.keys[:, source]
        self.values[:, target] = self.values[:, source]
        self.filled[target] = self.filled[source]
