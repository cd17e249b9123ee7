"""Whether a wrong answer earns by its form: by thinking in tags, a code block, a line in another language, a turn.

A verifier may pay for a form just below the threshold, which no verdict shows. A reward for a form is usual, and right
answers in that form earn it too. So right answers and wrong ones are compared in the same form: what then differs is
the answer alone. Where they earn nearly the same, a policy that is trained with the verifier learns the form.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from random import Random

from sandbox.audit.cases import Declared
from sandbox.audit.evaluation import Judgement, mean_share, reward_values
from sandbox.audit.paid_length import FEWEST, LEAST_GAIN
from sandbox.audit.probe_set import Probe
from sandbox.audit.probes.material import Material
from sandbox.audit.probes.surroundings import FORMS, right_responses
from schemas.evidence.cases import AuditCase, Label, Origin
from schemas.evidence.rates import RewardValues, ValuesInForm

_MOST = 4
"""Forms that are looked at: those that pay most."""
_EACH, _READ = 12, 4
"""Right answers in each form, and how many of them must be accepted: a verifier may refuse some for their words."""

Way = tuple[str, str]
"""A family and one of its ways."""


@dataclass(frozen=True)
class RightInForm:
    """A right answer that this verifier accepts, in a form that pays."""

    way: Way
    case: AuditCase


def paying(
    shown: Iterable[Judgement], generated: Sequence[Probe], judged: Sequence[Judgement], declared: Declared
) -> list[Way]:
    """The forms in which wrong answers earn more than they do otherwise, by ``LEAST_GAIN`` of the range at least."""
    usual = reward_values(shown, declared)
    if usual is None:
        return []
    gains = {way: share - usual.wrong for way, share in _shares(generated, judged, declared, fewest=1).items()}
    found = sorted(way for way, gain in gains.items() if gain >= LEAST_GAIN)
    return sorted(found, key=lambda way: -gains[way])[:_MOST]


def right_ones(ways: Iterable[Way], material: Material, seed: int | str) -> list[RightInForm]:
    """A dozen right answers in each of the forms. Each is judged, and none is a probe: a form may be refused."""
    found = []
    for family, way in ways:
        random = Random(f"{seed}:paid:{family}:{way}")  # noqa: S311 -- reproducible cases, not secrets
        right = list(right_responses(material))
        responses = random.sample(right, min(len(right), _EACH)) * _EACH
        made = (draft for draft in FORMS[family](responses, random) if draft.way == way)
        found += [
            RightInForm(
                (family, way),
                AuditCase(
                    id=f"paid:{family}:{way}:{number}",
                    task=draft.task,
                    response=draft.response,
                    messages=draft.messages,
                    label=Label.CORRECT,
                    origin=Origin.PROBE,
                ),
            )
            for number, draft in enumerate(islice(made, _EACH))
        ]
    return found


def with_forms(
    values: RewardValues | None,
    wrong: Mapping[Way, float],
    right: Sequence[tuple[RightInForm, Judgement]],
    declared: Declared,
) -> RewardValues | None:
    """``values``, or what right and wrong answers earn in the form in which they differ least, where that is less."""
    found = values
    for way, share in sorted(wrong.items()):
        same = [judgement for one, judgement in right if one.way == way]
        read = [judgement for judgement in same if judgement.overall(declared).accepted is True]
        if found is None or len(same) < FEWEST:
            continue
        earned = mean_share(read, declared) if len(read) >= _READ else None
        if earned is None:  # it cannot read answers in this form, and pays for it all the same
            earned = found.right
        if earned - share < found.right - found.wrong:
            found = ValuesInForm(right=earned, wrong=share, overlap=found.overlap, form=": ".join(way))
    return found


def wrong_shares(generated: Sequence[Probe], judged: Sequence[Judgement], declared: Declared) -> dict[Way, float]:
    """What wrong answers earn in each form, where there are enough of them."""
    return _shares(generated, judged, declared, fewest=FEWEST)


def _shares(
    generated: Sequence[Probe], judged: Sequence[Judgement], declared: Declared, *, fewest: int
) -> dict[Way, float]:
    """Of those that were rejected: what is accepted is a failure of its family."""
    by_way: dict[Way, list[Judgement]] = defaultdict(list)
    for probe, judgement in zip(generated, judged, strict=True):
        if probe.family in FORMS and probe.way and not judgement.overall(declared).is_wrong:
            by_way[probe.family, probe.way].append(judgement)
    shares = {way: mean_share(found, declared) for way, found in by_way.items() if len(found) >= fewest}
    return {way: share for way, share in shares.items() if share is not None}
