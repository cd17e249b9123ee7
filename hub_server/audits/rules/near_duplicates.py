"""When two verifiers count as near-duplicates, and which pairs are worth comparing in the sandbox."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from schemas.comparison import VerifierComparison
from schemas.manifest import ImportedFrom

FEWEST_JUDGED = 30  # no difference in 30 cases: the true share may still be 11 % (Wilson, 95 %)
FEWEST_OF_A_KIND = 5
"""Both must have accepted so many of the same cases and rejected so many: two that reject all are no duplicates."""
MOST_DISTANCE = 0.05  # chosen; the STARC distance of their rewards, 0 to 1
SAME_SOURCE = 0.8
"""The share of common shingles from which on the code counts as a copy."""
WORTH_RUNNING = 0.4  # chosen, not measured
MOST_RUN = 6  # chosen: each is run over hundreds of cases
MOST_COPIES = 20
"""Copies that are kept of a release without being run: of one verifier published a thousand times, the closest."""
COMMON = 20
"""What more verifiers than these have in common says less of each: a thousand games declare the reward ``solved``."""


@dataclass(frozen=True)
class Traits:
    """What is known of a verifier without running it."""

    release_id: str
    package: str
    rewards: frozenset[tuple[str, str]]
    """(name, role) of what decides in the declared vector: scores and gates."""
    tags: frozenset[str]
    imported: ImportedFrom | None = None


def share_an_importer(one: Traits, other: Traits, similarity: float) -> bool:
    """Whether two are different environments of one library, and their code the importer's, which is the same for all.

    What judges is in the library, so such code says nothing of them, and neither do equal verdicts on each other's
    cases. An author can write anything into ``[imported]``: who has copies counted as one owner's asks for the code
    alone.
    """
    both = one.imported, other.imported
    if both[0] is None or both[1] is None or similarity < SAME_SOURCE:
        return False
    return both[0].library == both[1].library and both[0].source != both[1].source


def how_telling(judging: Iterable[Traits]) -> dict[object, float]:
    """Weight of each reward vector and tag, 0 to 1: 1 for what at most ``COMMON`` verifiers have."""
    counts: Counter[object] = Counter()
    for one in judging:
        counts[one.rewards] += 1
        counts.update(one.tags)
    return {trait: min(1.0, COMMON / count) for trait, count in counts.items()}


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


def promise(
    one: Traits, other: Traits, similarity: float, weights: Mapping[object, float] = MappingProxyType({})
) -> float:
    """How likely two verifiers judge the same thing, from shared code, the same rewards and shared tags. 0..2.

    ``weights``: of :func:`how_telling`.
    """
    same_vector = 0.5 * weights.get(one.rewards, 1.0) if one.rewards and one.rewards == other.rewards else 0.0
    shared = sum(weights.get(tag, 1.0) for tag in one.tags & other.tags)
    either = one.tags | other.tags
    return similarity + same_vector + (0.5 * shared / len(either) if either else 0.0)


def worth_running(candidates: Sequence[tuple[str, float]]) -> list[str]:
    """The release ids to compare with, most promising first: (release id, promise)."""
    good = [(name, value) for name, value in candidates if value >= WORTH_RUNNING]
    return [name for name, _ in sorted(good, key=lambda item: (-item[1], item[0]))][:MOST_RUN]
