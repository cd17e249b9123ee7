"""How many counter-examples count, and how many cases are taken out, by the word of accounts of standing alone."""

from collections import Counter
from collections.abc import Iterable, Mapping

from hub_server.audits.rules.label_reports import most_by_standing
from schemas.evidence.cases import AuditCase, Label
from schemas.evidence.rates import Measurement
from schemas.measures.seen import FEWEST_ALONE

MOST = 3
"""Of *n* cases without an error the 95 % interval ends near 3.8 / *n*, however many they are."""


def most_taken_out(measured: Measurement | None, label: Label) -> int:
    """How many cases with a label that count accounts of standing alone take out of a verifier's rates.

    As few as they bring in, beside so many cases with that label as its grade is read from (``None``: none yet).
    Without a limit two accounts took out every error that other people's verifiers had confirmed.
    """
    if measured is None:
        return 1
    of_side = measured.tp + measured.fn if label is Label.CORRECT else measured.fp + measured.tn
    return min(MOST, most_by_standing(of_side))


def most_that_count(beside: Iterable[AuditCase]) -> Mapping[str, int]:
    """Label -> how many, beside so many other cases with it: those by which a side is judged without the crowd.

    One standard error of an error rate of 2 %, as for reports of a suite's labels (decision 31), and never more than
    ``MOST``. So people who have earned standing and then lie together move no rate by more than its interval.
    """
    others, all_of_them = Counter[Label](), Counter[Label]()
    for case in beside:
        all_of_them[case.label] += 1
        others[case.label] += case.origin.is_independent
    return {
        label.value: min(MOST, most_by_standing(others[label] if others[label] >= FEWEST_ALONE else all_of_them[label]))
        for label in Label
    }
