"""Slots that senders without an account share fairly: whoever holds many gives way to whoever holds few."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

import anyio

from hub_server.web.senders import Sender


@dataclass(eq=False)
class Held:
    """A slot that somebody holds.

    ``look``: called when it can be ended from now on, since somebody may wait for that. ``asked_at``: when it was asked
    back; None: it was not.
    """

    sender: Sender
    look: Callable[[], None] = lambda: None
    asked_at: float | None = None
    _end: Callable[[], None] | None = None

    @property
    def end(self) -> Callable[[], None] | None:
        """Ends the work early; None where it cannot be ended."""
        return self._end

    @end.setter
    def end(self, end: Callable[[], None]) -> None:
        self._end = end
        self.look()

    @property
    def is_ending(self) -> bool:
        return self.asked_at is not None


class _Waiting:
    def __init__(self, sender: Sender) -> None:
        self.sender = sender
        self.held: Held | None = None
        self.is_given = anyio.Event()


_SOON_SECONDS = 3.0
"""A slot that was asked back so long ago and is still held comes back too late to be counted on."""
_MOST_WAITING = 16
"""So many may wait for each slot. Chosen: of more, most would give up before their turn; each costs the others time."""


@dataclass(eq=False)
class FairSlots:
    """``count`` slots. A free one goes to the waiting sender whose network holds the fewest, then whose address does.

    Where none is free, the oldest work of the network that holds the most is ended for a network that would still hold
    fewer with one more; within a network the same holds for addresses. Who has many addresses of one network gains
    nothing by them. The queue is bounded in the same way: where it is full, the last of the network that has the most
    in it is refused for one that would have fewer.
    """

    count: int
    _held: list[Held] = field(default_factory=list)
    _waiting: list[_Waiting] = field(default_factory=list)

    @property
    def borrowed_tokens(self) -> int:
        """How many are held."""
        return len(self._held)

    async def acquire(self, sender: Sender, deadline: float) -> Held | None:
        """A slot, or None where none became free before ``deadline``, or where too many wait."""
        if len(self._held) < self.count:
            return self._give(sender)
        if len(self._waiting) >= self.count * _MOST_WAITING and not self._turn_away(sender):
            return None
        waiting = _Waiting(sender)
        self._waiting.append(waiting)
        self._make_room(sender)
        try:
            with anyio.CancelScope(deadline=deadline):
                await waiting.is_given.wait()
        except BaseException:
            if waiting.held is not None:
                self.release(waiting.held)
            raise
        finally:
            if waiting in self._waiting:
                self._waiting.remove(waiting)
        return waiting.held

    def release(self, held: Held) -> None:
        """Give a slot back: to whoever waits with the fewest."""
        self._held.remove(held)
        if not self._waiting:
            return
        first = self._first()
        self._waiting.remove(first)
        first.held = self._give(first.sender)
        first.is_given.set()

    def _give(self, sender: Sender) -> Held:
        held = Held(sender, self._look)
        self._held.append(held)
        return held

    def _look(self) -> None:
        """Somebody's work can be ended that could not be when others began to wait."""
        if self._waiting and len(self._held) >= self.count:
            self._make_room(self._first().sender)

    def _first(self) -> _Waiting:
        """Of those who wait, the first of whoever holds the fewest."""
        networks, keys = self._counts()
        return min(self._waiting, key=lambda one: (networks[one.sender.network], keys[one.sender.key]))

    def _turn_away(self, sender: Sender) -> bool:
        """Refuse one that waits, for ``sender``: the last of the network that has the most, or of its own network."""
        near = [one for one in self._waiting if one.sender.network == sender.network]
        last = _last_of_most(self._waiting, lambda one: one.network, sender) or _last_of_most(
            near, lambda one: one.key, sender
        )
        if last is None:
            return False
        self._waiting.remove(last)
        last.is_given.set()  # nothing
        return True

    def _counts(self) -> tuple[Counter[str], Counter[str]]:
        """How many each network, and each address, holds that is not ending."""
        staying = [held.sender for held in self._held if not held.is_ending]
        return Counter(one.network for one in staying), Counter(one.key for one in staying)

    def _make_room(self, sender: Sender) -> None:
        now = anyio.current_time()
        coming = sum(held.asked_at is not None and now - held.asked_at < _SOON_SECONDS for held in self._held)
        if coming >= len(self._waiting):
            return  # one is on its way for everybody
        networks, keys = self._counts()
        asked = [one.sender for one in self._waiting]
        # Of those who wait, no more get a slot than come back with this one.
        ours = networks[sender.network] + min(coming + 1, sum(one.network == sender.network for one in asked))
        mine = keys[sender.key] + min(coming + 1, sum(one.key == sender.key for one in asked))
        near = [one for one in self._held if one.sender.network == sender.network]
        for held in (
            _oldest(self._held, lambda one: networks[one.network], more_than=ours),
            _oldest(near, lambda one: keys[one.key], more_than=mine),
        ):
            if held is not None and held.end is not None:
                held.asked_at = now
                held.end()
                return


def _oldest(held: list[Held], count_of: Callable[[Sender], int], *, more_than: int) -> Held | None:
    """The oldest slot that can be ended, of whoever holds the most and more than that."""
    can_end = [one for one in held if one.end is not None and not one.is_ending and count_of(one.sender) > more_than]
    return max(can_end, key=lambda one: count_of(one.sender), default=None)


def _last_of_most(waiting: list[_Waiting], name_of: Callable[[Sender], str], sender: Sender) -> _Waiting | None:
    """The last that waits of whoever has the most in the queue, and more than ``sender`` would have."""
    counts = Counter(name_of(one.sender) for one in waiting)
    most, count = max(counts.items(), key=lambda one: one[1], default=("", 0))
    if count <= counts[name_of(sender)] + 1:
        return None
    return next(one for one in reversed(waiting) if name_of(one.sender) == most)
