"""What generation keeps: the cache of keys and values, the state of each slot, and which slot is reused next."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import torch
from torch import Tensor

from trainer_bridge.rollout.decoding.requests import GenerationRequest
from trainer_bridge.rollout.decoding.sampling import Sampling, SlotSampling

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


@dataclass(eq=False)
class Slot:
    """The host's part of a slot. ``cached``: the tokens whose keys and values it holds."""

    request: GenerationRequest | None = None
    is_running: bool = False
    cached: tuple[int, ...] = ()
    written: int = 0
    """Upper bound of the written tokens: the host counts steps, but only the device knows which slots have finished."""
    used: int = 0
    """When it was last used. The slot that has rested longest is reused first."""


@dataclass
class Table:
    """All slots: first the ``running`` ones, then the resting ones."""

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
        """Exchange two slots with all their data."""
        if first == second:
            return
        # A finished slot writes further tokens until the host reads the results; they are dropped. Tokens that count
        # are limited by prompt and limit.
        length = max(self._extent(first), self._extent(second))
        self.cache.swap(first, second, min(length, self.cache.shape.length))
        self.states.swap(first, second)
        self.slots[first], self.slots[second] = self.slots[second], self.slots[first]

    def _extent(self, index: int) -> int:
        slot = self.slots[index]
        if slot.request is not None and slot.is_running:
            return len(slot.request.prompt) + slot.written
        return len(slot.cached)

    def least_used(self, place: int, spared: Sequence[set[int]] = ()) -> int:
        """The slot from ``place`` on to reuse: an empty one, or else the one that has rested longest.

        ``spared``: ids of slots that others reuse in this step, the most needed first. There is always a slot beside
        those that next turns take, since each request that was admitted has one.
        """

        def cost(at: int) -> tuple[list[bool], bool, int]:
            slot = self.slots[at]
            return [id(slot) in group for group in spared], bool(slot.cached), slot.used

        return min(range(place, len(self.slots)), key=cost)
