"""What the pass rate would be with a verifier that never errs."""

from dataclasses import dataclass

import numpy as np

from hub_server.evaluations.quality.outcomes import Estimate, Floats

_DRAWS = 20_000
_JEFFREYS = 0.5


@dataclass(frozen=True)
class Counted:
    """``count`` of ``total``."""

    count: int
    total: int

    def __post_init__(self) -> None:
        if not 0 <= self.count <= self.total:
            raise ValueError(f"count must lie in 0..{self.total}, not {self.count}")


def rogan_gladen(
    accepted: Counted, false_positives: Counted, false_negatives: Counted, seed: int = 0
) -> Estimate | None:
    """The true pass rate behind an observed one: (p - FPR) / (1 - FPR - FNR), clipped to 0..1.

    ``false_positives`` of the audit's negatives, ``false_negatives`` of its positives. The interval carries all three
    uncertainties: 95 % of seeded draws from their Jeffreys posteriors. None where a side was never measured or the
    verifier is no better than chance. Source: Rogan & Gladen, Am. J. Epidemiology 1978.
    """
    if not (accepted.total and false_positives.total and false_negatives.total):
        return None
    shares = [item.count / item.total for item in (accepted, false_positives, false_negatives)]
    value = _corrected(np.array(shares[0]), np.array(shares[1]), np.array(shares[2]))
    if 1 - shares[1] - shares[2] <= 0:
        return None
    random = np.random.default_rng(seed)
    observed, fpr, fnr = (
        random.beta(item.count + _JEFFREYS, item.total - item.count + _JEFFREYS, _DRAWS)
        for item in (accepted, false_positives, false_negatives)
    )
    usable = 1 - fpr - fnr > 0
    draws = _corrected(observed[usable], fpr[usable], fnr[usable])
    low, high = np.quantile(draws, (0.025, 0.975))
    # The posterior may shrink away from an edge on which the plain estimate sits.
    return Estimate(float(value), float(min(low, value)), float(max(high, value)))


def _corrected(observed: Floats, fpr: Floats, fnr: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.clip((observed - fpr) / (1 - fpr - fnr), 0.0, 1.0), dtype=np.float64)
