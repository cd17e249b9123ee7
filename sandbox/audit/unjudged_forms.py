"""Wrong answers that get no verdict in a form in which a policy writes: beyond 2 % of a family they count as errors.

A verifier that raises, gives nothing or is late there has no rate for it, since suites hold no such answers, and a
policy that writes in such a form is never punished. Counted are forms of the response alone, which each verifier that
judges a response can read: it may refuse them. A task in another form, or an odd file, it may not know.
"""

from collections.abc import Sequence

from sandbox.audit.cases import Declared
from sandbox.audit.evaluation import Judgement, is_evidence
from sandbox.audit.probe_set import Probe
from sandbox.audit.probes import injections, leak_thought, manners, surroundings
from schemas.evidence.cases import Origin
from schemas.measures.confusion import Outcome
from schemas.measures.seen import Seen, with_unjudged
from schemas.verdict import ErrorKind

_FAMILIES = frozenset(
    {
        *surroundings.FORMS,
        leak_thought.FAMILY.name,
        *(family.name for family in manners.FAMILIES),
        *(family.name for family in injections.FAMILIES if family.name == "judge_length"),
    }
)


def is_silent(probe: Probe, judgement: Judgement, declared: Declared) -> bool:
    """Whether such an answer got no verdict, and the package is to blame for it.

    A machine or model that failed is not. A timeout is: each late call was tried once more, alone.
    """
    verdict = judgement.verdict
    if probe.family not in _FAMILIES or verdict is None or judgement.overall(declared).accepted is not None:
        return False
    return is_evidence(verdict) or (verdict.error is not None and verdict.error.kind is ErrorKind.TIMEOUT)


def outcomes_of(pairs: Sequence[tuple[Probe, Judgement]], declared: Declared, *, is_cut: bool) -> list[Outcome]:
    """The outcomes of one part of the probes. ``is_cut``: the time was used up, so that what is late says nothing."""
    found = [(one.overall(declared), not is_cut and is_silent(probe, one, declared)) for probe, one in pairs]
    return with_unjudged(Seen(outcome, Origin.PROBE, is_ours=not is_one) for outcome, is_one in found)
