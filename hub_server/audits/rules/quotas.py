"""How much an account may do to others' verifiers, by its points."""

import math
from collections.abc import Mapping
from typing import Literal

from hub_server.audits.rules.standing import ENOUGH, LOSS
from schemas.evidence.standing import Quotas

Rank = Literal["new", "standing", "trusted"]


def rank_of(points: int, *, is_trusted: bool) -> Rank:
    """``is_trusted``: a moderator, an owner whom the operator named, or the owner of the package in question."""
    if is_trusted:
        return "trusted"
    return "standing" if points >= ENOUGH else "new"


def quotas_of(rank: Rank, points: int, by_rank: Mapping[Rank, Quotas]) -> Quotas:
    """What an account may do. With points below zero a new account may do half, with each further lie a part less.

    One of each is always left, so that it can earn its way back.
    """
    quotas = by_rank[rank]
    if rank != "new" or points >= 0:
        return quotas
    parts = 1 + math.ceil(-points / LOSS)
    return Quotas(**{name: max(1, most // parts) for name, most in quotas.model_dump().items()})


def how_to_get_more(account: str, rank: Rank, points: int, most_with_standing: int) -> str:
    """What a refusal says after the quota: the points, and what gives more."""
    see = f"`verihub account standing {account}` lists where they come from."
    if rank != "new":
        return f"That is the most at your rank ({rank}). {see}"
    missing = ENOUGH - points
    return (
        f"You have {points} point{'s' * (abs(points) != 1)}. With {missing} more you may have {most_with_standing}: a "
        f"case of yours that a moderator confirms gives one. {see}"
    )
