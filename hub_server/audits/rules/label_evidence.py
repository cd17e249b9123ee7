"""What a suite's own cases, and the verifiers measured on it, say of its labels."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence

from hub_server.audits.rules.cases import case_key
from schemas.evidence.cases import AuditCase, Label
from schemas.evidence.suite_leaderboard import ContestedCase

FEWEST_FOR_A_MAJORITY = 3
"""Of fewer verifiers, one that is wrong would be half of them."""


def repeats_of(cases: Iterable[AuditCase]) -> tuple[int, int]:
    """(tasks with a response that come more than once, those of them with both labels).

    Only cases that look alike are compared by their keys: to make all keys of 5,000 cases took 23 ms, this takes 4.
    """
    alike = defaultdict[tuple[str, str], list[AuditCase]](list)
    for case in cases:
        alike[_look(case)].append(case)
    counts, labels = Counter[str](), defaultdict[str, set[Label]](set)
    for several in alike.values():
        for case in several if len(several) > 1 else ():
            key = case_key(case)
            counts[key] += 1
            labels[key].add(case.label)
    repeated = [key for key, count in counts.items() if count > 1]
    return len(repeated), sum(len(labels[key]) > 1 for key in repeated)


def turned_labels(before: Iterable[AuditCase], now: Iterable[AuditCase]) -> int:
    """How many cases of ``now`` were in ``before`` with the other label alone."""
    alike = defaultdict[tuple[str, str], list[AuditCase]](list)
    for case in before:
        alike[_look(case)].append(case)
    turned = 0
    for case in now:
        known = alike.get(_look(case), [])
        if any(one.label is not case.label for one in known):
            key = case_key(case)
            labels = {one.label for one in known if case_key(one) == key}
            turned += bool(labels) and case.label not in labels
    return turned


def _look(case: AuditCase) -> tuple[str, str]:
    """The same for the same case, and quick to make."""
    return str((case.task or {}).get("prompt")), case.response or ""


def against_majority(contested: Sequence[ContestedCase], verifiers: Collection[str]) -> int | None:
    """Cases on which more than half of ``verifiers`` say the opposite of the label; None where they are too few."""
    if len(verifiers) < FEWEST_FOR_A_MAJORITY:
        return None
    return sum(2 * len(set(one.verifiers) & set(verifiers)) > len(verifiers) for one in contested)
