"""Measurements for the drawings' tests."""

from hub_server.drawing.scale import wilson
from schemas.audit import Measurement


def measured(fn: int, right: int, fp: int, wrong: int, unscored: int = 0) -> Measurement:
    """``fn`` of ``right`` cases rejected, ``fp`` of ``wrong`` cases accepted."""
    return Measurement(
        tp=right - fn, fn=fn, fp=fp, tn=wrong - fp, unscored=unscored, fpr=wilson(fp, wrong), fnr=wilson(fn, right)
    )
