"""The names of cases' origins on pages."""

from schemas.evidence.rates import Measurement

ORIGIN_WORDS = {
    "held": "held by the hub",
    "suite": "independent suites",
    "rollout": "labelled rollouts",
    "community": "seconded counter-examples",
    "author": "the author’s cases",
    "reported": "reported, not counted yet",
    "probe": "generated probes",
}


def origin_words(origin: str) -> str:
    """What an origin of cases is called on a page."""
    return ORIGIN_WORDS.get(origin, origin)


def pull_words(name: str) -> str:
    """The words for a slice of the evidence: ``origin:suite`` -> *independent suites*."""
    kind, _, what = name.partition(":")
    if kind == "origin":
        return ORIGIN_WORDS.get(what, what)
    what = what.removeprefix("form ") if kind == "cluster" else what
    return {"tag": f"tag {what}", "cluster": f"form {what}", "probe": f"probe {what.replace('_', ' ')}"}.get(kind, name)


def cases_in(measurement: Measurement) -> int:
    """All cases of a measurement, those not judged included."""
    m = measurement
    return m.tp + m.fp + m.tn + m.fn + m.unscored
