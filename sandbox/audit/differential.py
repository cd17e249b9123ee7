"""Two verifiers for the same tasks, or two releases of one: agreement, disagreements, a STARC-like distance."""

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, Literal

from sandbox.audit.cases import Declared, cases_digest
from sandbox.audit.evaluation import Judgement
from sandbox.audit.judge import CaseRun, Judge
from sandbox.interface import Source
from schemas.comparison import Disagreement, RewardDistance, VerifierComparison
from schemas.evidence.cases import AuditCase, Label, Origin
from schemas.evidence.rates import Rate
from schemas.manifest import Isolation
from schemas.measures.intervals import rate, wilson
from schemas.measures.percentiles import percentile
from schemas.verdict_pairs import pair_key

SHOWN_DISAGREEMENTS = 200  # chosen: a stored comparison holds their texts
_DRAWS = 1000  # of a bootstrap; chosen, not measured


async def compare_verifiers(
    sandbox: Judge,
    first: Source,
    second: Source,
    cases: Sequence[AuditCase],
    *,
    tasks: Mapping[str, dict[str, Any]],
    names: tuple[str, str],
    isolation: Isolation | None = None,
) -> VerifierComparison:
    """Run both over ``cases``. For two releases of one verifier, ``disagreements`` are the verdicts that changed."""
    one, _ = await CaseRun(sandbox, first, isolation).judge(cases, tasks)
    two, _ = await CaseRun(sandbox, second, isolation).judge(cases, tasks)
    return compare(one, two, (first.manifest.rewards, second.manifest.rewards), names)


def compare(
    first: Sequence[Judgement],
    second: Sequence[Judgement],
    declared: tuple[Declared, Declared],
    names: tuple[str, str],
) -> VerifierComparison:
    """The comparison of two lists of judgements over the same cases, in the same order."""
    pairs = list(zip(first, second, strict=True))
    judged = [(one, two) for one, two in _accepted(pairs, declared) if one is not None and two is not None]
    verdicts = _accepted(pairs, declared)
    counts = Counter(pair_key(one, two) for one, two in verdicts)
    parted = [
        _disagreement(one, two, accepted)
        for (one, two), accepted in zip(pairs, verdicts, strict=True)
        if accepted[0] != accepted[1]
    ]
    return VerifierComparison(
        first=names[0],
        second=names[1],
        case_count=len(pairs),
        counts=dict(sorted(counts.items())),
        agreement=_agreement(verdicts),
        kappa=cohens_kappa(judged),
        distance=reward_distance(_rewards_by_task(pairs, declared)),
        disagreements=parted[:SHOWN_DISAGREEMENTS],
        disagreement_count=len(parted),
        judged=len(judged),
        agreed=sum(one == two for one, two in judged),
        probe_count=sum(one.case.origin is Origin.PROBE for one, _ in pairs),
        suite_digest=cases_digest(one.case for one, _ in pairs),
    )


def _accepted(
    pairs: Sequence[tuple[Judgement, Judgement]], declared: tuple[Declared, Declared]
) -> list[tuple[bool | None, bool | None]]:
    return [(one.overall(declared[0]).accepted, two.overall(declared[1]).accepted) for one, two in pairs]


def cohens_kappa(pairs: Sequence[tuple[bool, bool]]) -> float | None:
    """Cohen's kappa: agreement beyond chance, at most 1.

    None without pairs, or when both always gave the same single verdict.

    Source: Cohen, A coefficient of agreement for nominal scales, 1960.
    """
    if not pairs:
        return None
    count = len(pairs)
    seen = sum(one == two for one, two in pairs) / count
    share_one, share_two = sum(one for one, _ in pairs) / count, sum(two for _, two in pairs) / count
    chance = share_one * share_two + (1 - share_one) * (1 - share_two)
    return None if chance == 1 else (seen - chance) / (1 - chance)


