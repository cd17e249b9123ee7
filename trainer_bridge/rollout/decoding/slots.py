"""Which request sits in which slot, with its keys, values and everything else that belongs to it, moved together."""

from dataclasses import dataclass, field, replace

import torch
from torch import Tensor

from trainer_bridge.rollout.decoding.requests import GenerationRequest, SlotSampling

_ROUND_TO = 64  # attention kernels are faster at even widths, and the cache grows rarely


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


@dataclass(eq=False)
class Slot:
    """The host's side of a slot. ``cached`` are the tokens whose keys and values it holds."""

    ask: GenerationRequest | None = None
    is_running: bool = False
    cached: tuple[int, ...] = ()
    written: int = 0
    """At most so many tokens were written: the host counts steps, the device knows which slots had ended."""
    used: int = 0
    """When it was last used: the slot that rested longest is given away first."""


@dataclass
class SlotStates:
    """The device's side: one row a slot. ``tokens_SL`` and its neighbours have a column for each token to write."""

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
        """At least these sizes, with the same contents."""
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
        """How the tokens of these slots are drawn."""
        return SlotSampling(self.temperature_S[slots], self.top_p_S[slots], self.top_k_S[slots])

    def begin(self, slot: int, ask: GenerationRequest) -> None:
        """Prepare a slot for a request: all its random numbers are drawn now, from its own seed."""
        self.written_S[slot] = 0
        self.limit_S[slot] = ask.limit
        self.ended_S[slot] = False
        self.temperature_S[slot] = ask.sampling.temperature
        self.top_p_S[slot] = ask.sampling.top_p
        self.top_k_S[slot] = ask.sampling.top_k
        if ask.sampling.temperature > 0:
            source = torch.Generator().manual_seed(ask.seed % (1 << 63))
            self.uniforms_SL[slot, : ask.limit] = torch.rand(ask.limit, dtype=torch.float64, generator=source)


@dataclass
class Table:
    """Slots in order: ``running`` of them first, then those that rest."""

    cache: StaticCache
    states: SlotStates
    slots: list[Slot] = field(default_factory=list)
    running: int = 0

    def make_room(self, slots: int, length: int, room: int) -> None:
        """Grow everything to at least ``slots`` slots of ``length`` positions and ``room`` tokens to write."""
        self.cache = self.cache.grown(slots, length)
        self.states = self.states.grown(self.cache.shape.slots, room)
        self.slots += [Slot() for _ in range(self.cache.shape.slots - len(self.slots))]

    def swap(self, first: int, second: int) -> None:
        """Exchange two slots, with all that belongs to them."""
        if first == second:
            return
        # A slot may write tokens past its end until the host looks; they are dropped. Prompt and limit bound the tokens
        # that count.
        length = max(self._extent(first), self._extent(second))
        self.cache.swap(first, second, min(length, self.cache.shape.length))
        self.states.swap(first, second)
        self.slots[first], self.slots[second] = self.slots[second], self.slots[first]

    def _extent(self, index: int) -> int:
        slot = self.slots[index]
        if slot.ask is not None and slot.is_running:
            return len(slot.ask.prompt) + slot.written
        return len(slot.cached)
