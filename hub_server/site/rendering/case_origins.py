"""The names of cases' origins on pages."""

from schemas.evidence.part_words import ORIGIN_WORDS
from schemas.evidence.rates import Measurement


def origin_words(origin: str) -> str:
    """What an origin of cases is called on a page."""
    return ORIGIN_WORDS.get(origin, origin)


def cases_in(measurement: Measurement) -> int:
    """All cases of a measurement, those not judged included."""
    m = measurement
    return m.tp + m.fp + m.tn + m.fn + m.unscored