def reward_distance(by_task: Mapping[str, Sequence[tuple[float, float]]], seed: int = 0) -> RewardDistance | None:
    """Half the Euclidean distance of two canonicalised and normalised reward functions, 0 to 1.

    ``by_task`` maps a task to (first, second) rewards of its responses. Canonicalised: a task's mean is taken away, as
    adding a constant to all responses of a task changes no preference. Normalised: the whole function to length 1; one
    that prefers nothing stays 0, at distance 1/2 from any other. Source: Skalse et al., STARC: a general framework for
    quantifying differences between reward functions, ICLR 2024, for one-step tasks under the uniform policy.
    The interval is a seeded bootstrap over tasks; where all draws agree, that of the square of the distance, taken as
    the share of tasks on which preferences are opposite (Wilson). None where fewer than two tasks have two responses.
    """
    parts = [_moments(pairs) for pairs in _scaled(by_task) if len(pairs) > 1]
    if len(parts) < 2:
        return None
    value = _distance(parts)
    random = Random(seed)  # noqa: S311 -- a bootstrap, not a secret
    draws = [_distance(random.choices(parts, k=len(parts))) for _ in range(_DRAWS)]
    low, high = percentile(draws, 0.025), percentile(draws, 0.975)
    assert low is not None
    assert high is not None
    if high - low < 1e-9:  # Every draw gives the same value, so the draws cannot show the uncertainty.
        low, high = (math.sqrt(end) for end in wilson(min(value**2, 1.0) * len(parts), len(parts)))
    return RewardDistance(value=value, low=min(low, value), high=max(high, value))


def _scaled(by_task: Mapping[str, Sequence[tuple[float, float]]]) -> list[list[tuple[float, float]]]:
    """Both functions divided by their largest value, which changes no distance.

    Otherwise squares of 1e200 would overflow.
    """
    pairs = [pair for listed in by_task.values() for pair in listed]
    one = max((abs(first) for first, _ in pairs), default=0.0) or 1.0
    two = max((abs(second) for _, second in pairs), default=0.0) or 1.0
    return [[(first / one, second / two) for first, second in listed] for listed in by_task.values()]


def _moments(pairs: Sequence[tuple[float, float]]) -> tuple[float, float, float]:
    """Sums of squares and of products of the two rewards, around the task's means."""
    mean_one = sum(one for one, _ in pairs) / len(pairs)
    mean_two = sum(two for _, two in pairs) / len(pairs)
    return (
        sum((one - mean_one) ** 2 for one, _ in pairs),
        sum((two - mean_two) ** 2 for _, two in pairs),
        sum((one - mean_one) * (two - mean_two) for one, two in pairs),
    )


def _distance(parts: Sequence[tuple[float, float, float]]) -> float:
    """½ ‖a/|a| − b/|b|‖ from summed moments."""
    one, two, product = (sum(part[index] for part in parts) for index in range(3))
    if one <= 0 and two <= 0:
        return 0.0
    if one <= 0 or two <= 0:
        return 0.5
    cosine = max(-1.0, min(1.0, product / math.sqrt(one * two)))
    return math.sqrt((1 - cosine) / 2)


def _rewards_by_task(
    pairs: Sequence[tuple[Judgement, Judgement]], declared: tuple[Declared, Declared]
) -> dict[str, list[tuple[float, float]]]:
    """Weighted sums of both verifiers, for the cases that both judged."""
    found: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for one, two in pairs:
        first = one.verdict.weighted_sum(dict(declared[0])) if one.verdict is not None else None
        second = two.verdict.weighted_sum(dict(declared[1])) if two.verdict is not None else None
        if first is not None and second is not None:
            found[one.task_name].append((first, second))
    return found


def _agreement(verdicts: Sequence[tuple[bool | None, bool | None]]) -> Rate:
    """Over the cases that both judged."""
    judged = [(one, two) for one, two in verdicts if one is not None and two is not None]
    return rate(sum(one == two for one, two in judged), len(judged))


def _disagreement(one: Judgement, two: Judgement, accepted: tuple[bool | None, bool | None]) -> Disagreement:
    right = one.case.label is Label.CORRECT
    side: Literal["first", "second", "neither"] = "neither"
    if right in accepted:
        side = "first" if accepted[0] == right else "second"
    return Disagreement(
        case=one.case.id,
        label=one.case.label,
        first=accepted[0],
        second=accepted[1],
        first_rewards=dict(one.verdict.rewards) if one.verdict is not None else {},
        second_rewards=dict(two.verdict.rewards) if two.verdict is not None else {},
        sides_with=side,
        task=one.shown_task,
        response=one.shown_response,
        origin=one.case.origin,
    )
