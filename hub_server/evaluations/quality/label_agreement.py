"""Do people agree on labels, and which rollouts should they look at next."""

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence


def krippendorff_alpha(units: Sequence[Sequence[Hashable]]) -> float | None:
    """Krippendorff's alpha for nominal labels: 1 - observed / expected disagreement.

    ``units`` holds the labels that each case got, from however many people; cases with fewer than two do not count.
    1 is perfect, 0 is chance. None when there is no pair, or everybody always said the same one thing.
    Source: Krippendorff, Computing Krippendorff's Alpha-Reliability, 2011.
    """
    pairable = [unit for unit in units if len(unit) > 1]
    totals = Counter(label for unit in pairable for label in unit)
    count = sum(totals.values())
    if count < 2 or len(totals) < 2:
        return None
    observed = 0.0
    for unit in pairable:
        inside = Counter(unit)
        differing = len(unit) ** 2 - sum(times**2 for times in inside.values())
        observed += differing / (len(unit) - 1)
    expected = (count**2 - sum(times**2 for times in totals.values())) / (count - 1)
    return 1.0 - observed / expected


def most_informative(verdicts: Mapping[str, Sequence[bool | None]]) -> list[str]:
    """Rollouts in the order in which a label teaches most: those on which the verifiers disagree evenly come first.

    ``verdicts`` maps a rollout to what each verifier said (None: could not judge). The order is by the variance of the
    verdicts, then by how many judged, then by name; rollouts on which all agree are left out.
    """

    def spread(votes: Sequence[bool | None]) -> tuple[float, int]:
        judged = [vote for vote in votes if vote is not None]
        share = sum(judged) / len(judged) if judged else 0.0
        return share * (1 - share), len(judged)

    scored = [(spread(votes), name) for name, votes in verdicts.items()]
    return [
        name for (variance, _), name in sorted(scored, key=lambda item: (-item[0][0], -item[0][1], item[1])) if variance
    ]
