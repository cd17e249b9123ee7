"""A sample of calls is run again one level up: a package whose verdicts differ is stateful or not deterministic."""

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field

from sandbox.items import Item
from sandbox.lot import Lot
from sandbox.troubles import Trouble
from sandbox.verdicts import Ranges, verdict_of
from schemas.verdict import Verdict

_KEPT = 100


@dataclass(frozen=True)
class Mismatch:
    """One call that was judged differently when it shared less with its neighbours."""

    first: Mapping[str, float | None]
    again: Mapping[str, float | None]
    level: int
    payload: bytes


@dataclass
class Replays:
    """What replaying has found for one release. ``compared`` calls so far, ``mismatches`` the latest that differed."""

    compared: int = 0
    mismatch_count: int = 0
    mismatches: deque[Mismatch] = field(default_factory=lambda: deque(maxlen=_KEPT))
    pending: int = 0

    def start(self, lot: Lot, item: Item, first: Verdict, declared: Ranges) -> None:
        """Queue the call once more, one level up, and compare when it is judged."""

        def compare(_: Item, outcome: bytes | Trouble, __: int) -> None:
            self.pending -= 1
            if isinstance(outcome, Trouble) and outcome.kind == "host":
                return
            again = verdict_of(outcome, declared)
            self.compared += 1
            lot.record_replay(differs=again.rewards != first.rewards)
            if again.rewards != first.rewards:
                self.mismatch_count += 1
                self.mismatches.append(Mismatch(first.rewards, again.rewards, item.first_level, item.payload))

        self.pending += 1
        lot.submit([Item(item.payload, item.first_level + 1, item.timeout_seconds, compare)])
