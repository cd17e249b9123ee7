"""Which node a release's calls go to: always the same one while it has room, then the next. Pure."""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

_FIRST_GUESS_MS = 1.0  # chosen: before a release's first verdict
_LEAST_MS = 0.02  # chosen, not measured
_GROUP_MS = 100.0  # of a node's boxes together; chosen: smaller ones cost messages, larger ones are lost together
_LARGEST_GROUP = 256  # chosen, not measured


def rank(digest: str, node_ids: Iterable[str]) -> list[str]:
    """Nodes in this release's own order (rendezvous hashing).

    The order of two nodes never depends on a third: a node that comes or goes moves only the releases that are its own.
    """

    def weight(node_id: str) -> bytes:
        return hashlib.blake2b(f"{node_id} {digest}".encode(), digest_size=8).digest()

    return sorted(node_ids, key=weight, reverse=True)


class CallTimes:
    """A running mean of what a call of a release takes in a box, in milliseconds."""

    def __init__(self) -> None:
        self._ms: dict[str, float] = {}

    def of(self, digest: str) -> float:
        return self._ms.get(digest, _FIRST_GUESS_MS)

    def knows(self, digest: str) -> bool:
        """Whether a call of it has been seen."""
        return digest in self._ms

    def saw(self, digest: str, times: Sequence[float]) -> None:
        """Update the mean with the milliseconds of some verdicts. 0 means that the call never ran."""
        ran = [time for time in times if time > 0]
        if ran:
            new = sum(ran) / len(ran)
            mean = self._ms.get(digest, new)
            self._ms[digest] = max(_LEAST_MS, mean + (new - mean) * len(ran) / (len(ran) + 15))


def group_limit(call_ms: float, boxes_per_package: int) -> int:
    """How many calls travel together: many short ones, so that the journey costs little; few long ones, so that the
    next node gets its share of them.
    """
    return max(1, min(_LARGEST_GROUP, int(_GROUP_MS * boxes_per_package / call_ms)))


@dataclass
class Load:
    """What one node has from us now. ``boxes_per_package``: boxes of one release that run side by side there."""

    boxes_per_package: int = 1
    calls: int = 0
    work_ms: float = 0.0

    def add(self, count: int, call_ms: float) -> None:
        self.calls += count
        self.work_ms += count * call_ms

    def remove(self, count: int, call_ms: float) -> None:
        self.calls -= count
        self.work_ms = max(0.0, self.work_ms - count * call_ms) if self.calls else 0.0

    @property
    def depth_seconds(self) -> float:
        """How long a call that came now would wait, as far as we know."""
        return self.work_ms / self.boxes_per_package / 1000


def pick(ranked: Iterable[tuple[str, Load]], *, spill_seconds: float, calls_per_node: int) -> str | None:
    """The first node in order that has little work; else the one with the least; None when all are full."""
    open_nodes = [(node_id, load) for node_id, load in ranked if load.calls < calls_per_node]
    for node_id, load in open_nodes:
        if load.depth_seconds < spill_seconds:
            return node_id
    return min(open_nodes, key=lambda node: node[1].depth_seconds)[0] if open_nodes else None
