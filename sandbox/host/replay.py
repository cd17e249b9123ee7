"""A sample of calls is run again one level up: a package whose verdicts differ is stateful or not deterministic."""

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field

from sandbox.host.dispatcher import Dispatcher
from sandbox.host.queued_call import CallError, Outcome, QueuedCall
from sandbox.host.verdict_codec import Ranges, verdict_of
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

    def start(self, dispatcher: Dispatcher, call: QueuedCall, first: Verdict, declared: Ranges) -> None:
        """Queue the call once more, one level up, and compare when it is judged."""

        def compare(_: QueuedCall, outcome: Outcome, __: int) -> None:
            self.pending -= 1
            if isinstance(outcome, CallError) and outcome.kind == "host":
                return
            again = verdict_of(outcome, declared)
            self.compared += 1
            dispatcher.record_replay(differs=again.rewards != first.rewards)
            if again.rewards != first.rewards:
                self.mismatch_count += 1
                self.mismatches.append(Mismatch(first.rewards, again.rewards, call.first_level, call.payload))

        self.pending += 1
        dispatcher.submit([QueuedCall(call.payload, call.first_level + 1, call.timeout_seconds, compare)])
