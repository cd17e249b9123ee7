"""What a suite's own cases, and the verifiers measured on it, say of its labels."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence

from hub_server.audits.rules.cases import case_key
from schemas.evidence.cases import AuditCase, Label
from schemas.evidence.suite_leaderboard import ContestedCase

FEWEST_FOR_A_MAJORITY = 3
"""Of fewer verifiers, one that is wrong would be half of them."""


def repeats_of(cases: Iterable[AuditCase]) -> tuple[int, int]:
    """(tasks with a response that come more than once, those of them with both labels)."""
    counts, labels = Counter[str](), defaultdict[str, set[Label]](set)
    for case in cases:
        key = case_key(case)
        counts[key] += 1
        labels[key].add(case.label)
    repeated = [key for key, count in counts.items() if count > 1]
    return len(repeated), sum(len(labels[key]) > 1 for key in repeated)


def against_majority(contested: Sequence[ContestedCase], verifiers: Collection[str]) -> int | None:
    """Cases on which more than half of ``verifiers`` say the opposite of the label; None where they are too few."""
    if len(verifiers) < FEWEST_FOR_A_MAJORITY:
        return None
    return sum(2 * len(set(one.verifiers) & set(verifiers)) > len(verifiers) for one in contested)
