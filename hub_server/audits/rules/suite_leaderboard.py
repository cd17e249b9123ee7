"""The order of verifiers on a suite, and the cases they disagree on, out of summaries and failures."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from schemas.audit import Failure, Label, Origin
from schemas.measures.evidence import has_both
from schemas.suite_leaderboard import ContestedCase, SuiteLeaderboardRow


def in_order(rows: Iterable[SuiteLeaderboardRow]) -> list[SuiteLeaderboardRow]:
    """Those with both sides measured first, by the larger upper bound, then by name."""

    def place(one: SuiteLeaderboardRow) -> tuple[bool, float, str]:
        found = one.measurement
        return not has_both(found), max(found.fpr.high, found.fnr.high), one.package

    return sorted(rows, key=place)


def contested_cases(suite: str, failures: Mapping[str, Sequence[Failure]]) -> list[ContestedCase]:
    """The suite's cases that verifiers judge against their label; ``failures``: verifier -> its report's.

    Held cases and those that were not judged stay out. Each audit draws from a large suite, so a case may not have been
    put to all of them: ``wrong`` of ``of`` is the least that can be said.
    """
    against: dict[str, list[str]] = defaultdict(list)
    shown: dict[str, Failure] = {}
    prefix = f"{suite}:"
    for verifier, found in failures.items():
        for failure in found:
            is_suites = failure.case.startswith(prefix) and failure.origin is not Origin.HELD
            if is_suites and failure.kind != "unscored":
                against[failure.case].append(verifier)
                shown.setdefault(failure.case, failure)
    made = [
        ContestedCase(
            case=name.removeprefix(prefix),
            label=Label.INCORRECT if shown[name].kind == "fp" else Label.CORRECT,
            wrong=len(verifiers),
            of=len(failures),
            verifiers=sorted(verifiers),
            task=shown[name].task,
            response=shown[name].response,
        )
        for name, verifiers in against.items()
    ]
    return sorted(made, key=lambda one: (-one.wrong, one.case))
