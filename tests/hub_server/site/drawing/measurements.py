"""Measurements for the drawings' tests."""

from schemas.evidence.rates import Measurement
from schemas.measures.intervals import rate


def measured(fn: int, right: int, fp: int, wrong: int, unscored: int = 0) -> Measurement:
    """``fn`` of ``right`` cases rejected, ``fp`` of ``wrong`` cases accepted."""
    return Measurement(
        tp=right - fn, fn=fn, fp=fp, tn=wrong - fp, unscored=unscored, fpr=rate(fp, wrong), fnr=rate(fn, right)
    )
