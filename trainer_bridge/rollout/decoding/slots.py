"""Which request sits in which slot, and everything that belongs to a slot, moved together."""

from dataclasses import dataclass, field

import torch
from torch import Tensor

from trainer_bridge.rollout.decoding.requests import Ask, Done
from trainer_bridge.rollout.decoding.sampling import SlotSampling
from trainer_bridge.rollout.decoding.static_cache import StaticCache, swap_rows


@dataclass(eq=False)
class Slot:
    """The host's side of a slot. ``cached`` are the tokens whose keys and values it holds."""

    ask: Ask | None = None
    done: Done | None = None
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

    def begin(self, slot: int, ask: Ask) -> None:
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
        # What a slot writes past its end, until the host looks, is not worth keeping: prompt and limit bound the rest.
        length = max(self._extent(first), self._extent(second))
        self.cache.swap(first, second, min(length, self.cache.shape.length))
        self.states.swap(first, second)
        self.slots[first], self.slots[second] = self.slots[second], self.slots[first]

    def _extent(self, index: int) -> int:
        slot = self.slots[index]
        if slot.ask is not None and slot.done is not None:
            return len(slot.ask.prompt) + slot.written
        return len(slot.cached)
