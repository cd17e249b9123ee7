"""What the events of a case's history say in their reasons: who agreed on a label, and by whose word a case counts."""

from collections.abc import Iterable, Mapping
from typing import Any

from hub_server.audits.rules.standing import BY_LABELS, BY_MODERATOR

HUB = "hub"
"""The name shown for events that no account caused."""
_AGREED_BY = "agreed by "
_BY_LABELS = f"by {BY_LABELS}: "
_COUNTS_BY = "says the opposite and counts by "


def agreement_of(names: Iterable[str]) -> str:
    """Who agreed on a label, in the order in which they did."""
    return f"{_AGREED_BY}{', '.join(names)}"


def counted_words(counted_by: str, by: str = "") -> str:
    """By whose word a case counts from now on. ``by``: who in particular."""
    return f"by {counted_by}{f': {by}' if by else ''}"


def opposite_words(case_id: str, counted_by: str) -> str:
    """Why a case counts no more: one that says the opposite of the same response counts by more."""
    return f"{case_id} {_COUNTS_BY}{counted_by}"


def names_in(what: str, reason: str) -> list[str]:
    """The accounts that an event's reason names: those who agreed on the label."""
    for event, prefix in (("labelled", _AGREED_BY), ("counted", _BY_LABELS)):
        if what == event and reason.startswith(prefix):
            return [name for name in reason.removeprefix(prefix).split(", ") if name]
    return []


def without_names(what: str, reason: str, hidden: Iterable[str]) -> str:
    """The reason without the names that nobody is to read."""
    hidden = set(hidden)
    shown = [name for name in names_in(what, reason) if name not in hidden]
    return agreement_of(shown) if what == "labelled" else counted_words(BY_LABELS, ", ".join(shown))


def is_by_moderator(event: Mapping[str, Any]) -> bool:
    """Whether a moderator's word stands behind an event that took a label away, and not accounts of standing alone."""
    return event["by"] != HUB or str(event.get("reason", "")).endswith(f"{_COUNTS_BY}{BY_MODERATOR}")
