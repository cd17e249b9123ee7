"""What a case has earned or cost an account, by its history.

A point begins and ends with a moderator's word, or with verifiers one of which is the operator's choice. What accounts
of standing alone say earns nobody anything and costs nobody anything. Otherwise two of them could give standing to any
number of their friends, and take it from everybody else.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from hub_server.audits.rules.event_words import is_by_moderator, names_in
from hub_server.audits.rules.standing import BY_MODERATOR, BY_OWNER, BY_VERIFIERS, LOSS, SECONDERS, STANDING

Event = Mapping[str, Any]


@dataclass(frozen=True)
class LedgerCase:
    """What a case says of everybody who spoke for its label."""

    submitted_by: str
    counted_by: str
    corroborated_by: str
    history: Sequence[Event]


@dataclass(frozen=True)
class PointChange:
    """What an account has gained or lost by a case. ``points`` 0: nothing yet, because nobody has confirmed it."""

    points: int
    at: datetime
    why: str


def speakers_of(case: LedgerCase) -> set[str]:
    """Everybody who spoke for its label: submitted it, agreed on it as a label, or seconded it."""
    said = {name for one in case.history for name in names_in(one["what"], one.get("reason", ""))}
    return {case.submitted_by, *said, *(one["by"] for one in case.history if one["what"] == "seconded")}


def change_by(case: LedgerCase, account: str) -> PointChange | None:
    """What the account gains or loses by the case; None where it said nothing that can earn or cost.

    Only what it said before others decided counts: who seconds a case that counts already has risked nothing.
    """
    said = _when_said(case, account)
    if said is None:
        return None
    for event in case.history[said + 1 :]:
        if event["what"] in ("relabelled", "overturned") and is_by_moderator(event):
            return PointChange(-LOSS, _at(event), _why_lost(event))
    decided = _when_confirmed(case)
    if said >= decided or not _may_earn(case, account) or _decided_itself(case, said, decided):
        return None
    if is_confirmed(case):
        return PointChange(1, _at(case.history[decided]), _why_earned(case))
    is_alone = case.counted_by in STANDING
    return PointChange(0, _at(case.history[decided]), "counts by accounts of standing alone") if is_alone else None


def is_confirmed(case: LedgerCase) -> bool:
    """Whether more than accounts of standing and the package's owner stand behind a case that counts."""
    if case.counted_by == BY_MODERATOR:
        return True
    return case.counted_by in STANDING and case.corroborated_by in (BY_MODERATOR, BY_VERIFIERS)


def _decided_itself(case: LedgerCase, said: int, decided: int) -> bool:
    """Whether it was this second that made the case count by a moderator: nobody confirms an own word."""
    return case.counted_by == BY_MODERATOR and said == decided - 1 and case.history[said]["what"] == "seconded"


def _when_said(case: LedgerCase, account: str) -> int | None:
    """The number of the first event by which the account spoke for the label; -1 for who submitted the case."""
    for number, one in enumerate(case.history):
        if account in names_in(one["what"], one.get("reason", "")):
            return number - int(one["what"] == "counted")  # they had said it before the case came to count by it
        if (one["what"], one["by"]) == ("seconded", account):
            return number
    return -1 if account == case.submitted_by else None


def _may_earn(case: LedgerCase, account: str) -> bool:
    """Whether the account is the submitter, among those who agreed on a label, or one of the first who seconded.

    As many of these as make a case count together: or one true case would give a point to any number of friends.
    """
    first: list[str] = []
    for one in case.history:
        named = names_in(one["what"], one.get("reason", "")) or [one["by"]] * (one["what"] == "seconded")
        first += [name for name in named if name not in first and name != case.submitted_by]
    return account == case.submitted_by or account in first[:SECONDERS]


def _when_confirmed(case: LedgerCase) -> int:
    """The number of the event by which the case counts, or by which somebody else than its owner confirmed it."""
    deciding = [
        number
        for number, one in enumerate(case.history)
        if one["what"] == "counted" or (one["what"] == "corroborated" and one["reason"] != f"by {BY_OWNER}")
    ]
    return max(deciding, default=-1)


def _why_earned(case: LedgerCase) -> str:
    who = "a moderator" if BY_MODERATOR in (case.counted_by, case.corroborated_by) else "other people's verifiers"
    return f"{who} confirmed its label"


def _why_lost(event: Event) -> str:
    return "a moderator turned its label round" if event["what"] == "relabelled" else "a moderator refused its label"


def _at(event: Event) -> datetime:
    at = event["at"]
    return at if isinstance(at, datetime) else datetime.fromisoformat(at)
