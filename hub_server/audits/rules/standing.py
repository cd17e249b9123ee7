"""Who may make a counter-example count. An account earns standing by cases that held and loses it by wrong labels."""

from collections.abc import Collection, Mapping
from typing import Literal

ENOUGH = 3
"""Points from which on an account has standing."""
SECONDERS = 2
"""Accounts of standing that make a case count together."""
LOSS = 3
"""What a label costs that a moderator turned round or refused, to whoever gave or seconded it."""
BY_OWNER, BY_STANDING, BY_MODERATOR, BY_LABELS = "owner", "standing", "moderator", "labels"
BY_VERIFIERS = "verifiers"
"""Other people's verifiers agree (``rules.verifiers_agree``). It weighs as little as the owner's word, earns nobody

standing, and any word of people who have it overrules it."""

STANDING = (BY_STANDING, BY_LABELS)
"""Accounts of standing make it count, by seconding or by labelling."""


def is_by_standing_alone(counted_by: str, corroborated_by: str) -> bool:
    """Whether nobody but accounts of standing stands behind a case that counts."""
    return counted_by in STANDING and not corroborated_by


_RANK = {"": 0, BY_OWNER: 1, BY_VERIFIERS: 1, BY_STANDING: 2, BY_LABELS: 2, BY_MODERATOR: 3}


def outranks(counted_by: str, other: str) -> bool:
    """Whether a case that counts so takes the place of one that says the opposite and counts by ``other``."""
    return _RANK.get(counted_by, 0) > _RANK.get(other, 0)


def quorum(for_label: int, against: int) -> Literal["upheld", "overturned"] | None:
    """What accounts of standing decide about a disputed label: two more on one side than on the other."""
    if for_label - against >= SECONDERS:
        return "upheld"
    return "overturned" if against - for_label >= SECONDERS else None


def at_the_end(for_label: int, against: int, *, counts: bool) -> Literal["upheld", "overturned", "lapsed"]:
    """How a dispute ends when its time is over: the side with more accounts of standing wins.

    If both sides have equally many, a case that counts stays. One that does not count is withdrawn, and nobody loses
    points.
    """
    if for_label != against:
        return "upheld" if for_label > against else "overturned"
    return "upheld" if counts else "lapsed"


def counts_by(
    seconders: Collection[str], owners: Collection[str], moderators: Collection[str], points: Mapping[str, int]
) -> str:
    """Who makes a case count that these accounts have seconded; empty if it does not count. One owner of the package is
    enough, or one moderator who does not own it, or two accounts with standing. Of several, the strongest is returned.
    """
    if any(name in moderators for name in seconders):
        return BY_MODERATOR
    if sum(points.get(name, 0) >= ENOUGH for name in seconders if name not in owners) >= SECONDERS:
        return BY_STANDING
    return BY_OWNER if any(name in owners for name in seconders) else ""
