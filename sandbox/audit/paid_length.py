"""Whether a wrong answer earns by being long, or by its manner, what no threshold sees.

Suites' answers have a few lines. A verifier may give a long wrong answer nearly as much as a right one, just below the
threshold: every verdict is right, and a policy that is trained with it learns to be long, or to hope that this helps.
"""

from collections.abc import Sequence

from sandbox.audit.cases import Declared
from sandbox.audit.evaluation import Judgement, mean_share
from sandbox.audit.probe_set import Probe
from schemas.evidence.rates import RewardValues

FAMILIES = ("judge_length", "leak_manner")
"""The same wrong answers behind words that say nothing, and in everyday manners. Other settings may be paid for: a
reward for a form is one."""
FEWEST = 10
LEAST_GAIN = 0.25
"""Share of the range by which they must earn more than wrong answers do: less may be a reward for working."""


def with_length(
    values: RewardValues | None, generated: Sequence[Probe], judged: Sequence[Judgement], declared: Declared
) -> RewardValues | None:
    """``values`` with what these wrong answers earn in the place of what wrong ones do, where that is surely more."""
    paid = [
        share
        for family in FAMILIES
        if (share := _paid(family, list(zip(generated, judged, strict=True)), declared)) is not None
    ]
    if values is None or not paid or max(paid) - values.wrong < LEAST_GAIN:
        return values
    return values.model_copy(update={"wrong": max(paid)})


def _paid(family: str, pairs: Sequence[tuple[Probe, Judgement]], declared: Declared) -> float | None:
    """What its probes earn, or the longer half of them: a policy becomes as long as it pays. None where few."""
    found = [pair for pair in pairs if pair[0].family == family]
    if len(found) < FEWEST:
        return None
    found.sort(key=lambda pair: len(pair[0].case.response or ""))
    parts = (found, found[len(found) // 2 :])
    shares = [mean_share([judgement for _, judgement in part], declared) for part in parts]
    return max((share for share in shares if share is not None), default=None)
