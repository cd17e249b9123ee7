"""An account's standing: the points that its cases earned and cost, and what they let it do."""

from datetime import datetime
from typing import Literal

from schemas.base import WireModel


class Quotas(WireModel):
    """How much one account may do to verifiers of others."""

    waiting: int
    """Cases against one package that nobody has seconded."""
    cases: int
    """Cases to one release, refuted ones included."""
    labels: int
    """Answers to questions in 24 hours."""
    words: int
    """Others' cases seconded or disputed in 24 hours."""


class StandingEvent(WireModel):
    """A case by which an account has gained or lost points."""

    at: datetime
    points: int
    """1 or -3; 0 where nobody has confirmed the case yet."""
    why: str
    package: str = ""
    """Empty, as are ``case`` and ``version``: moderators hide the case or who submitted it."""
    case: str = ""
    version: str = ""
    """The release that the case was submitted against."""


class Standing(WireModel):
    """An account's ledger, newest first. Cases of private packages are no part of it, whoever asks."""

    account: str
    points: int
    has_standing: bool
    """Its word makes others' cases count, together with that of another one."""
    rank: Literal["new", "standing", "trusted"]
    """By which its quotas are chosen; ``trusted``: a moderator, or an owner whom the operator named."""
    missing: int
    """Points that it needs for standing; 0: none."""
    waiting: int
    """Cases that would earn a point once somebody confirms them."""
    quotas: Quotas
    """On packages of others."""
    items: list[StandingEvent]
    next: str | None = None
