"""Measurements by their four counts."""

from schemas.measures.confusion import Outcome, measure


def measured(tp: int = 0, fn: int = 0, tn: int = 0, fp: int = 0, unscored: int = 0):
    return measure(
        [Outcome(True, True)] * tp
        + [Outcome(True, False)] * fn
        + [Outcome(False, False)] * tn
        + [Outcome(False, True)] * fp
        + [Outcome(True, None)] * unscored
    )
