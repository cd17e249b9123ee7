"""What generation keeps: the cache of keys and values, the state of each slot, and which slot is reused next."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import torch
from torch import Tensor

from trainer_bridge.rollout.decoding.requests import GenerationRequest
from trainer_bridge.rollout.decoding.sampling import SlotSampling

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

    def copy_prefix(self, source: int, targets: slice, length: int) -> None:
        """Copy the first ``length`` positions of slot ``source`` to ``targets``. The caller sets ``filled_S``."""
        self.keys[:, targets, :, :length] = self.keys[:, source, None, :, :length]
        self.values[:, targets, :, :length] = self.values[:, source, None, :, :length]

    def exchange(self, first_P: Tensor, second_P: Tensor, length: int) -> None:
        """Exchange pairs of slots, all different, whose sequences have at most ``length`` positions."""
        for tensor in (self.keys, self.values):
            used = tensor[:, :, :, :length]
            kept = used[:, first_P]
            used[:, first_P] = used[:, second_P]
            used[:, second_P] = kept
        exchange_rows(self.filled_S, first_P, second_P)

    def write(self, layer: int, slots: slice, positions_ST: Tensor, keys: Tensor, values: Tensor) -> None:
        """Write new keys and values [S, kv_heads, T, head_dim] of one layer to ``positions_ST`` of ``slots``."""
        rows_S1 = torch.arange(positions_ST.shape[0], device=positions_ST.device)[:, None]
        self.keys[layer, slots][rows_S1, :, positions_ST] = keys.transpose(1, 2)
        self.values[layer, slots][rows_S1, :, positions_ST] = values.transpose(1, 2)


def exchange_rows(tensor: Tensor, first_P: Tensor, second_P: Tensor) -> None:
    """Exchange pairs of rows of ``tensor`` in place."""
    kept = tensor[first_P]
    tensor[first_P] = tensor[second_P]
    tensor[second_P] = kept


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

    def exchange(self, first_P: Tensor, second_P: Tensor) -> None:
        """Exchange pairs of rows."""
        for tensor in vars(self).values():
            exchange_rows(tensor, first_P, second_P)

    def sampling(self, slots: slice) -> SlotSampling:
        """The sampling settings of these slots."""
        return SlotSampling(self.temperature_S[slots], self.top_p_S[slots], self.top_k_S[slots])

    def draw(self, logits_SV: Tensor, slots: slice, eos_E: Tensor) -> None:
        """Draw and store the next token of ``slots`` in one kernel, on a GPU and without filters."""
        from trainer_bridge.rollout.decoding import triton_kernels  # noqa: PLC0415 -- only where there is a GPU

        triton_kernels.draw(
            logits_SV, self.temperature_S[slots], self.uniforms_SL[slots], self.tokens_SL[slots],
            self.logprobs_SL[slots], self.written_S[slots], self.limit_S[slots], self.ended_S[slots],
            self.current_S[slots], eos_E,
        )  # fmt: skip

    def begin(self, first: int, requests: Sequence[GenerationRequest]) -> None:
        """Prepare the slots from ``first`` on, one for each request. All their random numbers are drawn now.

        Each request's come from its own seed. One transfer for all: one for each took a tenth of a round on a GPU.
        """
        slots = slice(first, first + len(requests))
        uniforms_SL = torch.zeros(len(requests), max(request.limit for request in requests), dtype=torch.float64)
        for row_L, request in zip(uniforms_SL, requests, strict=True):
            if request.sampling.temperature > 0:
                source = torch.Generator().manual_seed(request.seed % (1 << 63))
                row_L[: request.limit] = torch.rand(request.limit, dtype=torch.float64, generator=source)
        self.uniforms_SL[slots, : uniforms_SL.shape[1]] = uniforms_SL.to(self.uniforms_SL.device)
        self.written_S[slots] = 0
        self.ended_S[slots] = False
        settings = [request.sampling for request in requests]
        for target_S, values in (
            (self.limit_S, [request.limit for request in requests]),
            (self.temperature_S, [one.temperature for one in settings]),
            (self.top_p_S, [one.top_p for one in settings]),
            (self.top_k_S, [one.top_k for one in settings]),
        ):
            target_S[slots] = torch.tensor(values, dtype=target_S.dtype).to(target_S.device)


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
        if first != second:
            self.exchange([(first, second)])

    def exchange(self, pairs: Sequence[tuple[int, int]]) -> None:
        """Exchange pairs of slots, all different, with all their data."""
        if not pairs:
            return
        # A finished slot writes further tokens until the host reads the results; they are dropped. Tokens that count
        # are limited by prompt and limit.
        length = max(self._extent(index) for pair in pairs for index in pair)
        first_P, second_P = torch.tensor(pairs).to(self.cache.filled_S.device).unbind(1)
        self.cache.exchange(first_P, second_P, min(length, self.cache.shape.length))
        self.states.exchange(first_P, second_P)
        for first, second in pairs:
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
        if not self.slots[place].cached and not any(id(self.slots[place]) in group for group in spared):
            return place  # any empty one will do, and this one need not be moved

        def cost(at: int) -> tuple[list[bool], bool, int]:
            slot = self.slots[at]
            return [id(slot) in group for group in spared], bool(slot.cached), slot.used

        return min(range(place, len(self.slots)), key=cost)
