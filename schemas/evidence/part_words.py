"""What the parts of the evidence are called for readers: on pages and in terminals."""

from collections.abc import Mapping

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
"""Where cases come from."""

ORIGINS_IN_LISTS = {
    "held": "held",
    "suite": "of suites",
    "rollout": "labelled",
    "community": "seconded",
    "author": "its author’s",
}
"""The origins that rates are measured on, in the order of a list, in as few letters as a row has room for."""


def part_words(name: str) -> str:
    """The words for a slice of the evidence: ``origin:suite`` -> *independent suites*, ``cluster:form hashes`` ->
    *form hashes*.
    """
    kind, _, what = name.partition(":")
    if kind == "origin":
        return ORIGIN_WORDS.get(what, what)
    what = what.removeprefix("form ") if kind == "cluster" else what
    return {"tag": f"tag {what}", "cluster": f"form {what}", "probe": f"probe {what.replace('_', ' ')}"}.get(kind, name)


def origin_counts(origins: Mapping[str, Measurement]) -> dict[str, int]:
    """How many cases a list shows of each origin, those not judged included: others' first, the author's last."""
    counts = {
        one: found.tp + found.fp + found.tn + found.fn + found.unscored
        for one in ORIGINS_IN_LISTS
        if (found := origins.get(one)) is not None
    }
    return {one: count for one, count in counts.items() if count}


def origins_text(origins: Mapping[str, Measurement]) -> str:
    """``900 of suites, 20 its author’s``, for a row of a list. Empty where nothing is known of them."""
    counts = origin_counts(origins)
    return ", ".join(f"{count:,} {ORIGINS_IN_LISTS[one]}" for one, count in counts.items())
