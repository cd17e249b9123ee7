"""When two verifiers count as near-duplicates, and which pairs are worth comparing in the sandbox."""

from collections.abc import Sequence
from dataclasses import dataclass

from schemas.comparison import VerifierComparison

FEWEST_JUDGED = 30
FEWEST_OF_A_KIND = 5
"""Both must have accepted so many of the same cases and rejected so many: two that reject all are no duplicates."""
MOST_DISTANCE = 0.05
SAME_SOURCE = 0.8
"""The share of common shingles from which on the code counts as a copy."""
WORTH_RUNNING = 0.4
MOST_RUN = 6


@dataclass(frozen=True)
class Traits:
    """What is known of a verifier without running it."""

    release_id: str
    package: str
    rewards: frozenset[tuple[str, str]]
    """(name, role) of what decides in the declared vector: scores and gates."""
    tags: frozenset[str]


def behaves_alike(found: VerifierComparison) -> bool:
    """The same verdict on every case that both judged, enough of both kinds, and rewards at most 0.05 apart."""
    kinds = [found.counts.get("accepted/accepted", 0), found.counts.get("rejected/rejected", 0)]
    return (
        found.judged >= FEWEST_JUDGED
        and found.agreed == found.judged
        and min(kinds) >= FEWEST_OF_A_KIND
        and found.distance is not None
        and found.distance.value <= MOST_DISTANCE
    )


def is_comparable(found: VerifierComparison) -> bool:
    """Whether both could judge enough of the same cases for their agreement to mean anything."""
    return found.judged >= FEWEST_JUDGED


def promise(one: Traits, other: Traits, similarity: float) -> float:
    """How likely two verifiers judge the same thing, from shared code, the same rewards and shared tags. 0..2."""
    same_vector = 0.5 if one.rewards and one.rewards == other.rewards else 0.0
    either = one.tags | other.tags
    shared_tags = 0.5 * len(one.tags & other.tags) / len(either) if either else 0.0
    return similarity + same_vector + shared_tags


def worth_running(candidates: Sequence[tuple[str, float]]) -> list[str]:
    """The release ids to compare with, most promising first: (release id, promise)."""
    good = [(name, value) for name, value in candidates if value >= WORTH_RUNNING]
    return [name for name, _ in sorted(good, key=lambda item: (-item[1], item[0]))][:MOST_RUN]
