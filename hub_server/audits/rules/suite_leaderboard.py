"""The order of verifiers on a suite, and the cases they disagree on, out of what each audit measured on it."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

from schemas.evidence.audit import Failure
from schemas.evidence.cases import AuditCase, Label, Origin
from schemas.evidence.suite_leaderboard import CaseProvenance, ContestedCase, SuiteLeaderboardRow
from schemas.measures.evidence import has_both

MOST_PROVENANCES = 20
_SHOWN = 200


def in_order(rows: Iterable[SuiteLeaderboardRow]) -> list[SuiteLeaderboardRow]:
    """Those with both sides measured first, by the larger upper bound, then by name."""

    def place(one: SuiteLeaderboardRow) -> tuple[bool, float, str]:
        found = one.measurement
        return not has_both(found), max(found.fpr.high, found.fnr.high), one.package

    return sorted(rows, key=place)


def wrong_cases(suite: str, failures: Iterable[Failure]) -> dict[str, str]:
    """Case of the suite -> ``fp`` or ``fn``. Held cases and those that were not judged stay out."""
    prefix = f"{suite}:"
    return {
        one.case.removeprefix(prefix): one.kind
        for one in failures
        if one.case.startswith(prefix) and one.origin is not Origin.HELD and one.kind != "unscored"
    }


def contested_cases(wrong: Mapping[str, Mapping[str, str]]) -> list[ContestedCase]:
    """The suite's cases that verifiers judge against their label; ``wrong``: verifier -> :func:`wrong_cases`.

    Each audit draws from a large suite, so a case may not have been put to all of them: ``wrong`` of ``of`` is the
    least that can be said. Task and response are not in it.
    """
    against: dict[str, list[str]] = defaultdict(list)
    kinds: dict[str, str] = {}
    for verifier, found in wrong.items():
        for case, kind in found.items():
            against[case].append(verifier)
            kinds.setdefault(case, kind)
    made = [
        ContestedCase(
            case=case,
            label=Label.INCORRECT if kinds[case] == "fp" else Label.CORRECT,
            wrong=len(verifiers),
            of=len(wrong),
            verifiers=sorted(verifiers),
        )
        for case, verifiers in against.items()
    ]
    return sorted(made, key=lambda one: (-one.wrong, one.case))


def provenance_of(cases: Iterable[AuditCase]) -> list[CaseProvenance]:
    """How many cases come from where, and who labelled them; at most ``MOST_PROVENANCES`` rows, the largest first."""
    counts = Counter((one.source[:_SHOWN], one.licence[:_SHOWN], one.labelled_by) for one in cases)
    return [
        CaseProvenance(source=source, licence=licence, labelled_by=by, cases=count)
        for (source, licence, by), count in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    ][:MOST_PROVENANCES]
