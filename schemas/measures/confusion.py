"""A verifier against labelled cases: the confusion matrix, both error rates, Youden's J."""

from collections.abc import Iterable
from dataclasses import dataclass

from schemas.evidence.rates import Measurement, Rate
from schemas.measures.clusters import Groups, clustered_rate
from schemas.measures.intervals import difference


@dataclass(frozen=True, slots=True)
class Outcome:
    """One case seen through one reward (or overall): the required and the actual outcome. None = not judged.

    ``groups``: what the case has in common with others (its task, its form); () when it is independent of all others.
    """

    must_accept: bool
    accepted: bool | None
    groups: Groups = ()

    @property
    def is_wrong(self) -> bool:
        """Whether it was judged, and not as it must be."""
        return self.accepted is not None and self.accepted != self.must_accept


def measure(outcomes: Iterable[Outcome]) -> Measurement:
    """The confusion matrix and both rates. Unjudged cases are counted apart and are in neither rate."""
    found = list(outcomes)
    judged = [one for one in found if one.accepted is not None]
    wrong = [(bool(one.accepted), one.groups) for one in judged if not one.must_accept]
    right = [(not one.accepted, one.groups) for one in judged if one.must_accept]
    fp, fn = sum(error for error, _ in wrong), sum(error for error, _ in right)
    fpr, fnr = clustered_rate(wrong), clustered_rate(right)
    return Measurement(
        tp=len(right) - fn,
        fp=fp,
        tn=len(wrong) - fp,
        fn=fn,
        unscored=len(found) - len(judged),
        fpr=fpr,
        fnr=fnr,
        j=_youden(fpr, fnr),
    )


def youden_j(measurement: Measurement) -> float | None:
    """J = 1 - FPR - FNR; None when either side has no case.

    At 0 the reward carries no information, below 0 it misleads.
    """
    if measurement.fpr.value is None or measurement.fnr.value is None:
        return None
    return 1 - measurement.fpr.value - measurement.fnr.value


def _youden(fpr: Rate, fnr: Rate) -> Rate | None:
    """J as a difference of two shares: of the right cases, and of the wrong cases, that were accepted."""
    if fnr.value is None:
        return None
    found = difference(Rate(value=1 - fnr.value, low=1 - fnr.high, high=1 - fnr.low), fpr)
    return None if found is None else Rate(value=found.value, low=found.low, high=found.high)
