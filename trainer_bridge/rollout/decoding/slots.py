"""The slots of the engine: whose keys and values each holds, which run, and which is reused next."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from trainer_bridge.rollout.decoding.kv_cache import SlotStates, StaticCache
from trainer_bridge.rollout.decoding.requests import GenerationRequest


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
